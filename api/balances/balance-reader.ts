import { LRUCache } from "lru-cache";
import { createPublicClient, http } from "viem";
import type { Chain } from "../../config/config.ts";
import { isParty } from "../../trade/totals/party.ts";
import { createProcessSlots, type Requester } from "../../trade/totals/process-slots.ts";
import { type Context, nodeTimeouts } from "../context.ts";
import { createFigureReader, type Figure, type Reading, type UnknownReason } from "./node-figures.ts";

/** Milliseconds for which the figures of wallets are cached, and for which an answer waits for a node. */
const cacheMilliseconds = 1000;
const patience = 2000;
/** The most cached answers of a chain. */
const mostCached = 200;
/** The most requests that read from a chain's node at once: in all, of an account, and of an address. */
const slotBounds = { total: 16, account: 2, address: 4 };
/** The most calls of a JSON-RPC batch. */
const batchSize = 100;

/** The figures that an answer reads on a chain. Those of wallets may be cached. */
type Questions = { wallets: readonly Figure[]; deposits: readonly Figure[] };
/** The readings, in the order of the figures. */
type Readings = { wallets: Reading[]; deposits: Reading[] };

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
  const transport = http(chain.rpc_url, { ...nodeTimeouts, batch: { batchSize } });
  const read = createFigureReader(chain.escrow_contract, createPublicClient({ transport }));
  const slots = createProcessSlots(slotBounds, (accountId) => isParty(db, accountId));
  const cache = new LRUCache<string, Reading[], readonly Figure[]>({
    ttl: cacheMilliseconds,
    max: mostCached,
    // Equal requests at the same time share one read.
    fetchMethod: (_key, _stale, { context: figures }) => read(figures),
    ignoreFetchAbort: true,
  });
  /** The reads that the node has not answered in time. Until it answers, no request waits for it. */
  let late = 0;

  return async (questions: Questions, requester: Requester): Promise<Readings> => {
    if (late > 0) return allUnknown(questions, "slow");
    const slot = await slots.enter(requester);
    if ("full" in slot) return allUnknown(questions, "busy");
    const key = questions.wallets.map((figure) => Object.values(figure).join(" ")).join();
    const wallets = cache.forceFetch(key, { context: questions.wallets });
    const deposits = read(questions.deposits);
    // The slot is free when the node has answered, not when the caller has the answer.
    const isAnswered = Promise.allSettled([wallets, deposits]);
    void isAnswered.then(slot.leave);
    const deadline = startDeadline();
    void deadline.passed.then(() => {
      late += 1;
      void isAnswered.then(() => {
        late -= 1;
      });
    });
    const orUnknown = (figures: readonly Figure[], reading: Promise<Reading[]>) =>
      Promise.race([
        reading.catch(() => figures.map((): Reading => "unreachable")),
        deadline.passed.then(() => figures.map((): Reading => "slow")),
      ]);
    const [ofWallets, ofDeposits] = await Promise.all([
      orUnknown(questions.wallets, wallets),
      orUnknown(questions.deposits, deposits),
    ]);
    deadline.stop();
    return { wallets: ofWallets, deposits: ofDeposits };
  };
}

function startDeadline(): { passed: Promise<void>; stop(): void } {
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patience);
  return { passed, stop: () => clearTimeout(timer) };
}

function allUnknown({ wallets, deposits }: Questions, reason: UnknownReason): Readings {
  return { wallets: wallets.map(() => reason), deposits: deposits.map(() => reason) };
}
