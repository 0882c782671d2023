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
  "part.recorded",
  "order.part_released",
  "order.disputed",
  "order.dispute_decided",
  "order.released",
  "order.refunded",
] as const;

export type OffChainStep = (typeof offChainSteps)[number];
export type ChainStep = (typeof chainSteps)[number];
export type FactType = OffChainStep | ChainStep | "fact.reverted";

/** The fields of a fact that the fold needs. */
export type Fact = {
  id: string;
  /** the order of arrival in the ledger */
  seq: number;
  type: FactType;
  occurredAt: Date;
  /**
   * Per type: `order.funded` {delivery_deadline}, `delivery.recorded` {output_hash, number, delivered_at,
   * auto_release_at}, `order.delivered` {output_hash, acceptance_ends_at}, `fact.reverted` {fact_id}, `order.refunded`
   * {amount_base_units}, `order.approved` and `order.approval_refused` {decided_by}. A metered delivery also has {units,
   * charge_base_units}, and its record {earned_base_units}. An order in stages lists them in `order.created` {stages}; its
   * `order.delivered` has {stage, earned_base_units, is_final}, and `order.revision_requested` {stage}. Times are RFC 3339.
   */
  data: Record<string, unknown>;
};

export type OrderState = {
  status: OrderStatus;
  fundedAt: Date | null;
  startedAt: Date | null;
  deliveredAt: Date | null;
  deliveryDeadline: Date | null;
  /** the end of the acceptance window of the last delivery; null before any, and during a revision */
  acceptanceEndsAt: Date | null;
  /** the time from which the contract lets anyone release; null while no delivery is recorded on the chain */
  autoReleaseAt: Date | null;
  /** the time from which the service itself releases; null while no record on the chain matches a delivery */
  releaseDueAt: Date | null;
  /** the units that the last delivery of a metered order counts; null before any, and for other orders */
  deliveredUnits: number | null;
  /** the price of these units in base units */
  charge: bigint | null;
  /** of an order in stages: the stage of the last delivery, from 1; null before any, and for other orders */
  deliveredStage: number | null;
  /** of an order in stages: the number of stages that are paid; null for other orders */
  acceptedStages: number | null;
  disputedAt: Date | null;
  completedAt: Date | null;
  approvalStatus: ApprovalStatus | null;
  approvalRequestedAt: Date | null;
  approvalDecidedAt: Date | null;
  /** the account of the member who decided */
  approvalDecidedBy: string | null;
  revisionRequested: boolean;
};
