import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  getAddress,
  isAddressEqual,
  type PublicClient,
} from "viem";
import { identityRegistryAbi } from "../../abis/registries.ts";

/** An agent in an ERC-8004 Identity Registry; `tokenId` is what the standard calls `agentId`. */
export type Identity = { chainId: number; registry: Address; tokenId: bigint };

/** By what right a wallet acts for an identity (ERC-721): it owns it, or may move it or all that its owner has. */
export type Authority = "owner" | "approved" | "operator";

/** An identity as a block has it. */
export type IdentityState = {
  block: bigint;
  /** who owns it; null where there is no such identity */
  owner: Address | null;
  /** the first of the wallets asked about that acts for it */
  holding: { wallet: Address; authority: Authority } | null;
  /** its registration file; null where it names none, or one too long to show */
  agentUri: string | null;
};

/** Longer ones hold the file itself. */
const longestUri = 2048;

/** The standard's `agentRegistry`, as in `eip155:8453:0x8004...`. */
export function registryName({ chainId, registry }: Pick<Identity, "chainId" | "registry">): string {
  return `eip155:${chainId}:${getAddress(registry)}`;
}

/** What names an identity among all: its registry and its number there. */
export function identityName(identity: Identity): string {
  return `${registryName(identity)}:${identity.tokenId}`;
}

/** Numbers in files are JSON's while JSON can hold them. */
export function tokenNumber(tokenId: bigint): number | string {
  return tokenId <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(tokenId) : tokenId.toString();
}

/**
 * Asks the chain who acts for an identity, at the newest block that counts.
 *
 * @param confirmations how many blocks, its own included, make a block count
 * @param wallets whose right to it is asked for
 * @throws as viem does where the node cannot say; that tells nothing of the identity
 */
export async function readIdentity(
  client: PublicClient,
  identity: Identity,
  { confirmations, wallets }: { confirmations: number; wallets: readonly Address[] },
): Promise<IdentityState> {
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const depth = BigInt(confirmations - 1);
  const block = head > depth ? head - depth : 0n;
  // Where one block is enough, a node without old states will do.
  const at = depth === 0n ? {} : { blockNumber: block };
  const registry = { address: identity.registry, abi: identityRegistryAbi, ...at } as const;
  const token = [identity.tokenId] as const;

  const owner = await client
    .readContract({ ...registry, functionName: "ownerOf", args: token })
    .catch((error) => {
      if (isUnknownToken(error)) return null;
      throw error;
    });
  if (owner === null) return { block, owner, holding: null, agentUri: null };
  const [approved, agentUri] = await Promise.all([
    client.readContract({ ...registry, functionName: "getApproved", args: token }),
    // One that cannot be read, as too long, is not to stand in the way of what the others say.
    client.readContract({ ...registry, functionName: "tokenURI", args: token }).catch(() => ""),
  ]);
  return {
    block,
    owner,
    holding: await findHolding(),
    agentUri: agentUri !== "" && agentUri.length <= longestUri && !agentUri.includes("\0") ? agentUri : null,
  };

  async function findHolding(): Promise<IdentityState["holding"]> {
    for (const [holder, authority] of [
      [owner, "owner"],
      [approved, "approved"],
    ] as const) {
      const wallet = wallets.find((one) => holder !== null && isAddressEqual(one, holder));
      if (wallet) return { wallet, authority };
    }
    for (const wallet of wallets) {
      const args = [owner as Address, wallet] as const;
      const operates = await client.readContract({ ...registry, functionName: "isApprovedForAll", args });
      if (operates) return { wallet, authority: "operator" };
    }
    return null;
  }
}

/** What ERC-721 contracts say of a token that does not exist; any other failure may be the node's. */
function isUnknownToken(error: unknown): boolean {
  const cause =
    error instanceof BaseError ? error.walk((one) => one instanceof ContractFunctionRevertedError) : null;
  return cause instanceof ContractFunctionRevertedError && cause.data?.errorName === "ERC721NonexistentToken";
}
