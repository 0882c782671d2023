import type { Fact } from "./fact.ts";
import { foldFacts, standingFacts } from "./lifecycle.ts";

/** What an order means for the keys that it counts against. */
export type Spending = {
  /** base units that count no more: what came back of its escrow, or all of what nobody paid */
  refunded: bigint;
  /** whether it may still come to something */
  isOpen: boolean;
};

/**
 * Folds an order's facts into what it counts. It is given back when the order expires, when its approval is refused, and
 * as far as its escrow is refunded. A fact that is reverted takes it again, as does the chain's word that it was paid.
 *
 * @param amount the order's, in base units
 */
export function foldSpending(facts: readonly Fact[], amount: bigint): Spending {
  const { status, approvalStatus, fundedAt } = foldFacts(facts);
  if (fundedAt === null && (status === "expired" || approvalStatus === "refused")) {
    return { refunded: amount, isOpen: false };
  }
  const refunded = standingFacts(facts)
    .filter(({ type }) => type === "order.refunded")
    .reduce((sum, { data }) => sum + BigInt(String(data.amount_base_units ?? 0)), 0n);
  return { refunded, isOpen: status !== "released" && status !== "refunded" };
}

/** Whether a fact may change what an order counts. */
export function changesSpending({ type }: Pick<Fact, "type">): boolean {
  return changing.has(type);
}
const changing: ReadonlySet<Fact["type"]> = new Set<Fact["type"]>([
  "order.expired",
  "order.approval_refused",
  "order.funded",
  "order.released",
  "order.refunded",
  "fact.reverted",
]);
