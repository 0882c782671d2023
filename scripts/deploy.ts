// npm run deploy: puts the escrow contract on a chain and writes the manifest that every process reads.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  type Address,
  BaseError,
  createPublicClient,
  formatEther,
  formatGwei,
  getAddress,
  http,
  isAddress,
  keccak256,
  type PublicClient,
} from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { escrowBuild } from "../abis/build.ts";
import { escrowBytecode } from "../abis/bytecode.ts";
import { readManifest, readPace } from "../config/chains.ts";
import { readDeployConfig } from "../config/programs.ts";
import { ConfigError, type DeploymentManifest } from "../config.ts";
import { findNetwork, localNetwork, networks } from "../settlement/networks.ts";
import { compareEscrow } from "./deploy/check.ts";
import { estimateCost } from "./deploy/cost.ts";
import { addressOf, create2Deployer, deploymentCall, salt } from "./deploy/create2.ts";
import { deployContracts, planDeployment, writeManifest } from "./deploy/deployment.ts";
import { describeToken } from "./deploy/token.ts";
import { localAccounts } from "./stack/anvil.ts";

const names = networks.map(({ name }) => name).join(", ");
const usage = `npm run deploy -- [--chain <name or id>] [--dry-run [--from <address>] | --check]

  --chain    ${names}, or a chain id; without it, the chain of DEPLOY_RPC_URL
  --dry-run  tells what would be deployed and what it would cost; sends nothing, needs no key
  --from     whose balance the dry run compares with the cost, where DEPLOYER_PRIVATE_KEY does not tell
  --check    tells whether what is deployed is the escrow of this build, exits 1 if not; sends nothing

docs/operations.md has the steps, .env.example the settings.`;

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
    throw new ConfigError("Neither --check nor --dry-run sends anything: name one of them.");
  }
  if (values.from !== undefined && !(values["dry-run"] && isAddress(values.from, { strict: false }))) {
    throw new ConfigError("--from takes a 20-byte 0x address, and goes with --dry-run.");
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
  throw new ConfigError(`There is no chain "${chain}" here: name one of ${names}, or a chain id.`);
}

type Setting = ReturnType<typeof readDeployConfig> & {
  reader: PublicClient;
  chainId: number;
  title: string;
  /** the file where this chain's manifest belongs, and the manifest if it is there */
  file: string;
  manifest: DeploymentManifest | undefined;
};

async function main(): Promise<void> {
  const { chainId: asked, dryRun, check, from, help } = readArguments(process.argv.slice(2));
  if (help) {
    console.log(usage);
    return;
  }
  const config = readDeployConfig(asked);
  const reader = createPublicClient({ transport: http(config.rpcUrl) });
  // The host alone: what follows it is often a key.
  const host = URL.parse(config.rpcUrl)?.host ?? config.rpcUrl;
  const chainId = await reader.getChainId().catch((error) => {
    const why = error instanceof BaseError ? error.shortMessage : (error as Error).message;
    throw new ConfigError(`The node ${host} does not answer: ${why}`);
  });
  if (asked !== null && asked !== chainId) {
    throw new ConfigError(`--chain says ${asked}, but the node ${host} serves chain ${chainId}.`);
  }
  const file = join(config.deploymentsDir, `${chainId}.json`);
  const setting: Setting = {
    ...config,
    reader,
    chainId,
    title: `${config.networkName ?? findNetwork(chainId)?.network_name ?? "chain"} (${chainId}), by ${host}`,
    file,
    manifest: existsSync(file) ? readManifest(file) : undefined,
  };
  if (check) return checkDeployment(setting);

  const token = config.token ?? findNetwork(chainId)?.token?.address;
  if (!token && chainId !== localNetwork.chain_id) {
    throw new ConfigError(
      `DEPLOY_TOKEN must name the token of chain ${chainId}: none is known of it, and the test token is for local chains.`,
    );
  }
  refuseOtherDeployment(setting, token);
  const account = readAccount(setting);
  if (dryRun) return describePlan(setting, token, from ?? account?.address);

  if (!account) {
    throw new ConfigError("DEPLOYER_PRIVATE_KEY must be set: it pays for the deployment and gets no rights.");
  }
  console.log(`deploying on ${setting.title}, from ${account.address}`);
  const pace = readPace(chainId);
  const manifest = await deployContracts({
    ...setting,
    account,
    token,
    confirmations: pace.confirmations,
    pollingInterval: pace.polling_interval,
    report: console.log,
  });
  console.log(
    `escrow ${manifest.escrow_contract}, block ${manifest.deployment_block}, the same code as this build's`,
  );
  console.log(`token  ${manifest.token.address} (${manifest.token.symbol})`);
  console.log(`wrote  ${writeManifest(config.deploymentsDir, manifest)}`);
}

function readAccount({
  deployerPrivateKey,
  chainId,
}: Setting): PrivateKeyAccount | typeof localAccounts.deployer | null {
  if (deployerPrivateKey) return privateKeyToAccount(deployerPrivateKey);
  return chainId === localNetwork.chain_id ? localAccounts.deployer : null;
}

/** A manifest that stands may be completed, never changed: orders point to what it names. */
function refuseOtherDeployment(
  { manifest, file, chainId, arbiter }: Setting,
  token: Address | undefined,
): void {
  if (!manifest) return;
  const wanted = { escrow: addressOf(escrowBytecode), token: token ?? manifest.token.address, arbiter };
  const named = {
    escrow: manifest.escrow_contract,
    token: manifest.token.address,
    arbiter: manifest.arbiter,
  };
  const differing = (["escrow", "token", "arbiter"] as const).filter((key) => wanted[key] !== named[key]);
  if (differing.length === 0) return;
  throw new ConfigError(
    `${file} already names a deployment on chain ${chainId}, and orders point to it:\n${differing
      .map((key) => `  ${key} ${named[key] ?? "nobody"}, this deployment's is ${wanted[key] ?? "nobody"}`)
      .join("\n")}\nMove the file away only if you mean to leave that contract.`,
  );
}

async function describePlan(
  setting: Setting,
  token: Address | undefined,
  from: Address | undefined,
): Promise<void> {
  const { reader, chainId, arbiter, file } = setting;
  const plan = await planDeployment(reader, { ...setting, token });
  const coin = findNetwork(chainId)?.native_symbol ?? "of the chain's coin";
  const say = (what: string, text: string) => console.log(`${what.padEnd(10)} ${text}`);
  say("chain", setting.title);
  say(
    "escrow",
    plan.standing
      ? `${plan.escrow} stands already, since block ${plan.standing.block}, with the same code as this build's: it would be adopted`
      : `${plan.escrow} would be deployed`,
  );
  say(
    "",
    `by the CREATE2 deployer ${create2Deployer}, salt ${salt}, creation code ${keccak256(escrowBytecode)}`,
  );
  if (plan.token) {
    const { address, symbol, decimals, name, version } = plan.token.token;
    say(
      "token",
      `${address}: ${symbol}, ${decimals} decimals, EIP-712 domain "${name}" version "${version}"`,
    );
    say("", `DOMAIN_SEPARATOR() is that domain's: ${plan.token.separator}`);
  } else {
    say("token", "TestUSD would be deployed");
  }
  const identities = plan.registries?.identity_registry ?? "none that are known, so agents show no identity";
  const own = plan.missing.some(({ what }) => what === "IdentityRegistry");
  say("erc8004", own ? "development registries would be deployed" : `agents' identities: ${identities}`);
  say("arbiter", arbiter ?? "nobody: disputes end by time alone");
  if (from)
    say("deployer", `${from} holds ${formatEther(await reader.getBalance({ address: from }))} ${coin}`);
  if (plan.missing.length > 0) {
    const calls = plan.missing.map(({ creationCode }) => deploymentCall(creationCode));
    const cost = await estimateCost(reader, from, calls);
    say("gas", `${cost.gas}, at ${formatGwei(cost.price)} gwei about ${formatEther(cost.expected)} ${coin}`);
    say("", `the deployer must hold ${formatEther(cost.required)} ${coin}`);
  }
  say("manifest", `would be written to ${file}`);
  console.log("Nothing was sent.");
}

/** Compares what is deployed, and what its manifest says of it, with this build and the chain. */
async function checkDeployment({ reader, manifest, file, title }: Setting): Promise<void> {
  const escrow = manifest?.escrow_contract ?? addressOf(escrowBytecode);
  const differences = await compareEscrow(reader, escrow);
  const code = await reader.getCode({ address: escrow });
  if (manifest) {
    const { build } = manifest;
    const found = await describeToken(reader, manifest.token.address);
    for (const [what, named, is] of [
      ["build.code_hash", build?.code_hash, code && keccak256(code)],
      ["build.creation_code_hash", build?.creation_code_hash, keccak256(escrowBytecode)],
      ["build.compiler", build && JSON.stringify(build.compiler), JSON.stringify(escrowBuild.compiler)],
      ["token", JSON.stringify(manifest.token), JSON.stringify(found.token)],
    ] as const) {
      if (named !== undefined && named !== is)
        differences.push(`${file} has ${named} as ${what}; it is ${is}.`);
    }
  }
  if (differences.length > 0) {
    throw new ConfigError(`What is deployed on ${title} is not this build's:\n${differences.join("\n")}`);
  }
  console.log(`checked ${escrow} on ${title}`);
  console.log(
    `code    ${keccak256(code ?? "0x")}: this build's, immutables and deposit implementation included`,
  );
  console.log(manifest ? `${file} agrees` : `${file} is not there: it was not compared`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
