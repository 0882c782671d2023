import type { Random } from "../random.ts";
import type { VirtualChain } from "./chain.ts";
import type { Ledger, LedgerFact, Order } from "./ledger.ts";
import type { LogIndex } from "./log-index.ts";
import type { Relayer } from "./relayer.ts";

/** Seconds for which a fact is missing before it is taken back. */
const patience = 5;

/**
 * A worker that does a step at a time: it looks, and acts on what it saw, perhaps long after, beside others that do the
 * same. It may be killed between any two steps; then another begins.
 */
export function createWorker(
  {
    chain,
    index,
    ledger,
    relayer,
  }: { chain: VirtualChain; index: LogIndex; ledger: Ledger; relayer: Relayer },
  random: Random,
  now: () => number,
) {
  let toSettle: Order[] = [];
  let toRevert: { order: Order; fact: LedgerFact }[] = [];
  let missing = new Map<string, number>();

  function look(): void {
    toSettle = ledger.orders.filter(ledger.isBehind);
    const lost = ledger.orders.flatMap((order) => ledger.lost(order).map((fact) => ({ order, fact })));
    missing = new Map(lost.map(({ fact }) => [fact.id, missing.get(fact.id) ?? now()]));
    toRevert = lost.filter(({ fact }) => now() - (missing.get(fact.id) ?? now()) >= patience);
  }

  function act(): void {
    const order = toSettle.pop();
    if (order) ledger.settle(order);
    const gone = toRevert.pop();
    if (gone) {
      const { chain: place } = gone.fact;
      // The node's word, besides the index's.
      const block = chain.blocks[Number(place?.blockNumber)];
      if (place && block && block.hash !== place.blockHash) {
        ledger.revert(gone.order, gone.fact);
        relayer.reopen(place.transactionHash);
      }
    }
    if (ledger.orders.length > 0) ledger.returnBack(random.pick(ledger.orders));
  }

  return {
    /** Does one thing, or dies. */
    step(): void {
      const luck = random.fraction();
      if (luck < 0.05) [toSettle, toRevert, missing] = [[], [], new Map()];
      else if (luck < 0.4) look();
      else act();
    },
    /** Does all that there is to do. */
    finish(): void {
      look();
      while (toSettle.length + toRevert.length > 0) act();
      for (const order of ledger.orders) ledger.returnBack(order);
    },
    isIdle: () =>
      index.isTrue() &&
      !ledger.orders.some((order) => ledger.isBehind(order) || ledger.lost(order).length > 0),
  };
}
