import type { DeliveryRecord } from "../settlement/vocabulary.ts";
import type { Fact, OrderState } from "./fact.ts";

export type Step = Pick<Fact, "type" | "seq" | "data" | "occurredAt">;

/**
 * Returns the time of the delivery: of the first record on the chain that matches a delivery, or of that delivery if it
 * came later. Without a matching record, the time of the first delivery counts; null if there is no delivery.
 *
 * @param effective the unreverted facts, in any order
 */
export function deliveredAtOf(effective: readonly Step[]): Date | null {
  const deliveries = ofType(effective, "order.delivered").map(({ occurredAt }) => occurredAt.getTime());
  return earliest(matchesOf(effective).map(({ at }) => at)) ?? earliest(deliveries);
}

/** Finds the records that match a delivery and claim no more than its charge, each with the time (ms) at which both existed. */
export function matchesOf(effective: readonly Step[]): { record: Step; at: number }[] {
  const deliveries = new Map<string, Step>();
  for (const delivery of ofType(effective, "order.delivered")) {
    const hash = hashIn(delivery);
    if (hash && delivery.seq < (deliveries.get(hash)?.seq ?? Infinity)) deliveries.set(hash, delivery);
  }
  return ofType(effective, "delivery.recorded").flatMap((record) => {
    const delivery = deliveries.get(hashIn(record) ?? "");
    if (!delivery || claimsMore(record, delivery)) return [];
    const recordedAt = record.occurredAt.getTime();
    // The ledger's order decides, since the chain's clock and ours differ by seconds.
    const isLate = delivery.seq > record.seq;
    return [{ record, at: isLate ? Math.max(delivery.occurredAt.getTime(), recordedAt) : recordedAt }];
  });
}

/** Whether a record claims more on the chain than its delivery charges here. Without an amount, both mean the whole order. */
function claimsMore(record: Step, delivery: Step): boolean {
  const charge = chargeOf(delivery);
  if (charge === null) return false;
  const earned = record.data.earned_base_units;
  return typeof earned !== "string" || BigInt(earned) > charge;
}

/** Returns the price of the units of a metered delivery in base units; null for another delivery, or without one. */
export function chargeOf(delivery: Pick<Step, "data"> | null | undefined): bigint | null {
  const charge = delivery?.data.charge_base_units;
  return typeof charge === "string" ? BigInt(charge) : null;
}

/** Returns the units of a metered delivery; null for another delivery, or without one. */
export function unitsOf(delivery: Pick<Step, "data"> | null): number | null {
  const units = delivery?.data.units;
  return typeof units === "number" ? units : null;
}

export function earliest(times: readonly number[]): Date | null {
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

/** Returns whether the folded facts have a delivery record, and whether it matches. */
export function deliveryRecordOf(state: Pick<OrderState, "autoReleaseAt" | "releaseDueAt">): DeliveryRecord {
  if (!state.autoReleaseAt) return "none";
  return state.releaseDueAt ? "matched" : "unmatched";
}

/**
 * Whether the order was delivered, as far as this service knows. There is a delivery, and if the chain has delivery
 * records, one of them matches a delivery.
 */
export function isDelivered(effective: readonly Step[]): boolean {
  if (ofType(effective, "order.delivered").length === 0) return false;
  const records = [...ofType(effective, "delivery.recorded"), ...ofType(effective, "part.recorded")];
  return records.length === 0 || matchesOf(effective).length > 0;
}

export function ofType<S extends Step>(steps: readonly S[], type: Fact["type"]): S[] {
  return steps.filter((step) => step.type === type);
}

function hashIn({ data }: Step): string | null {
  return typeof data.output_hash === "string" ? data.output_hash : null;
}
