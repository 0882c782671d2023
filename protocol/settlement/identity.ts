import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  getAddress,
  isAddressEqual,
  type PublicClient,
} from "viem";
import { identityRegistryAbi } from "../../abis/registries.ts";

/** An agent in an ERC-8004 Identity Registry; `tokenId` is the standard's `agentId`. */
export type Identity = { chainId: number; registry: Address; tokenId: bigint };

/** A wallet's right to act for an identity (ERC-721): it owns the token, or may transfer it or all of its owner's. */
export type Authority = "owner" | "approved" | "operator";

/** An identity as of a block. */
export type IdentityState = {
  block: bigint;
  /** its owner; null if the identity does not exist */
  owner: Address | null;
  /** the first of the given wallets that acts for it */
  holding: { wallet: Address; authority: Authority } | null;
  /** its registration file; null if it names none, or the URI is too long to show */
  agentUri: string | null;
};

/** The longest URI shown; longer ones contain the file itself. */
const longestUri = 2048;

/** Formats the standard's `agentRegistry`, as in `eip155:8453:0x8004...`. */
export function registryName({ chainId, registry }: Pick<Identity, "chainId" | "registry">): string {
  return `eip155:${chainId}:${getAddress(registry)}`;
}

/** Formats an identity's unique name: its registry and its number there. */
export function identityName(identity: Identity): string {
  return `${registryName(identity)}:${identity.tokenId}`;
}

/** Returns a number if JSON can hold it, else a string. */
export function tokenNumber(tokenId: bigint): number | string {
  return tokenId <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(tokenId) : tokenId.toString();
}

/**
 * Reads who acts for an identity from the chain, at the newest confirmed block.
 *
 * @param confirmations the blocks, including its own, that confirm a block
 * @param wallets the wallets to check
 * @throws viem's error if the node does not answer, which says nothing about the identity
 */
export async function readIdentity(
  client: PublicClient,
  identity: Identity,
  { confirmations, wallets }: { confirmations: number; wallets: readonly Address[] },
): Promise<IdentityState> {
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const depth = BigInt(confirmations - 1);
  const block = head > depth ? head - depth : 0n;
  // If one block is enough, a node without old states suffices.
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
    // An unreadable URI must not hide the other answers.
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

/**
 * Whether an error is an ERC-721 contract's answer for a token that does not exist; any other failure may be the
 * node's.
 */
function isUnknownToken(error: unknown): boolean {
  const cause =
    error instanceof BaseError ? error.walk((one) => one instanceof ContractFunctionRevertedError) : null;
  return cause instanceof ContractFunctionRevertedError && cause.data?.errorName === "ERC721NonexistentToken";
}
