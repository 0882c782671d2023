import type { Fact } from "./fact.ts";
import { effectiveFacts, foldFacts } from "./lifecycle.ts";

/** How far an order's amount counts against its keys' limits. */
export type CountedAmount = {
  /** base units that do not count: the refund of its escrow, or everything if it was never paid */
  refunded: bigint;
  /** whether the amount may still change */
  isOpen: boolean;
};

/**
 * Computes from an order's facts how far its amount counts. The amount is given back when the order expires, when its
 * approval is refused, and as far as its escrow is refunded. If that fact is reverted, or the order is paid after all,
 * the amount counts again.
 *
 * @param amount the order's amount in base units
 */
export function countedAmountOf(facts: readonly Fact[], amount: bigint): CountedAmount {
  const { status, approvalStatus, fundedAt } = foldFacts(facts);
  if (fundedAt === null && (status === "expired" || approvalStatus === "refused")) {
    return { refunded: amount, isOpen: false };
  }
  const refunded = effectiveFacts(facts)
    .filter(({ type }) => type === "order.refunded")
    .reduce((sum, { data }) => sum + BigInt(String(data.amount_base_units ?? 0)), 0n);
  return { refunded, isOpen: status !== "released" && status !== "refunded" };
}

/** Whether a fact may change how far an order's amount counts. */
export function changesCountedAmount({ type }: Pick<Fact, "type">): boolean {
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
