import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { type Address, getAddress, isAddress } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { readManifests, readPace } from "../../config/chains.ts";
import type { DeploymentManifest } from "../../config/config.ts";
import { ConfigError, type Environment } from "../../config/environment.ts";
import { readDeployConfig } from "../../config/programs.ts";
import { findNetwork, localNetwork, networks } from "../../protocol/settlement/networks.ts";
import { deployContracts, writeManifest } from "../../tools/deploy/deployment.ts";
import { checkDeployment } from "../../tools/deploy/deployment-check.ts";
import { describePlan } from "../../tools/deploy/plan-report.ts";
import { writeSources } from "../../tools/deploy/sources.ts";
import { publishSources } from "../../tools/deploy/sourcify.ts";
import { openTarget, refuseOtherDeployment, type Target } from "../../tools/deploy/target.ts";
import { addToken } from "../../tools/deploy/tokens.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";

const names = networks.map(({ name }) => name).join(", ");
const usage = `npm run deploy -- [--chain <name or id>] [--publish-sources] [<one of the options below>]

  --chain            ${names}, or a chain id; without it, the chain of DEPLOY_RPC_URL
  --publish-sources  sends the sources to Sourcify too (DEPLOY_SOURCIFY_URL)
  --dry-run          prints the steps and the cost; sends nothing and needs no key
  --from <address>   with --dry-run: the account whose balance is compared with the cost
                     (default: DEPLOYER_PRIVATE_KEY's)
  --check            compares the deployed contracts with this build; exits 1 if they differ; sends nothing
  --add-token <address>  adds a token to the manifest; sends nothing and needs no key
  --currency <code>      with --add-token: the currency whose prices the token pays, as in USD

docs/operations/install.md has the steps, .env.example the settings.`;

const options = {
  chain: { type: "string" },
  "publish-sources": { type: "boolean" },
  "dry-run": { type: "boolean" },
  from: { type: "string" },
  check: { type: "boolean" },
  "add-token": { type: "string" },
  currency: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

function parse(args: string[]) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}\n\n${usage}`);
  }
}

function readArguments(args: string[]) {
  const values = parse(args);
  const { check = false, from, currency } = values;
  const { "dry-run": dryRun = false, "add-token": token, "publish-sources": publish = false } = values;
  if ([check, dryRun, token !== undefined].filter(Boolean).length > 1) {
    throw new ConfigError("--check, --dry-run and --add-token exclude each other: give one of them.");
  }
  if (from !== undefined && !(dryRun && isAddress(from, { strict: false }))) {
    throw new ConfigError("--from must be a 20-byte 0x address, and needs --dry-run.");
  }
  if (token !== undefined && !isAddress(token, { strict: false })) {
    throw new ConfigError("--add-token must be a 20-byte 0x address.");
  }
  if (currency !== undefined && token === undefined) {
    throw new ConfigError("--currency needs --add-token.");
  }
  return {
    dryRun,
    check,
    publish,
    currency,
    chainId: values.chain === undefined ? null : readChain(values.chain),
    from: from === undefined ? undefined : getAddress(from),
    addedToken: token === undefined ? undefined : getAddress(token),
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
  const given = readArguments(args);
  const { chainId: namedChain, dryRun, check, from, addedToken } = given;
  if (given.help) {
    print(usage);
    return;
  }
  const config = readDeployConfig(namedChain, env);
  const target = await openTarget(config, namedChain);
  if (check) {
    for (const line of await checkDeployment(target)) print(line);
    return;
  }
  if (addedToken) return listToken(target, { address: addedToken, currency: given.currency }, print);

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
  for (const { address, symbol } of [manifest.token, ...(manifest.other_tokens ?? [])])
    print(`token  ${address} (${symbol})`);
  print(`wrote  ${writeManifest(config.deploymentsDir, manifest)}`);
  await keepSources(config, manifest, given.publish, print);
}

/** Adds a token to the manifest of a chain. */
async function listToken(
  { reader, manifest, file, deploymentsDir }: Target,
  token: { address: Address; currency: string | undefined },
  print: (line: string) => void,
): Promise<void> {
  if (!manifest) throw new ConfigError(`${file} does not exist: deploy the contracts first.`);
  const manifests = readManifests(deploymentsDir).map((one) => one.manifest);
  const changed = await addToken(reader, manifest, { ...token, manifests });
  for (const note of changed.notes) print(note);
  const { symbol, decimals, currency } = changed.added;
  print(
    `added  ${token.address}: ${symbol}, ${decimals} decimals, ${currency ? `for prices in ${currency}` : "for prices in itself alone: --currency names another"}`,
  );
  print(`wrote  ${writeManifest(deploymentsDir, changed.manifest)}`);
}

/** Writes the sources beside the manifest, and sends them to Sourcify if asked to. */
async function keepSources(
  { deploymentsDir, sourcifyUrl }: Pick<Target, "deploymentsDir" | "sourcifyUrl">,
  manifest: DeploymentManifest,
  isPublished: boolean,
  print: (line: string) => void,
): Promise<void> {
  let written: ReturnType<typeof writeSources>;
  try {
    written = writeSources(deploymentsDir, manifest);
  } catch (error) {
    if (isPublished || !(error instanceof ConfigError)) throw error;
    print(`wrote no sources: ${error.message}`);
    return;
  }
  print(`wrote  ${written.length} sources to ${dirname(written[0]?.file ?? "")}`);
  if (!isPublished) return;
  for (const { address, file } of written) {
    const body = readFileSync(file, "utf8");
    const verdict = await publishSources(sourcifyUrl, { chainId: manifest.chain_id, address, body });
    print(`published the sources of ${address}: ${verdict}`);
  }
}

function readAccount({
  deployerPrivateKey,
  chainId,
}: Target): PrivateKeyAccount | typeof localAccounts.deployer | null {
  if (deployerPrivateKey) return privateKeyToAccount(deployerPrivateKey);
  return chainId === localNetwork.chain_id ? localAccounts.deployer : null;
}
