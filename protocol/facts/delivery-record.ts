import type { DeliveryRecord } from "../settlement/vocabulary.ts";
import type { Fact, OrderState } from "./fact.ts";

type Step = Pick<Fact, "type" | "seq" | "data" | "occurredAt">;

/**
 * From when the service itself releases: the buyer has had the whole acceptance window since the first record that
 * matches a delivery, and since that delivery where it came after the record. A later revision or record does not move it.
 *
 * @param standing the facts that count, in any order
 * @returns null while no record matches
 */
export function releaseDueOf(standing: readonly Step[]): Date | null {
  return earliest(
    matchesOf(standing).map(({ record, at }) => {
      const window = millisecondsIn(record, "auto_release_at") - millisecondsIn(record, "delivered_at");
      return at + window;
    }),
  );
}

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
function matchesOf(standing: readonly Step[]): { record: Step; at: number }[] {
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

function earliest(times: readonly number[]): Date | null {
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
  return ofType(standing, "delivery.recorded").length === 0 || releaseDueOf(standing) !== null;
}

function ofType<S extends Step>(steps: readonly S[], type: Fact["type"]): S[] {
  return steps.filter((step) => step.type === type);
}

function hashIn({ data }: Step): string | null {
  return typeof data.output_hash === "string" ? data.output_hash : null;
}

function millisecondsIn({ data }: Step, field: string): number {
  return Date.parse(String(data[field]));
}
