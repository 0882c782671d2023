import type { Address, PublicClient } from "viem";
import { anchorsCode } from "../../abis/build.ts";
import { anchorsBytecode } from "../../abis/bytecode.ts";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { addressOf, findDeployment, type Missing } from "./create2.ts";

export type PlannedAnchors = {
  contract: Address;
  /** the block from which its events are read; null before its deployment */
  block: bigint | null;
  missing: Missing[];
};

/**
 * Plans the contract of anchors on a chain: the one in the manifest, or this build's, which may have to be deployed.
 *
 * @param named the contract in the manifest
 * @param otherwise the deployment block, for a node without old states
 * @throws ConfigError if other code is at its address
 */
export async function planAnchors(
  reader: PublicClient,
  named: DeploymentManifest["anchors"],
  otherwise: bigint | undefined,
): Promise<PlannedAnchors> {
  const contract = (named?.contract ?? addressOf(anchorsBytecode)) as Address;
  const code = await reader.getCode({ address: contract });
  if (!code) {
    const missing = [{ what: "anchors", creationCode: anchorsBytecode }];
    return { contract: addressOf(anchorsBytecode), block: null, missing };
  }
  const [difference] = await compareAnchors(reader, contract);
  if (difference) throw new ConfigError(difference);
  return {
    contract,
    block: named ? BigInt(named.deployment_block) : await findBlock(reader, otherwise),
    missing: [],
  };
}

/**
 * Compares the code at an address with the contract of anchors of this build.
 *
 * @returns a sentence for each difference
 */
export async function compareAnchors(reader: PublicClient, contract: Address): Promise<string[]> {
  const code = await reader.getCode({ address: contract });
  if (code === anchorsCode) return [];
  return [
    code
      ? `The code at ${contract} is not this build's contract of anchors: ${code}.`
      : `There is no contract at ${contract}, where the manifest names that of anchors.`,
  ];
}

async function findBlock(reader: PublicClient, otherwise: bigint | undefined): Promise<bigint> {
  try {
    return (await findDeployment(reader, anchorsBytecode)).block;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return otherwise ?? reader.getBlockNumber({ cacheTime: 0 });
  }
}
