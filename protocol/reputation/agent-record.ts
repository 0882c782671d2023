import * as z from "zod";
import { dueAt, type Outcome } from "./public-outcome.ts";
import { releasedVolume, volumeSchema } from "./volume.ts";

/** The most other agents with the same wallets that a record lists. */
export const mostOfWallet = 1000;

const count = z.int().nonnegative();
const quantiles = z
  .strictObject({ median: count.nullable(), p90: count.nullable() })
  .describe("nearest-rank percentiles in whole seconds; null without orders");

/** The sums of a period's outcomes. All members except `apart` count only orders at arm's length. */
export const tallySchema = z.strictObject({
  orders: count,
  volume: volumeSchema,
  counterparties: count,
  repeat_counterparties: count.describe("counterparties with at least two orders"),
  delivered_on_time: count,
  delivered_late: count,
  not_delivered: count.describe(
    "orders without a delivery on this service that were neither declined nor sessions",
  ),
  seconds_promised: quantiles,
  seconds_taken: quantiles.describe("seconds from funding to delivery, of delivered orders"),
  refunds: count.describe("fully refunded orders, without declined orders"),
  declined: count,
  disputes: z.strictObject({ provider: count, buyer: count, split: count, lapsed: count }),
  apart: z.strictObject({ orders: count, volume: volumeSchema }),
});
export type Tally = z.infer<typeof tallySchema>;

/** An agent's or service's record: of all orders, and of those settled in the last 90 and 30 days. */
export const recordSchema = z.strictObject({ ever: tallySchema, days_90: tallySchema, days_30: tallySchema });
export type AgentRecord = z.infer<typeof recordSchema>;

const day = 86_400_000;

/**
 * Sums outcomes, in any order, to a record as of a time.
 *
 * @param asOf the end of the last 90 and 30 days
 */
export function foldOutcomes(outcomes: readonly Outcome[], asOf: Date): AgentRecord {
  const since = (days: number) =>
    outcomes.filter(({ settled_at }) => Date.parse(settled_at) > asOf.getTime() - days * day);
  return { ever: tallyOf(outcomes), days_90: tallyOf(since(90)), days_30: tallyOf(since(30)) };
}

function tallyOf(all: readonly Outcome[]): Tally {
  const outcomes = all.filter(({ apart }) => apart === null);
  const apart = all.filter(({ apart }) => apart !== null);
  const orders = Map.groupBy(outcomes, ({ counterparty }) => counterparty);
  const deliveries = Map.groupBy(outcomes, deliveryOf);
  const countIf = (holds: (outcome: Outcome) => boolean) => outcomes.filter(holds).length;
  return {
    orders: outcomes.length,
    volume: releasedVolume(outcomes),
    counterparties: orders.size,
    repeat_counterparties: [...orders.values()].filter(({ length }) => length > 1).length,
    delivered_on_time: deliveries.get("on_time")?.length ?? 0,
    delivered_late: deliveries.get("late")?.length ?? 0,
    not_delivered: deliveries.get("none")?.length ?? 0,
    seconds_promised: spreadOf(outcomes.map(({ promised_seconds }) => promised_seconds)),
    seconds_taken: spreadOf(outcomes.flatMap(secondsTaken)),
    refunds: countIf(({ ended }) => ended === "refunded"),
    declined: countIf(({ ended }) => ended === "declined"),
    disputes: {
      provider: countIf(({ dispute }) => dispute === "provider"),
      buyer: countIf(({ dispute }) => dispute === "buyer"),
      split: countIf(({ dispute }) => dispute === "split"),
      lapsed: countIf(({ dispute }) => dispute === "lapsed"),
    },
    apart: { orders: apart.length, volume: releasedVolume(apart) },
  };
}

/** An order that was declined, and a session, whose calls are answered at once, have no delivery to count. */
function deliveryOf(outcome: Outcome): "on_time" | "late" | "none" | "not_due" {
  if (outcome.delivered_at === null) {
    return outcome.ended === "declined" || outcome.ended === "metered" ? "not_due" : "none";
  }
  return Date.parse(outcome.delivered_at) <= dueAt(outcome) ? "on_time" : "late";
}

/** Returns nothing without a delivery. The service's clock may be behind the chain's, so the minimum is zero. */
function secondsTaken({ funded_at, delivered_at }: Outcome): number[] {
  if (delivered_at === null) return [];
  return [Math.max(0, Math.floor((Date.parse(delivered_at) - Date.parse(funded_at)) / 1000))];
}

/** Computes nearest-rank percentiles: the smallest value that this share of all values does not exceed. */
function spreadOf(values: number[]): Tally["seconds_taken"] {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (percent: number) => sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? null;
  return { median: rank(50), p90: rank(90) };
}
