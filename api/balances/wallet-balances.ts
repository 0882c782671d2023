import { LRUCache } from "lru-cache";
import { type Address, erc20Abi } from "viem";
import { isParty } from "../../trade/totals/party.ts";
import { createProcessSlots, type Requester } from "../../trade/totals/process-slots.ts";
import type { Context } from "../context.ts";

/** The reasons for which a balance is not known. */
export const unknownReasons = ["busy", "slow", "unreachable"] as const;
export type UnknownReason = (typeof unknownReasons)[number];

/** A wallet on a chain, and its balances in base units, or why they are not known. */
export type WalletOnChain = { address: Address; chainId: number };
export type Balances = { token: bigint; native: bigint } | { unknown: UnknownReason };

/** Milliseconds for which a balance is cached, and for which an answer waits for the node. */
const cacheMilliseconds = 1000;
const patience = 2000;
/** The most cached balances. */
const mostCached = 2000;
/** The most requests that read from nodes at once: in all, of an account, and of an address. */
const slotBounds = { total: 16, account: 2, address: 4 };

/** Makes the reader of wallets' balances of this process. Balances are public, so all accounts share the cache. */
export function createBalanceReader(context: Context) {
  const slots = createProcessSlots(slotBounds, (accountId) => isParty(context.db, accountId));
  const cache = new LRUCache<string, { token: bigint; native: bigint }, WalletOnChain>({
    ttl: cacheMilliseconds,
    max: mostCached,
    // Equal requests at the same time share one read.
    fetchMethod: (_key, _stale, { context: wallet }) => readBalances(wallet),
    ignoreFetchAbort: true,
  });

  return async (wallets: readonly WalletOnChain[], requester: Requester): Promise<Balances[]> => {
    const slot = await slots.enter(requester);
    if ("full" in slot) return wallets.map(() => ({ unknown: "busy" }));
    const reads = wallets.map((wallet) =>
      cache.forceFetch(`${wallet.chainId} ${wallet.address.toLowerCase()}`, { context: wallet }),
    );
    // The slot is free when the node has answered, not when the caller has the answer.
    void Promise.allSettled(reads).then(slot.leave);
    return waitFor(reads);
  };

  async function readBalances({ address, chainId }: WalletOnChain) {
    const served = context.chain(chainId);
    if (!served) throw new Error(`Chain ${chainId} is not served.`);
    const { chain, client } = served;
    const [token, native] = await Promise.all([
      client.readContract({
        ...{ abi: erc20Abi, address: chain.token.address },
        ...{ functionName: "balanceOf", args: [address] },
      }),
      client.getBalance({ address }),
    ]);
    return { token, native };
  }
}

/** Waits for reads until the deadline. */
async function waitFor(reads: Promise<{ token: bigint; native: bigint }>[]): Promise<Balances[]> {
  const { promise: late, resolve } = Promise.withResolvers<Balances>();
  const timer = setTimeout(resolve, patience, { unknown: "slow" });
  try {
    return await Promise.all(
      reads.map((read) => Promise.race([read.catch((): Balances => ({ unknown: "unreachable" })), late])),
    );
  } finally {
    clearTimeout(timer);
  }
}
