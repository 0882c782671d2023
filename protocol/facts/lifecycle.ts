import type { Actor, ApprovalStatus, OrderStatus } from "../settlement/vocabulary.ts";
import { autoReleaseOf, releaseDueOf } from "./auto-release.ts";
import type { Fact, FactType, OffChainStep, OrderState } from "./fact.ts";

/**
 * An order is the fold of its facts. This file holds that fold and the rules about which
 * step may follow which; it knows nothing of databases or HTTP.
 */

/** A provider pays cents for a record on the chain, so those of one order beyond so many are told to nobody. */
const mostRecordsTold = 10;

/** Whether a fact is an event that webhooks and the feed tell; the others show in the trail alone. */
export function isAnnounced({ type, data }: Pick<Fact, "type" | "data">): boolean {
  if (type === "delivery.recorded") return Number(data.number) <= mostRecordsTold;
  return type !== "dispute.statement";
}

/** Whether a fact is the buyer's own business, which nobody else is told of or shown. */
export function concernsBuyerAlone({ type }: { type: string }): boolean {
  return buyersConcerns.has(type);
}
export const buyersConcerns: ReadonlySet<string> = new Set([
  "order.approval_requested",
  "order.approved",
  "order.approval_refused",
] satisfies FactType[]);

/** Whether a fact of a disputed order is told to its arbiter, besides its parties. */
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

/** The steps that say how far the provider's work is: the last one counts. */
const workSteps: ReadonlySet<FactType> = new Set([
  "order.started",
  "order.delivered",
  "order.revision_requested",
]);

/** The facts that count: neither those that a `fact.reverted` names, nor the reverts themselves. */
export function standingFacts<T extends Pick<Fact, "id" | "data"> & { type: string }>(
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
 * Off-chain steps count in the order of the ledger. A chain fact counts whenever it is there, however late or
 * early it arrived: the chain is the witness, so it is never refused because of an off-chain state. A fact that
 * a later `fact.reverted` names counts as if it had never been.
 */
export function foldFacts(facts: readonly Fact[]): OrderState {
  const standing = standingFacts(facts).sort((a, b) => a.seq - b.seq);
  const first = (type: FactType) => standing.find((fact) => fact.type === type) ?? null;
  const last = (type: FactType) => standing.findLast((fact) => fact.type === type) ?? null;

  const funded = first("order.funded");
  const released = first("order.released");
  const refunded = first("order.refunded");
  const settled = released ?? refunded;
  const requested = first("order.approval_requested");
  const decided = first("order.approved") ?? first("order.approval_refused");
  const work = standing.findLast(({ type }) => workSteps.has(type)) ?? null;
  const status = statusOf();

  return {
    status,
    fundedAt: funded?.occurredAt ?? null,
    startedAt: first("order.started")?.occurredAt ?? null,
    deliveredAt: last("order.delivered")?.occurredAt ?? null,
    deliveryDeadline: timeIn(funded, "delivery_deadline"),
    acceptanceEndsAt: timeIn(work?.type === "order.delivered" ? work : null, "acceptance_ends_at"),
    autoReleaseAt: autoReleaseOf(standing),
    releaseDueAt: releaseDueOf(standing),
    disputedAt: first("order.disputed")?.occurredAt ?? null,
    completedAt: settled?.occurredAt ?? null,
    approvalStatus: approvalOf(),
    approvalRequestedAt: requested?.occurredAt ?? null,
    approvalDecidedAt: decided?.occurredAt ?? null,
    approvalDecidedBy: typeof decided?.data.decided_by === "string" ? decided.data.decided_by : null,
    revisionRequested: first("order.revision_requested") !== null,
  };

  function approvalOf(): ApprovalStatus | null {
    if (decided) return decided.type === "order.approved" ? "approved" : "refused";
    if (!requested) return null;
    // Whoever paid it past the service has decided, as time has where nobody did.
    return status === "created" ? "pending" : "lapsed";
  }

  function statusOf(): OrderStatus {
    // A split has both; the contract says "released" only of an amount above zero.
    if (released) return "released";
    if (refunded) return "refunded";
    if (first("order.disputed")) return "disputed";
    if (!funded) return first("order.expired") ? "expired" : "created";
    if (!work) return "funded";
    return work.type === "order.delivered" ? "delivered" : "started";
  }
}

function timeIn(fact: Fact | null, field: string): Date | null {
  const value = fact?.data[field];
  return typeof value === "string" ? new Date(value) : null;
}

type Step = { by: readonly Actor[]; from: readonly OrderStatus[] };

/** Who may take which off-chain step, and from where. Chain steps are not here: the contract decides those. */
export const steps: Record<Exclude<OffChainStep, "order.created" | "order.approval_requested">, Step> = {
  "order.approved": { by: ["buyer"], from: ["created"] },
  "order.approval_refused": { by: ["buyer"], from: ["created"] },
  "order.expired": { by: ["service"], from: ["created"] },
  "order.started": { by: ["provider"], from: ["funded"] },
  "order.delivered": { by: ["provider"], from: ["started", "disputed"] },
  "order.revision_requested": { by: ["buyer"], from: ["delivered"] },
  "order.dispute_intent": { by: ["buyer", "provider"], from: ["funded", "started", "delivered"] },
  "dispute.statement": { by: ["buyer", "provider", "arbiter"], from: ["disputed"] },
};

/** Says why an off-chain step is refused in this state, or null if it may be taken. */
export function refuseStep(state: OrderState, step: keyof typeof steps): string | null {
  const { from } = steps[step];
  if (!from.includes(state.status)) {
    return `The order is ${state.status}; this step needs it to be ${from.join(" or ")}.`;
  }
  const { approvalStatus } = state;
  if (step === "order.approved" && approvalStatus !== null && approvalStatus !== "pending") {
    return `The order's approval is ${approvalStatus} already; a decision stands.`;
  }
  if (step === "order.approval_refused" && approvalStatus !== "pending") {
    return "The order waits for no approval.";
  }
  if (step === "order.revision_requested" && state.revisionRequested) {
    return "A revision was already requested; the buyer may ask for one only.";
  }
  return null;
}

/** Each delivery replaces the one before; this many are far more than start, revision and dispute need. */
const mostDeliveries = 10;

/**
 * Says why the provider cannot deliver now, or null if it can. In a dispute that is as long as the contract takes a
 * record: until the delivery deadline, and before a decision. Without one, lateness is for the buyer to judge.
 */
export function refuseDelivery(facts: readonly Fact[], now: Date): string | null {
  const state = foldFacts(facts);
  const refusal = refuseStep(state, "order.delivered");
  if (refusal) return refusal;
  const standing = standingFacts(facts);
  if (standing.filter(({ type }) => type === "order.delivered").length >= mostDeliveries) {
    return `The order has ${mostDeliveries} deliveries; it takes no more.`;
  }
  if (state.status !== "disputed") return null;
  if (standing.some(({ type }) => type === "order.dispute_decided")) {
    return "The dispute is decided; nothing more can be delivered.";
  }
  if (state.deliveryDeadline && now > state.deliveryDeadline) {
    return `The delivery deadline was ${state.deliveryDeadline.toISOString()}; a disputed order takes no delivery after it.`;
  }
  return null;
}
