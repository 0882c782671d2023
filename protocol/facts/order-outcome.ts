import type { Party } from "../settlement/vocabulary.ts";
import { chargeOf, deliveredAtOf } from "./delivery-record.ts";
import type { Fact } from "./fact.ts";
import { effectiveFacts } from "./lifecycle.ts";

/** An order's outcome by its facts, as its provider's reputation counts it. Amounts in base units. */
export type OrderOutcome = {
  released: bigint;
  refunded: bigint;
  /** the wallet that funded the escrow, in lower case; the order's deposit address if the money came from there */
  payer: string;
  fundedAt: Date;
  settledAt: Date;
  deliveredAt: Date | null;
  /**
   * `declined`: the provider returned everything without a dispute, before the delivery was due; `metered`: a metered order
   * released its charge, or a session the price of its calls, if any, and returned any rest, without a dispute
   */
  ended: "released" | "refunded" | "declined" | "split" | "metered";
  /** the side that won its dispute; `lapsed` if nobody decided it */
  dispute: "provider" | "buyer" | "split" | "lapsed" | null;
  disputedBy: Party | null;
  disputedAt: Date | null;
  /** the time at which the ledger recorded the settlement */
  recordedAt: Date;
};

/**
 * Folds an order's facts into its outcome.
 *
 * @param order its amount in base units
 * @param deliveryWindow in seconds
 * @param pricingModel tells a session, which has no delivery, from another order that is paid in part
 * @returns null if the order is not settled, or a reorganisation has reverted a part of its settlement
 */
export function foldOutcome(
  facts: readonly (Fact & { recordedAt: Date })[],
  {
    amount,
    deliveryWindow,
    pricingModel,
  }: { amount: bigint; deliveryWindow: number; pricingModel?: string | undefined },
): OrderOutcome | null {
  const effective = effectiveFacts(facts).sort((a, b) => a.seq - b.seq);
  const first = (type: Fact["type"]) => effective.find((fact) => fact.type === type);
  const funded = first("order.funded");
  const settling = [first("order.released"), first("order.refunded")].filter((fact) => fact !== undefined);
  const released = amountIn(first("order.released"));
  const refunded = amountIn(first("order.refunded"));
  if (!funded || settling.length === 0 || released + refunded !== amount) return null;

  const disputed = first("order.disputed");
  const delivery = effective.findLast(({ type }) => type === "order.delivered");
  const charge = delivery ? chargeOf(delivery) : null;
  // A session has no delivery: the buyer has signed for what its calls cost.
  const isSession = pricingModel === "per_call";
  const settledAt = latest(settling.map(({ occurredAt }) => occurredAt));
  const deadline = funded.occurredAt.getTime() + deliveryWindow * 1000;
  return {
    released,
    refunded,
    payer: String(funded.data.payer).toLowerCase(),
    fundedAt: funded.occurredAt,
    settledAt,
    deliveredAt: deliveredAtOf(effective),
    ended: endedAs(),
    dispute: disputed ? (first("order.dispute_decided") ? decidedFor() : "lapsed") : null,
    disputedBy: disputed ? (disputed.data.party === "buyer" ? "buyer" : "provider") : null,
    disputedAt: disputed?.occurredAt ?? null,
    recordedAt: latest(settling.map(({ recordedAt }) => recordedAt)),
  };

  function endedAs(): OrderOutcome["ended"] {
    if (isSession && !disputed) return "metered";
    if (released > 0n && released === charge && refunded > 0n && !disputed) return "metered";
    if (released > 0n) return refunded > 0n ? "split" : "released";
    // Until the deadline, only the provider can refund, except through a dispute.
    return !disputed && settledAt.getTime() <= deadline ? "declined" : "refunded";
  }

  function decidedFor(): "provider" | "buyer" | "split" {
    if (released > 0n && refunded > 0n) return "split";
    return released > 0n ? "provider" : "buyer";
  }
}

function amountIn(fact: Fact | undefined): bigint {
  return fact ? BigInt(String(fact.data.amount_base_units)) : 0n;
}

function latest(times: readonly Date[]): Date {
  return new Date(Math.max(...times.map((time) => time.getTime())));
}
