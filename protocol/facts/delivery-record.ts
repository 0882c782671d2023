import type { DeliveryRecord } from "../settlement/vocabulary.ts";
import type { Fact, OrderState } from "./fact.ts";

export type Step = Pick<Fact, "type" | "seq" | "data" | "occurredAt">;

/**
 * When what was paid for was delivered: by the first record on the chain that matches a delivery, or by that delivery where
 * it came after the record; where no record matches, by the first delivery; null where nothing was delivered here.
 *
 * @param standing the facts that count, in any order
 */
export function deliveredAtOf(standing: readonly Step[]): Date | null {
  const deliveries = ofType(standing, "order.delivered").map(({ occurredAt }) => occurredAt.getTime());
  return earliest(matchesOf(standing).map(({ at }) => at)) ?? earliest(deliveries);
}

/** The records that match a delivery, each with the time (ms) from which both were there. */
export function matchesOf(standing: readonly Step[]): { record: Step; at: number }[] {
  const deliveries = new Map<string, Step>();
  for (const delivery of ofType(standing, "order.delivered")) {
    const hash = hashIn(delivery);
    if (hash && delivery.seq < (deliveries.get(hash)?.seq ?? Infinity)) deliveries.set(hash, delivery);
  }
  return ofType(standing, "delivery.recorded").flatMap((record) => {
    const delivery = deliveries.get(hashIn(record) ?? "");
    if (!delivery) return [];
    const recordedAt = record.occurredAt.getTime();
    // By the ledger's order, since the chain's clock and ours differ by seconds.
    const isLate = delivery.seq > record.seq;
    return [{ record, at: isLate ? Math.max(delivery.occurredAt.getTime(), recordedAt) : recordedAt }];
  });
}

export function earliest(times: readonly number[]): Date | null {
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

/** What the facts that were folded say of the delivery's record. */
export function deliveryRecordOf(state: Pick<OrderState, "autoReleaseAt" | "releaseDueAt">): DeliveryRecord {
  if (!state.autoReleaseAt) return "none";
  return state.releaseDueAt ? "matched" : "unmatched";
}

/**
 * Whether what was paid for was delivered, as far as this service can say: something was delivered here, and if the
 * chain has records of deliveries, one of them is of such a delivery.
 */
export function isDelivered(standing: readonly Step[]): boolean {
  if (ofType(standing, "order.delivered").length === 0) return false;
  return ofType(standing, "delivery.recorded").length === 0 || matchesOf(standing).length > 0;
}

export function ofType<S extends Step>(steps: readonly S[], type: Fact["type"]): S[] {
  return steps.filter((step) => step.type === type);
}

function hashIn({ data }: Step): string | null {
  return typeof data.output_hash === "string" ? data.output_hash : null;
}
