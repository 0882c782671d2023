import type { OrderStatus, SettlementClaim, TrailActor } from "earnest-client";
import type { Tone } from "../parts/status-chip.tsx";

export const statusWords: Record<OrderStatus, string> = {
  created: "Awaiting payment",
  expired: "Expired",
  funded: "In escrow",
  started: "In progress",
  delivered: "Delivered",
  disputed: "In dispute",
  released: "Completed",
  refunded: "Refunded",
};

/** The colours of the statuses. */
export const statusTones: Record<OrderStatus, Tone> = {
  created: "warn",
  expired: "neutral",
  funded: "info",
  started: "info",
  delivered: "info",
  disputed: "bad",
  released: "good",
  refunded: "neutral",
};

/** Labels for the steps of an order's trail. A step that this page does not know shows by its type. */
export const stepWords: Record<string, string> = {
  "order.created": "Order placed",
  "order.approval_requested": "Approval requested",
  "order.approved": "Approved",
  "order.approval_refused": "Approval refused",
  "order.funded": "Payment received in escrow",
  "order.started": "Work started",
  "order.delivered": "Delivered",
  "delivery.recorded": "Delivery confirmed on-chain",
  "order.revision_requested": "Revision requested",
  "order.released": "Payment released",
  "order.refunded": "Buyer refunded",
  "order.expired": "Expired",
  "order.disputed": "Dispute opened",
  "order.dispute_intent": "Dispute notice given",
  "order.dispute_decided": "Dispute decided",
  "dispute.statement": "Dispute statement posted",
  "fact.reverted": "Blockchain reorganisation: step reversed",
};

export const actorWords: Record<TrailActor, string> = {
  buyer: "the buyer",
  provider: "the provider",
  arbiter: "the arbiter",
  service: "Earnest",
  chain: "the chain",
};

export const claimWords: Record<SettlementClaim, string> = {
  funded: "Payment received in escrow",
  released: "Payment released",
  refunded: "Payment refunded",
};
