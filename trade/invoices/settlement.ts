import type { FoldableFact } from "../../db/order-rows.ts";
import { effectiveFacts } from "../../protocol/facts/lifecycle.ts";
import { paidIn } from "../../protocol/facts/stage-facts.ts";

/** The steps that move money, in the order of the ledger. */
const movements: ReadonlySet<string> = new Set([
  "order.funded",
  "order.part_released",
  "order.released",
  "order.refunded",
]);

/** The end of an order: its amounts in base units, and the facts that moved them. */
export type Settlement = {
  /** the fact that ended the order: a split ends by its release */
  fact: FoldableFact;
  /** what the provider got, with all parts */
  paid: bigint;
  refunded: bigint;
  movements: FoldableFact[];
};

/** Returns the settlement that the facts of an order state; null before the end. */
export function settlementOf(facts: readonly FoldableFact[]): Settlement | null {
  const effective = effectiveFacts(facts);
  const first = (type: FoldableFact["type"]) => effective.find((fact) => fact.type === type);
  const refund = first("order.refunded");
  const fact = first("order.released") ?? refund;
  if (!fact) return null;
  return {
    fact,
    paid: paidIn(effective),
    refunded: refund ? BigInt(String(refund.data.amount_base_units)) : 0n,
    movements: effective.filter(({ type }) => movements.has(type)),
  };
}

/** Returns the facts as they were before the first revert that followed a fact. */
export function factsBeforeRevert(facts: readonly FoldableFact[], factId: string): FoldableFact[] {
  const settled = facts.find(({ id }) => id === factId);
  const revert = facts.find(({ type, seq }) => type === "fact.reverted" && seq > (settled?.seq ?? 0));
  return facts.filter(({ seq }) => seq < (revert?.seq ?? Number.POSITIVE_INFINITY));
}
