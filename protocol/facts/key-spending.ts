import type { Fact } from "./fact.ts";
import { effectiveFacts, foldFacts } from "./lifecycle.ts";

/** The amount of an order that counts against its keys' limits. */
export type Spending = {
  /** base units that do not count: the refund of its escrow, or everything if it was never paid */
  refunded: bigint;
  /** whether the amount may still change */
  isOpen: boolean;
};

/**
 * Folds an order's facts into its spending. An amount is given back when the order expires, when its approval is
 * refused, and as far as its escrow is refunded. If that fact is reverted, or the order is paid after all, the amount counts again.
 *
 * @param amount the order's amount in base units
 */
export function foldSpending(facts: readonly Fact[], amount: bigint): Spending {
  const { status, approvalStatus, fundedAt } = foldFacts(facts);
  if (fundedAt === null && (status === "expired" || approvalStatus === "refused")) {
    return { refunded: amount, isOpen: false };
  }
  const refunded = effectiveFacts(facts)
    .filter(({ type }) => type === "order.refunded")
    .reduce((sum, { data }) => sum + BigInt(String(data.amount_base_units ?? 0)), 0n);
  return { refunded, isOpen: status !== "released" && status !== "refunded" };
}

/** Whether a fact may change an order's spending. */
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
