import type { ApprovalStatus, OrderStatus } from "../settlement/vocabulary.ts";
import { autoReleaseOf, releaseDueOf } from "./auto-release.ts";
import { chargeOf, stageOf, unitsOf } from "./delivery-record.ts";
import type { Fact, FactType, OffChainStep, OrderState } from "./fact.ts";
import { acceptedStagesIn, isPaidStage, openStageIn } from "./stage-facts.ts";

/**
 * An order is the fold of its facts. This file has that fold, and the rules for which step may follow which. It knows no
 * database and no HTTP.
 */

/** The most delivery records of one order that become events: a record costs cents, so a provider could flood the buyer. */
const mostAnnouncedRecords = 10;

/**
 * Whether a fact becomes an event for webhooks and the feed. Other facts are in the trail alone. The record that
 * delivers always becomes one, however many records of parts came before it.
 *
 * @param steps all facts of the order
 */
export function isAnnounced(
  { id, type, data }: Pick<Fact, "id" | "type" | "data">,
  steps: readonly Pick<Fact, "id" | "type" | "data">[],
): boolean {
  if (type === "delivery.recorded") {
    const first = effectiveFacts(steps).find((step) => step.type === type);
    return Number(data.number) <= mostAnnouncedRecords || first?.id === id;
  }
  if (type === "part.recorded") return Number(data.number) <= mostAnnouncedRecords;
  return type !== "dispute.statement";
}

/** Whether a fact concerns the buyer alone: no other party gets or sees it. */
export function concernsBuyerAlone({ type }: { type: string }): boolean {
  return buyerOnlyFacts.has(type);
}
export const buyerOnlyFacts: ReadonlySet<string> = new Set([
  "order.approval_requested",
  "order.approved",
  "order.approval_refused",
] satisfies FactType[]);

/** Whether a fact of a disputed order is sent to its arbiter, too. */
export function concernsArbiter({ type }: { type: FactType }): boolean {
  return arbitersConcerns.has(type);
}
const arbitersConcerns: ReadonlySet<FactType> = new Set([
  "order.delivered",
  "delivery.recorded",
  "order.disputed",
  "order.dispute_decided",
  "order.released",
  "order.refunded",
  "fact.reverted",
]);

/** The steps that show the progress of the provider's work: the last one counts. */
const workSteps: ReadonlySet<FactType> = new Set([
  "order.started",
  "order.delivered",
  "order.revision_requested",
]);

/** Returns the facts in effect: neither reverted facts nor the reverts themselves. */
export function effectiveFacts<T extends Pick<Fact, "id" | "data"> & { type: string }>(
  facts: readonly T[],
): T[] {
  const reverted = new Set(
    facts.filter((fact) => fact.type === "fact.reverted").map((fact) => fact.data.fact_id),
  );
  return facts.filter((fact) => fact.type !== "fact.reverted" && !reverted.has(fact.id));
}

/**
 * Folds an order's facts into its state.
 *
 * Off-chain steps count in the order of the ledger. A chain fact counts whenever it arrives, because the chain decides.
 * It is never refused because of an off-chain state. A fact that a later `fact.reverted` names does not count.
 */
export function foldFacts(facts: readonly Fact[]): OrderState {
  const effective = effectiveFacts(facts).sort((a, b) => a.seq - b.seq);
  const first = (type: FactType) => effective.find((fact) => fact.type === type) ?? null;
  const last = (type: FactType) => effective.findLast((fact) => fact.type === type) ?? null;

  const funded = first("order.funded");
  const released = first("order.released");
  const refunded = first("order.refunded");
  const settled = released ?? refunded;
  const requested = first("order.approval_requested");
  const decided = first("order.approved") ?? first("order.approval_refused");
  const work = effective.findLast(({ type }) => workSteps.has(type)) ?? null;
  const delivered = last("order.delivered");
  // After a paid stage, the provider works on the next one.
  const awaitsAcceptance = work?.type === "order.delivered" && !isPaidStage(work, effective);
  const status = statusOf();

  return {
    status,
    fundedAt: funded?.occurredAt ?? null,
    startedAt: first("order.started")?.occurredAt ?? null,
    deliveredAt: delivered?.occurredAt ?? null,
    deliveryDeadline: timeIn(funded, "delivery_deadline"),
    acceptanceEndsAt: timeIn(awaitsAcceptance ? work : null, "acceptance_ends_at"),
    autoReleaseAt: autoReleaseOf(effective),
    releaseDueAt: releaseDueOf(effective),
    deliveredUnits: unitsOf(delivered),
    charge: chargeOf(delivered),
    deliveredStage: stageOf(delivered),
    acceptedStages: acceptedStagesIn(effective),
    disputedAt: first("order.disputed")?.occurredAt ?? null,
    completedAt: settled?.occurredAt ?? null,
    approvalStatus: approvalOf(),
    approvalRequestedAt: requested?.occurredAt ?? null,
    approvalDecidedAt: decided?.occurredAt ?? null,
    approvalDecidedBy: typeof decided?.data.decided_by === "string" ? decided.data.decided_by : null,
    revisionRequested: effective.some(
      (step) => step.type === "order.revision_requested" && stageOf(step) === stageOf(delivered),
    ),
  };

  function approvalOf(): ApprovalStatus | null {
    if (decided) return decided.type === "order.approved" ? "approved" : "refused";
    if (!requested) return null;
    // The approval lapses if the order is paid past the service, or expires.
    return status === "created" ? "pending" : "lapsed";
  }

  function statusOf(): OrderStatus {
    // A split has both facts; the contract emits "released" only for an amount above zero.
    if (released) return "released";
    if (refunded) return "refunded";
    if (first("order.disputed")) return "disputed";
    if (!funded) return first("order.expired") ? "expired" : "created";
    if (!work) return "funded";
    return awaitsAcceptance ? "delivered" : "started";
  }
}

function timeIn(fact: Fact | null, field: string): Date | null {
  const value = fact?.data[field];
  return typeof value === "string" ? new Date(value) : null;
}

/** The statuses that allow each off-chain step. The contract decides chain steps. */
export const stepStatuses: Record<
  Exclude<OffChainStep, "order.created" | "order.approval_requested">,
  readonly OrderStatus[]
> = {
  "order.approved": ["created"],
  "order.approval_refused": ["created"],
  "order.expired": ["created"],
  "order.started": ["funded"],
  "order.delivered": ["started", "disputed"],
  "order.revision_requested": ["delivered"],
  "order.dispute_intent": ["funded", "started", "delivered"],
  "dispute.statement": ["disputed"],
};

/** Explains why an off-chain step is refused in this state; null if it is allowed. */
export function refuseStep(state: OrderState, step: keyof typeof stepStatuses): string | null {
  const from = stepStatuses[step];
  if (!from.includes(state.status)) {
    return `The order is ${state.status}; this step needs it to be ${from.join(" or ")}.`;
  }
  const { approvalStatus } = state;
  if (step === "order.approved" && approvalStatus !== null && approvalStatus !== "pending") {
    return `The order's approval is ${approvalStatus} already: a decision is final.`;
  }
  if (step === "order.approval_refused" && approvalStatus !== "pending") {
    return "The order does not wait for an approval.";
  }
  if (step === "order.revision_requested" && state.revisionRequested) {
    return "A revision was already requested: a buyer may request only one.";
  }
  return null;
}

/** The most deliveries, each of which replaces the last: far more than start, revision and dispute need. */
const mostDeliveries = 10;
/** The most deliveries of one stage. The records of all stages stay within those that the index keeps. */
const mostOfStage = 3;

/**
 * Explains why the provider cannot deliver now; null if it can. During a dispute, the contract takes a record until the
 * delivery deadline, and before a decision. Without a dispute, the buyer judges lateness.
 */
export function refuseDelivery(facts: readonly Fact[], now: Date): string | null {
  const state = foldFacts(facts);
  const refusal = refuseStep(state, "order.delivered");
  if (refusal) return refusal;
  const effective = effectiveFacts(facts);
  const stage = openStageIn(effective);
  const most = stage === null ? mostDeliveries : mostOfStage;
  const earlier = effective.filter((fact) => fact.type === "order.delivered" && stageOf(fact) === stage);
  if (earlier.length >= most) {
    const what = stage === null ? "order" : "stage";
    return `The ${what} has ${most} deliveries, the maximum.`;
  }
  if (state.status !== "disputed") return null;
  if (effective.some(({ type }) => type === "order.dispute_decided")) {
    return "The dispute is decided: no further delivery is possible.";
  }
  if (state.deliveryDeadline && now > state.deliveryDeadline) {
    return `The delivery deadline was ${state.deliveryDeadline.toISOString()}; a disputed order takes no delivery after it.`;
  }
  return null;
}
