import type { Party } from "../settlement/vocabulary.ts";
import { deliveredAtOf } from "./delivery-record.ts";
import type { Fact } from "./fact.ts";
import { standingFacts } from "./lifecycle.ts";

/** How an order ended, as its facts say: what its provider's reputation counts of it. Amounts in base units. */
export type OrderOutcome = {
  released: bigint;
  refunded: bigint;
  /** who funded the escrow, in lower case; the order's deposit address where the money waited there */
  payer: string;
  fundedAt: Date;
  settledAt: Date;
  deliveredAt: Date | null;
  /** `declined`: its provider gave all back by itself, undisputed, before the delivery was due */
  ended: "released" | "refunded" | "declined" | "split";
  /** for whom its dispute ended; `lapsed` where nobody decided it */
  dispute: "provider" | "buyer" | "split" | "lapsed" | null;
  disputedBy: Party | null;
  disputedAt: Date | null;
  /** when the ledger learned of the settlement */
  recordedAt: Date;
};

/**
 * Folds an order's facts into its outcome.
 *
 * @param order its amount in base units
 * @param deliveryWindow in seconds
 * @returns null where it is not settled, or not all of its settlement stands: a reorganisation takes facts one by one
 */
export function foldOutcome(
  facts: readonly (Fact & { recordedAt: Date })[],
  { amount, deliveryWindow }: { amount: bigint; deliveryWindow: number },
): OrderOutcome | null {
  const standing = standingFacts(facts).sort((a, b) => a.seq - b.seq);
  const first = (type: Fact["type"]) => standing.find((fact) => fact.type === type);
  const funded = first("order.funded");
  const settling = [first("order.released"), first("order.refunded")].filter((fact) => fact !== undefined);
  const released = amountIn(first("order.released"));
  const refunded = amountIn(first("order.refunded"));
  if (!funded || settling.length === 0 || released + refunded !== amount) return null;

  const disputed = first("order.disputed");
  const settledAt = latest(settling.map(({ occurredAt }) => occurredAt));
  const deadline = funded.occurredAt.getTime() + deliveryWindow * 1000;
  return {
    released,
    refunded,
    payer: String(funded.data.payer).toLowerCase(),
    fundedAt: funded.occurredAt,
    settledAt,
    deliveredAt: deliveredAtOf(standing),
    ended: endedAs(),
    dispute: disputed ? (first("order.dispute_decided") ? decidedFor() : "lapsed") : null,
    disputedBy: disputed ? (disputed.data.party === "buyer" ? "buyer" : "provider") : null,
    disputedAt: disputed?.occurredAt ?? null,
    recordedAt: latest(settling.map(({ recordedAt }) => recordedAt)),
  };

  function endedAs(): OrderOutcome["ended"] {
    if (released > 0n) return refunded > 0n ? "split" : "released";
    // Until the deadline the contract lets nobody but the provider give the money back, but by a dispute.
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
