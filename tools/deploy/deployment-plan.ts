import type { Address, Hex, PublicClient } from "viem";
import { escrowBytecode, passkeyAccountFactoryBytecode, testUsdBytecode } from "../../abis/bytecode.ts";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { compareEscrow } from "../../protocol/settlement/escrow-code.ts";
import type { Registries } from "../../protocol/settlement/networks.ts";
import { type PlannedAnchors, planAnchors } from "./anchors.ts";
import { addressOf, type Deployment, findDeployment, type Missing } from "./create2.ts";
import { planDeployer } from "./deployer.ts";
import { requireCancun } from "./evm.ts";
import { planRegistries } from "./registries.ts";
import { type PlannedTokens, planTokens } from "./tokens.ts";

/** The steps of a deployment, determined without sending a transaction. */
export type DeploymentPlan = PlannedTokens & {
  chainId: number;
  escrow: Address;
  /** the deployment of an existing escrow, which is adopted; else null */
  standing: Deployment | null;
  /** the ERC-8004 registries, deployed or missing; null if the chain has no known ones */
  registries: Registries | null;
  anchors: PlannedAnchors;
  passkeyFactory: Address;
  /** the wei that the CREATE2 deployer's presigned transaction needs first; null if nothing has to be placed */
  deployer: { funds: bigint } | null;
  /** the contracts to deploy, in order */
  missing: Missing[];
};

export type PlanOptions = {
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
 * @throws ConfigError if the chain's EVM is too old, the token is unsuitable, or the CREATE2 deployer cannot be placed. Also
 *   if the existing escrow is not this build's, or its block cannot be found
 */
export async function planDeployment(
  reader: PublicClient,
  options: PlanOptions = {},
): Promise<DeploymentPlan> {
  const { manifest } = options;
  const escrow = addressOf(escrowBytecode);
  const isDeployed = async (address: Address) => Boolean(await reader.getCode({ address }));
  const chainId = await reader.getChainId();
  // Accounts hold money, so the factory of the manifest stays.
  const passkeyFactory = (manifest?.passkey_factory ?? addressOf(passkeyAccountFactoryBytecode)) as Address;
  const [registries, escrowStands, passkeysStand, tokens] = await Promise.all([
    planRegistries(reader, chainId),
    isDeployed(escrow),
    isDeployed(passkeyFactory),
    planTokens(reader, chainId, { wanted: options.token, manifest }),
  ]);
  const missing: DeploymentPlan["missing"] = [];
  if (!tokens.token) missing.push({ what: "TestUSD", creationCode: testUsdBytecode });
  if (!escrowStands) missing.push({ what: "escrow", creationCode: escrowBytecode });
  if (escrowStands) await requireSameCode(reader, escrow);
  const standing = escrowStands
    ? await findDeployment(reader, escrowBytecode, {
        transaction: (manifest?.deployment_transaction ?? null) as Hex | null,
        block: options.block,
      })
    : null;
  const anchors = await planAnchors(reader, manifest?.anchors, standing?.block);
  missing.push(...anchors.missing);
  if (!passkeysStand) {
    missing.push({ what: "passkey accounts", creationCode: passkeyAccountFactoryBytecode });
  }
  missing.push(...registries.missing);
  let deployer: DeploymentPlan["deployer"] = null;
  if (missing.length > 0) {
    await requireCancun(reader);
    deployer = await planDeployer(reader);
  }
  const { addresses } = registries;
  return {
    ...tokens,
    chainId,
    escrow,
    standing,
    registries: addresses,
    anchors,
    passkeyFactory,
    deployer,
    missing,
  };
}

/** @throws ConfigError if the code of an escrow is not this build's */
export async function requireSameCode(reader: PublicClient, escrow: Address): Promise<void> {
  const differences = await compareEscrow(reader, escrow);
  if (differences.length === 0) return;
  throw new ConfigError(
    `The code at ${escrow} is not this build's escrow:\n${differences.map((line) => `  ${line}`).join("\n")}`,
  );
}
