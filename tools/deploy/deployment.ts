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
  WaitForTransactionReceiptTimeoutError,
} from "viem";
import { escrowBuild } from "../../abis/build.ts";
import { escrowBytecode, passkeyAccountFactoryBytecode, testUsdBytecode } from "../../abis/bytecode.ts";
import { deploymentManifest } from "../../config/chains.ts";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { compareEscrow } from "../../protocol/settlement/escrow-code.ts";
import { findNetwork, type Registries } from "../../protocol/settlement/networks.ts";
import { depositImplementationOf } from "../../protocol/settlement/terms.ts";
import { type PlannedAnchors, planAnchors } from "./anchors.ts";
import { estimateCost } from "./cost.ts";
import {
  addressOf,
  type Deployment,
  deploymentCall,
  findDeployment,
  type Missing,
  requireDeployer,
  salt,
} from "./create2.ts";
import { steadyHttp } from "./reader.ts";
import { planRegistries } from "./registries.ts";
import { type DescribedToken, describeToken } from "./token.ts";

/** The steps of a deployment, determined without sending a transaction. */
export type DeploymentPlan = {
  chainId: number;
  escrow: Address;
  /** the deployment of an existing escrow, which is adopted; else null */
  standing: Deployment | null;
  /** the named token, or a deployed TestUSD; null before the deployment of TestUSD */
  token: DescribedToken | null;
  /** the ERC-8004 registries, deployed or missing; null if the chain has no known ones */
  registries: Registries | null;
  anchors: PlannedAnchors;
  passkeyFactory: Address;
  /** the contracts to deploy, in order */
  missing: Missing[];
};

type PlanOptions = {
  /** the ERC-20 token of payments. Default: TestUSD */
  token?: Address | undefined;
  /** the manifest of this escrow, which names its transaction */
  manifest?: DeploymentManifest | undefined;
  /** the deployment block of an existing escrow, for a node without old states */
  block?: bigint | undefined;
};

/**
 * Checks everything that could prevent a deployment.
 *
 * @throws ConfigError if the token is unsuitable, the CREATE2 deployer is missing, the existing escrow is not this build's,
 *   or its block cannot be found
 */
export async function planDeployment(
  reader: PublicClient,
  options: PlanOptions = {},
): Promise<DeploymentPlan> {
  const escrow = addressOf(escrowBytecode);
  const stands = async (address: Address) => Boolean(await reader.getCode({ address }));
  const chainId = await reader.getChainId();
  // Accounts hold money, so the factory of the manifest stays.
  const passkeyFactory = (options.manifest?.passkey_factory ??
    addressOf(passkeyAccountFactoryBytecode)) as Address;
  const [registries, escrowStands, passkeysStand, token] = await Promise.all([
    planRegistries(reader, chainId),
    stands(escrow),
    stands(passkeyFactory),
    options.token
      ? describeToken(reader, options.token)
      : stands(addressOf(testUsdBytecode)).then((there) =>
          there ? describeToken(reader, addressOf(testUsdBytecode)) : null,
        ),
  ]);
  const missing: DeploymentPlan["missing"] = [];
  if (!token) missing.push({ what: "TestUSD", creationCode: testUsdBytecode });
  if (!escrowStands) missing.push({ what: "escrow", creationCode: escrowBytecode });
  if (escrowStands) await requireSameCode(reader, escrow);
  const standing = escrowStands
    ? await findDeployment(reader, escrowBytecode, {
        transaction: (options.manifest?.deployment_transaction ?? null) as Hex | null,
        block: options.block,
      })
    : null;
  const anchors = await planAnchors(reader, options.manifest?.anchors, standing?.block);
  missing.push(...anchors.missing);
  if (!passkeysStand) {
    missing.push({ what: "passkey accounts", creationCode: passkeyAccountFactoryBytecode });
  }
  missing.push(...registries.missing);
  if (missing.length > 0) await requireDeployer(reader);
  const { addresses } = registries;
  return { chainId, escrow, standing, token, registries: addresses, anchors, passkeyFactory, missing };
}

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
  if (standing) report(`the escrow exists since block ${standing.block}: it is adopted`);

  if (plan.missing.length > 0) await requireFunds(reader, account.address, plan);
  const writer = createWalletClient({ account, transport });
  const sent: { what: string; creationCode: Hex; hash: Hex }[] = [];
  for (const { what, creationCode } of plan.missing) {
    const hash = await writer.sendTransaction({ ...deploymentCall(creationCode), chain: null });
    report(`sent ${hash}: ${what}`);
    sent.push({ what, creationCode, hash });
  }
  let deployment = standing;
  let anchorsBlock = anchors.block;
  for (const { what, creationCode, hash } of sent) {
    const made = await waitForDeployment(reader, { creationCode, hash, confirmations, report });
    if (what === "escrow") deployment = made;
    if (what === "anchors") anchorsBlock = made.block;
  }
  if (!standing) await requireSameCode(reader, escrow);
  const { token } = plan.token ?? (await describeToken(reader, addressOf(testUsdBytecode)));
  const code = await reader.getCode({ address: escrow });
  return deploymentManifest.parse({
    chain_id: chainId,
    network_name: options.networkName ?? findNetwork(chainId)?.network_name ?? `Chain ${chainId}`,
    escrow_contract: escrow,
    deposit_implementation: depositImplementationOf(escrow),
    deployment_block: Number(deployment?.block),
    deployment_transaction: deployment?.transaction,
    token: { ...token, currency: currencyOf(token.address, chainId, options.manifest) },
    other_tokens: options.manifest?.other_tokens,
    arbiter: options.arbiter ?? null,
    erc8004: registries ?? undefined,
    anchors: { contract: anchors.contract, deployment_block: Number(anchorsBlock) },
    passkey_factory: passkeyFactory,
    build: {
      code_hash: keccak256(code as Hex),
      creation_code_hash: keccak256(escrowBytecode),
      salt,
      compiler: escrowBuild.compiler,
    },
  } satisfies Record<keyof DeploymentManifest, unknown>);
}

/** Returns the currency that a token is redeemed for: the manifest's, or that of a known token. */
function currencyOf(
  address: Address,
  chainId: number,
  manifest: DeploymentManifest | undefined,
): string | undefined {
  if (manifest?.token.address === address && manifest.token.currency) return manifest.token.currency;
  if (address === addressOf(testUsdBytecode)) return "USD";
  const known = findNetwork(chainId)?.token;
  return known?.address === address ? known.currency : undefined;
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

async function requireSameCode(reader: PublicClient, escrow: Address): Promise<void> {
  const differences = await compareEscrow(reader, escrow);
  if (differences.length === 0) return;
  throw new ConfigError(
    `The code at ${escrow} is not this build's escrow:\n${differences.map((line) => `  ${line}`).join("\n")}`,
  );
}

async function requireFunds(reader: PublicClient, from: Address, { missing }: DeploymentPlan): Promise<void> {
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
  const { required } = await estimateCost(
    reader,
    from,
    missing.map(({ creationCode }) => deploymentCall(creationCode)),
  );
  if (balance >= required) return;
  throw new ConfigError(
    `${from} holds ${formatEther(balance)} of the chain's coin, and the deployment may cost up to ${formatEther(required)}. Nothing was sent.`,
  );
}

/** Minutes within which a transaction should be mined and confirmed. */
const patience = 15;

/** Waits for a deployment's confirmations. An equal deployment by someone else counts too. */
async function waitForDeployment(
  reader: PublicClient,
  sent: { creationCode: Hex; hash: Hex; confirmations: number; report: (line: string) => void },
): Promise<Deployment> {
  const { creationCode, hash, confirmations, report } = sent;
  if (confirmations > 1) report(`waiting for ${confirmations} confirmations`);
  const receipt = await reader
    .waitForTransactionReceipt({ hash, confirmations, timeout: patience * 60_000 })
    .catch((cause) => {
      if (!(cause instanceof WaitForTransactionReceiptTimeoutError)) throw cause;
      throw new ConfigError(
        `${hash} was sent, but did not get ${confirmations} confirmations within ${patience} minutes. Run the same command again later: it adopts the deployed contract.`,
        { cause },
      );
    });
  if (receipt.status === "success") return { block: receipt.blockNumber, transaction: hash };
  if (await reader.getCode({ address: addressOf(creationCode) })) return findDeployment(reader, creationCode);
  throw new Error(`The deployment ${hash} reverted.`);
}
