import { LRUCache } from "lru-cache";
import { type Address, erc20Abi, getAddress } from "viem";
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

/** A token's balance of an address that holds a deposit. */
type Holder = { token: Address; depositAddress: Address; chainId: number };

/** The balances of an account's wallets and of its deposit addresses, in the order of the request. */
export type ReadBalances = { wallets: Balances[]; deposits: bigint[] | { unknown: UnknownReason } };

/** Makes the reader of balances of this process. Balances are public, so all accounts share the cache of wallets. */
export function createBalanceReader(context: Context) {
  const slots = createProcessSlots(slotBounds, (accountId) => isParty(context.db, accountId));
  const cache = new LRUCache<string, { token: bigint; native: bigint }, WalletOnChain>({
    ttl: cacheMilliseconds,
    max: mostCached,
    // Equal requests at the same time share one read.
    fetchMethod: (_key, _stale, { context: wallet }) => readBalances(wallet),
    ignoreFetchAbort: true,
  });

  return async (
    wallets: readonly WalletOnChain[],
    holders: readonly Holder[],
    requester: Requester,
  ): Promise<ReadBalances> => {
    const slot = await slots.enter(requester);
    if ("full" in slot)
      return { wallets: wallets.map(() => ({ unknown: "busy" })), deposits: { unknown: "busy" } };
    const reads = wallets.map((wallet) =>
      cache.forceFetch(`${wallet.chainId} ${wallet.address.toLowerCase()}`, { context: wallet }),
    );
    const deposits = readDeposits(holders);
    // The slot is free when the node has answered, not when the caller has the answer.
    void Promise.allSettled([...reads, deposits]).then(slot.leave);
    const [ofWallets, [ofDeposits]] = await Promise.all([waitFor(reads), waitFor([deposits])]);
    return { wallets: ofWallets, deposits: ofDeposits ?? { unknown: "unreachable" } };
  };

  /** Reads the balances of deposit addresses, by one call to each chain's node. */
  async function readDeposits(holders: readonly Holder[]): Promise<bigint[]> {
    const found = new Map<Holder, bigint>();
    const byChain = Map.groupBy(holders, ({ chainId }) => chainId);
    await Promise.all(
      [...byChain].map(async ([chainId, group]) => {
        const balances = await clientFor(chainId).client.multicall({
          contracts: group.map(({ token, depositAddress }) => ({
            ...{ abi: erc20Abi, address: getAddress(token), functionName: "balanceOf" as const },
            args: [getAddress(depositAddress)] as const,
          })),
          ...{ allowFailure: false, deployless: true, batchSize: 0 },
        });
        for (const [at, holder] of group.entries()) found.set(holder, balances[at] ?? 0n);
      }),
    );
    return holders.map((holder) => found.get(holder) ?? 0n);
  }

  function clientFor(chainId: number) {
    const served = context.chain(chainId);
    if (!served) throw new Error(`Chain ${chainId} is not served.`);
    return served;
  }

  async function readBalances({ address, chainId }: WalletOnChain) {
    const { chain, client } = clientFor(chainId);
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
async function waitFor<Read>(reads: Promise<Read>[]): Promise<(Read | { unknown: UnknownReason })[]> {
  const { promise: late, resolve } = Promise.withResolvers<{ unknown: UnknownReason }>();
  const timer = setTimeout(resolve, patience, { unknown: "slow" });
  try {
    return await Promise.all(
      reads.map((read) =>
        Promise.race([read.catch((): { unknown: UnknownReason } => ({ unknown: "unreachable" })), late]),
      ),
    );
  } finally {
    clearTimeout(timer);
  }
}
