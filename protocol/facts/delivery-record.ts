import type { StageClaim } from "../settlement/stages.ts";
import type { DeliveryRecord } from "../settlement/vocabulary.ts";
import type { Fact, OrderState } from "./fact.ts";

export type StepFact = Pick<Fact, "type" | "seq" | "data" | "occurredAt">;

/**
 * Returns the time of the delivery: the first moment at which a delivery and a matching record on the chain both exist.
 * Without a matching record, the time of the first delivery counts; null if there is no delivery.
 *
 * @param effective the unreverted facts, in any order
 */
export function deliveredAtOf(effective: readonly StepFact[]): Date | null {
  const deliveries = wholeDeliveriesOf(effective).map(({ occurredAt }) => occurredAt.getTime());
  return earliest(wholeMatchesOf(effective).map(({ at }) => at)) ?? earliest(deliveries);
}

/** Returns the deliveries of the whole work: of an order in stages, those of the last stage. */
function wholeDeliveriesOf(effective: readonly StepFact[]): StepFact[] {
  return ofType(effective, "order.delivered").filter(({ data }) => data.is_final !== false);
}

function wholeMatchesOf(effective: readonly StepFact[]): { record: StepFact; at: number }[] {
  return matchesOf(effective).filter(({ record }) => record.type === "delivery.recorded");
}

/**
 * Finds the records that match a delivery and claim no more than it, each with the time (ms) at which both existed. Only the
 * delivery of a stage is recorded by a part that is not final.
 */
export function matchesOf<S extends StepFact>(effective: readonly S[]): { record: S; at: number }[] {
  const deliveries = Map.groupBy(
    ofType(effective, "order.delivered").sort((one, other) => one.seq - other.seq),
    hashIn,
  );
  return recordsOf(effective).flatMap((record) => {
    const hash = hashIn(record);
    const same = hash === null ? [] : (deliveries.get(hash) ?? []);
    const delivery = same.find((one) => !claimsMore(record, one));
    if (!delivery) return [];
    const recordedAt = record.occurredAt.getTime();
    // The ledger's order decides, since the chain's clock and ours differ by seconds.
    const isLate = delivery.seq > record.seq;
    return [{ record, at: isLate ? Math.max(delivery.occurredAt.getTime(), recordedAt) : recordedAt }];
  });
}

/** Returns the records of deliveries and parts on the chain. */
export function recordsOf<S extends StepFact>(effective: readonly S[]): S[] {
  return effective.filter(({ type }) => type === "delivery.recorded" || type === "part.recorded");
}

/**
 * Whether a record claims more on the chain than its delivery here: a higher sum, or an end that comes too early or too late.
 * Without an amount, both mean the whole order.
 */
function claimsMore(record: StepFact, delivery: StepFact): boolean {
  const claim = claimOf(delivery);
  const isFinal = record.type === "delivery.recorded";
  if (claim === null) return !isFinal;
  const earned = record.data.earned_base_units;
  return claim.isFinal !== isFinal || typeof earned !== "string" || BigInt(earned) > claim.sum;
}

/** Returns the part of the amount that a delivery claims; null for the whole amount. */
function claimOf({ data }: Pick<StepFact, "data">): StageClaim | null {
  const charge = chargeOf({ data });
  if (charge !== null) return { sum: charge, isFinal: true };
  return stageOf({ data }) === null
    ? null
    : { sum: BigInt(String(data.earned_base_units)), isFinal: data.is_final === true };
}

/** Returns the stage of a delivery or of a request for changes, from 1; null for an order without stages. */
export function stageOf(step: Pick<StepFact, "data"> | null | undefined): number | null {
  const stage = step?.data.stage;
  return typeof stage === "number" ? stage : null;
}

/** Returns the price of the units of a metered delivery in base units; null for another delivery, or without one. */
export function chargeOf(delivery: Pick<StepFact, "data"> | null | undefined): bigint | null {
  const charge = delivery?.data.charge_base_units;
  return typeof charge === "string" ? BigInt(charge) : null;
}

/** Returns the units of a metered delivery; null for another delivery, or without one. */
export function unitsOf(delivery: Pick<StepFact, "data"> | null): number | null {
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
export function isDelivered(effective: readonly StepFact[]): boolean {
  if (wholeDeliveriesOf(effective).length === 0) return false;
  const records = recordsOf(effective);
  return records.length === 0 || wholeMatchesOf(effective).length > 0;
}

export function ofType<S extends StepFact>(steps: readonly S[], type: Fact["type"]): S[] {
  return steps.filter((step) => step.type === type);
}

function hashIn({ data }: StepFact): string | null {
  return typeof data.output_hash === "string" ? data.output_hash : null;
}
