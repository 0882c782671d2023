import { parseArgs } from "node:util";
import { getAddress, isAddress } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { readPace } from "../../config/chains.ts";
import { ConfigError, type Environment } from "../../config/environment.ts";
import { readDeployConfig } from "../../config/programs.ts";
import { findNetwork, localNetwork, networks } from "../../protocol/settlement/networks.ts";
import { checkDeployment } from "../../tools/deploy/check.ts";
import { deployContracts, writeManifest } from "../../tools/deploy/deployment.ts";
import { describePlan } from "../../tools/deploy/plan.ts";
import { openTarget, refuseOtherDeployment, type Target } from "../../tools/deploy/target.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";

const names = networks.map(({ name }) => name).join(", ");
const usage = `npm run deploy -- [--chain <name or id>] [--dry-run [--from <address>] | --check]

  --chain    ${names}, or a chain id; without it, the chain of DEPLOY_RPC_URL
  --dry-run  prints the steps and the cost; sends nothing and needs no key
  --from     the account whose balance the dry run compares with the cost (default: DEPLOYER_PRIVATE_KEY's)
  --check    compares the deployed contracts with this build; exits 1 if they differ; sends nothing

docs/operations/install.md has the steps, .env.example the settings.`;

function readArguments(args: string[]) {
  let values: { chain?: string; "dry-run"?: boolean; from?: string; check?: boolean; help?: boolean };
  try {
    ({ values } = parseArgs({
      args,
      options: {
        chain: { type: "string" },
        "dry-run": { type: "boolean" },
        from: { type: "string" },
        check: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }));
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}\n\n${usage}`);
  }
  if (values.check && values["dry-run"]) {
    throw new ConfigError("--check and --dry-run exclude each other: give one of them.");
  }
  if (values.from !== undefined && !(values["dry-run"] && isAddress(values.from, { strict: false }))) {
    throw new ConfigError("--from must be a 20-byte 0x address, and needs --dry-run.");
  }
  return {
    chainId: values.chain === undefined ? null : readChain(values.chain),
    dryRun: values["dry-run"] ?? false,
    check: values.check ?? false,
    from: values.from === undefined ? undefined : getAddress(values.from),
    help: values.help ?? false,
  };
}

function readChain(chain: string): number {
  const known = networks.find(({ name }) => name === chain);
  if (known) return known.chain_id;
  if (/^[1-9]\d{0,14}$/.test(chain)) return Number(chain);
  throw new ConfigError(`--chain: "${chain}" is unknown: use one of ${names}, or a chain id.`);
}

/** The command's environment besides its arguments. */
type CommandEnvironment = {
  env: Environment;
  print: (lines: string) => void;
  complain: (lines: string) => void;
};

/** Runs the command. Returns its exit code. */
export async function runDeploy(args: string[], outside: CommandEnvironment): Promise<0 | 1> {
  try {
    await deploy(args, outside);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    outside.complain(error.message);
    return 1;
  }
}

async function deploy(args: string[], { env, print }: CommandEnvironment): Promise<void> {
  const { chainId: namedChain, dryRun, check, from, help } = readArguments(args);
  if (help) {
    print(usage);
    return;
  }
  const config = readDeployConfig(namedChain, env);
  const target = await openTarget(config, namedChain);
  if (check) {
    for (const line of await checkDeployment(target)) print(line);
    return;
  }

  const token = config.token ?? findNetwork(target.chainId)?.token?.address;
  if (!token && target.chainId !== localNetwork.chain_id) {
    throw new ConfigError(
      `DEPLOY_TOKEN must be the token of chain ${target.chainId}: this chain has no known token, and the test token is for local chains.`,
    );
  }
  refuseOtherDeployment(target, token);
  const account = readAccount(target);
  if (dryRun) return describePlan(target, { token, from: from ?? account?.address, print });

  if (!account) {
    throw new ConfigError(
      "DEPLOYER_PRIVATE_KEY must be set: its account pays for the deployment and gets no rights.",
    );
  }
  print(`deploying on ${target.title}, from ${account.address}`);
  const pace = readPace(target.chainId, env);
  const manifest = await deployContracts({
    ...target,
    account,
    token,
    confirmations: pace.confirmations,
    pollingInterval: pace.polling_interval,
    report: print,
  });
  print(
    `escrow ${manifest.escrow_contract}, block ${manifest.deployment_block}, the same code as this build's`,
  );
  print(`anchors ${manifest.anchors?.contract}, block ${manifest.anchors?.deployment_block}`);
  print(`passkey accounts by ${manifest.passkey_factory}`);
  print(`token  ${manifest.token.address} (${manifest.token.symbol})`);
  print(`wrote  ${writeManifest(config.deploymentsDir, manifest)}`);
}

function readAccount({
  deployerPrivateKey,
  chainId,
}: Target): PrivateKeyAccount | typeof localAccounts.deployer | null {
  if (deployerPrivateKey) return privateKeyToAccount(deployerPrivateKey);
  return chainId === localNetwork.chain_id ? localAccounts.deployer : null;
}
