import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Account,
  type Address,
  createPublicClient,
  createWalletClient,
  formatEther,
  type Hex,
  keccak256,
  type PublicClient,
} from "viem";
import { escrowBuild } from "../../abis/build.ts";
import { escrowBytecode, testUsdBytecode } from "../../abis/bytecode.ts";
import { deploymentManifest } from "../../config/chains.ts";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { depositImplementationOf } from "../../protocol/settlement/terms.ts";
import { estimateCost } from "./cost.ts";
import { addressOf, deploymentCall, salt } from "./create2.ts";
import { placeDeployer } from "./deployer.ts";
import { type DeploymentPlan, type PlanOptions, planDeployment, requireSameCode } from "./deployment-plan.ts";
import { sendDeployments } from "./deployment-sending.ts";
import { findChainName } from "./public-chains.ts";
import { steadyHttp } from "./steady-http.ts";
import { describeToken } from "./token.ts";
import { knownCurrency } from "./tokens.ts";

/**
 * Deploys the escrow contract, the anchors contract and the factory of passkey accounts, TestUSD if no token is given, and on
 * the local chain the ERC-8004 registries. Deployed contracts are reused.
 *
 * @param options.account pays for the deployment and gets no rights
 * @param options.arbiter the default arbiter of disputes. Without one, only deadlines end them
 * @returns the manifest, which `writeManifest` writes to the path that `config/config.ts` reads
 * @throws ConfigError like `planDeployment`, or if the account cannot pay
 */
export async function deployContracts(
  options: PlanOptions & {
    rpcUrl: string;
    account: Account;
    arbiter?: Address | null;
    networkName?: string | undefined;
    /** the blocks that a deployment waits for, its own included */
    confirmations?: number;
    /** milliseconds between two polls for receipts */
    pollingInterval?: number;
    report?: (line: string) => void;
  },
): Promise<DeploymentManifest> {
  const { rpcUrl, account, confirmations = 1, pollingInterval = 1000, report = () => {} } = options;
  const transport = steadyHttp(rpcUrl);
  const reader = createPublicClient({ transport, pollingInterval });
  const plan = await planDeployment(reader, options);
  const { chainId, escrow, standing, registries, anchors, passkeyFactory } = plan;
  for (const note of plan.notes) report(note);
  if (standing) report(`the escrow exists since block ${standing.block}: it is adopted`);

  if (plan.missing.length > 0) await requireFunds(reader, account.address, plan);
  const writer = createWalletClient({ account, transport });
  if (plan.deployer) await placeDeployer(reader, writer, { ...plan.deployer, report });
  const made = await sendDeployments({ reader, writer, confirmations, report }, plan.missing);
  if (!standing) await requireSameCode(reader, escrow);
  const deployment = standing ?? made.get("escrow");
  const { token } = plan.token ?? (await describeToken(reader, addressOf(testUsdBytecode)));
  const code = await reader.getCode({ address: escrow });
  const kept = options.manifest?.token;
  const currency =
    (kept?.address === token.address ? kept.currency : null) ?? knownCurrency(token.address, chainId);
  return deploymentManifest.parse({
    chain_id: chainId,
    network_name: options.networkName ?? findChainName(chainId),
    escrow_contract: escrow,
    deposit_implementation: depositImplementationOf(escrow),
    deployment_block: Number(deployment?.block),
    deployment_transaction: deployment?.transaction,
    token: { ...token, currency },
    other_tokens: plan.others,
    arbiter: options.arbiter ?? null,
    erc8004: registries ?? undefined,
    anchors: {
      contract: anchors.contract,
      deployment_block: Number(made.get("anchors")?.block ?? anchors.block),
    },
    passkey_factory: passkeyFactory,
    build: {
      code_hash: keccak256(code as Hex),
      creation_code_hash: keccak256(escrowBytecode),
      salt,
      compiler: escrowBuild.compiler,
    },
  } satisfies Record<keyof DeploymentManifest, unknown>);
}

/** Returns the file of a chain's manifest. */
export const manifestFile = (directory: string, chainId: number) => join(directory, `${chainId}.json`);

/** Writes a manifest to `<directory>/<chain id>.json`, whole or not at all. Returns the file. */
export function writeManifest(directory: string, manifest: DeploymentManifest): string {
  mkdirSync(directory, { recursive: true });
  const file = manifestFile(directory, manifest.chain_id);
  writeFileSync(`${file}.new`, `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(`${file}.new`, file);
  return file;
}

async function requireFunds(
  reader: PublicClient,
  from: Address,
  { missing, deployer }: DeploymentPlan,
): Promise<void> {
  const [balance, mined, sent] = await Promise.all([
    reader.getBalance({ address: from }),
    reader.getTransactionCount({ address: from }),
    reader.getTransactionCount({ address: from, blockTag: "pending" }),
  ]);
  if (sent > mined) {
    throw new ConfigError(
      `${from} has sent transactions that are not mined yet, perhaps this deployment: wait for them and try again.`,
    );
  }
  const calls = missing.map(({ creationCode }) => deploymentCall(creationCode));
  const { required } = await estimateCost(reader, from, calls, deployer);
  if (balance >= required) return;
  throw new ConfigError(
    `${from} holds ${formatEther(balance)} of the chain's coin, and the deployment may cost up to ${formatEther(required)}. Nothing was sent.`,
  );
}
