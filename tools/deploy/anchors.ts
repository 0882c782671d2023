import type { Address, PublicClient } from "viem";
import { anchorsCode } from "../../abis/build.ts";
import { anchorsBytecode } from "../../abis/bytecode.ts";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { addressOf, findDeployment, type Missing } from "./create2.ts";

export type PlannedAnchors = {
  contract: Address;
  /** from which block its events are read; null where it has yet to be deployed */
  block: bigint | null;
  missing: Missing[];
};

/**
 * The contract of anchors on a chain: the one that the manifest names, or this build's, which may have to be deployed.
 *
 * @param named what the manifest says of it
 * @param otherwise the block to take where a node without old states does not tell in which one it was deployed
 * @throws ConfigError where other code stands at its address
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
      ? `What stands at ${contract} is not the contract of anchors of this build: its code is ${code}.`
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
