import { LRUCache } from "lru-cache";
import { createPublicClient, http } from "viem";
import type { Chain } from "../../config/config.ts";
import type { Requester } from "../../trade/fair-shares/process-concurrency.ts";
import { type Context, nodeTimeouts } from "../context.ts";
import { createRequestSlots } from "../http/request-slots.ts";
import { createFigureReader, type NodeAmount, type NodeReading, type UnknownReason } from "./node-amounts.ts";

/** Milliseconds for which the figures of wallets are cached. */
const cacheMilliseconds = 1000;
/** The most cached answers of a chain. */
const mostCached = 200;
/** The most requests that read from a chain's node at once: in all, of an account, and of an address. */
const slotBounds = { total: 16, account: 2, address: 4 };
/** The most calls of a JSON-RPC batch. */
const batchSize = 100;

/** The figures that an answer reads on a chain. Those of wallets may be cached. */
type Questions = { wallets: readonly NodeAmount[]; deposits: readonly NodeAmount[] };
/** The readings, in the order of the figures. */
type Readings = { wallets: NodeReading[]; deposits: NodeReading[] };

/**
 * Makes the reader of balances of this process. Balances are public, so all accounts share the cache of wallets. Each
 * chain has slots of its own, so a slow node takes no slot of another chain.
 */
export function createBalanceReader(context: Context) {
  const readers = new Map(
    context.config.chains.map((chain) => [chain.chain_id, createChainReader(context, chain)]),
  );
  return async (chainId: number, questions: Questions, requester: Requester): Promise<Readings> => {
    const read = readers.get(chainId);
    return read ? read(questions, requester) : allUnknown(questions, "unreachable");
  };
}

function createChainReader({ db }: Context, chain: Chain) {
  const clientOf = (batch: false | { batchSize: number }) =>
    createPublicClient({ transport: http(chain.rpc_url, { ...nodeTimeouts, batch }) });
  const read = createFigureReader(chain.escrow_contract, {
    client: clientOf(false),
    batching: clientOf({ batchSize }),
  });
  const slots = createRequestSlots(db, slotBounds);
  const cache = new LRUCache<string, NodeReading[], readonly NodeAmount[]>({
    ttl: cacheMilliseconds,
    max: mostCached,
    // Equal requests at the same time share one read.
    fetchMethod: (_key, _stale, { context: figures }) => read(figures),
    ignoreFetchAbort: true,
  });

  return async (questions: Questions, requester: Requester): Promise<Readings> => {
    const slot = await slots.enter(requester);
    if ("full" in slot) return allUnknown(questions, "busy");
    const key = questions.wallets.map((figure) => Object.values(figure).join(" ")).join();
    try {
      const [wallets, deposits] = await Promise.all([
        cache.forceFetch(key, { context: questions.wallets }),
        read(questions.deposits),
      ]);
      return { wallets, deposits };
    } finally {
      slot.leave();
    }
  };
}

function allUnknown({ wallets, deposits }: Questions, reason: UnknownReason): Readings {
  return { wallets: wallets.map(() => reason), deposits: deposits.map(() => reason) };
}
