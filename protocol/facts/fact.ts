import type { ApprovalStatus, OrderStatus } from "../settlement/vocabulary.ts";

export const offChainSteps = [
  "order.created",
  "order.approval_requested",
  "order.approved",
  "order.approval_refused",
  "order.expired",
  "order.started",
  "order.delivered",
  "order.revision_requested",
  "order.dispute_intent",
  "dispute.statement",
] as const;

export const chainSteps = [
  "order.funded",
  "delivery.recorded",
  "order.disputed",
  "order.dispute_decided",
  "order.released",
  "order.refunded",
] as const;

export type OffChainStep = (typeof offChainSteps)[number];
export type ChainStep = (typeof chainSteps)[number];
export type FactType = OffChainStep | ChainStep | "fact.reverted";

/** As much of a fact as the fold needs. */
export type Fact = {
  id: string;
  /** the order of arrival in the ledger */
  seq: number;
  type: FactType;
  occurredAt: Date;
  /**
   * Per type: `order.funded` {delivery_deadline}, `delivery.recorded` {output_hash, number,
   * delivered_at, auto_release_at}, `order.delivered` {output_hash, acceptance_ends_at}, `fact.reverted` {fact_id}, `order.refunded`
   * {amount_base_units}, `order.approved` and `order.approval_refused` {decided_by}. Times are RFC 3339.
   */
  data: Record<string, unknown>;
};

export type OrderState = {
  status: OrderStatus;
  fundedAt: Date | null;
  startedAt: Date | null;
  deliveredAt: Date | null;
  deliveryDeadline: Date | null;
  /** when the acceptance window of the last delivery ends; null before any, and while a revision is worked on */
  acceptanceEndsAt: Date | null;
  /** from when the contract pays the provider by anyone's call; null while no delivery is recorded on the chain */
  autoReleaseAt: Date | null;
  /** from when the service itself releases; null while no record on the chain matches a delivery */
  releaseDueAt: Date | null;
  disputedAt: Date | null;
  completedAt: Date | null;
  approvalStatus: ApprovalStatus | null;
  approvalRequestedAt: Date | null;
  approvalDecidedAt: Date | null;
  /** the account of the person who decided */
  approvalDecidedBy: string | null;
  revisionRequested: boolean;
};
