import { type Address, concat, encodeAbiParameters, type Hex, isAddressEqual, type PublicClient } from "viem";
import { reputationRegistryAbi } from "../../abis/registries.ts";
import { identityRegistryBytecode, reputationRegistryBytecode } from "../../abis/registryBytecode.ts";
import { findNetwork, localNetwork, type Registries } from "../../protocol/settlement/networks.ts";
import { addressOf, type Missing } from "./create2.ts";

/**
 * Plans the ERC-8004 registries of a chain. A public network uses its known registries, if they are deployed. The local chain
 * uses the development registries, which may have to be deployed.
 *
 * @returns `addresses` is null if there are none
 */
export async function planRegistries(
  reader: PublicClient,
  chainId: number,
): Promise<{ addresses: Registries | null; missing: Missing[] }> {
  if (chainId === localNetwork.chain_id) return planLocal(reader);
  const known = findNetwork(chainId)?.erc8004;
  const standing = known && (await areRegistries(reader, known));
  return { addresses: standing ? known : null, missing: [] };
}

async function planLocal(reader: PublicClient): Promise<{ addresses: Registries; missing: Missing[] }> {
  const identity = addressOf(identityRegistryBytecode);
  const wanted = [
    { what: "IdentityRegistry", creationCode: identityRegistryBytecode },
    { what: "ReputationRegistry", creationCode: reputationCreationCode(identity) },
  ];
  const codes = await Promise.all(
    wanted.map(({ creationCode }) => reader.getCode({ address: addressOf(creationCode) })),
  );
  return {
    addresses: {
      identity_registry: identity,
      reputation_registry: addressOf(reputationCreationCode(identity)),
    },
    missing: wanted.filter((_, index) => !codes[index]),
  };
}

function reputationCreationCode(identityRegistry: Address): Hex {
  return concat([reputationRegistryBytecode, encodeAbiParameters([{ type: "address" }], [identityRegistry])]);
}

/** Tells whether both registries are deployed, and the reputation registry refers to the identity registry. */
async function areRegistries(reader: PublicClient, registries: Registries): Promise<boolean> {
  const { identity_registry, reputation_registry } = registries;
  const [identityCode, reputationCode] = await Promise.all([
    reader.getCode({ address: identity_registry }),
    reader.getCode({ address: reputation_registry }),
  ]);
  if (!identityCode || !reputationCode) return false;
  const named = await reader.readContract({
    address: reputation_registry,
    abi: reputationRegistryAbi,
    functionName: "getIdentityRegistry",
  });
  return isAddressEqual(named, identity_registry);
}
