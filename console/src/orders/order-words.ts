import type { OrderStatus, SettlementClaim, TrailActor } from "earnest-client";

export const statusWords: Record<OrderStatus, string> = {
  created: "To be paid",
  expired: "Expired, never paid",
  funded: "Paid into escrow",
  started: "In progress",
  delivered: "Delivered",
  disputed: "In dispute",
  released: "Done, provider paid",
  refunded: "Refunded",
};

/** The steps of an order's trail, for people; a step that is newer than this page shows by its own name. */
export const stepWords: Record<string, string> = {
  "order.created": "Ordered",
  "order.approval_requested": "Waits for approval",
  "order.approved": "Approved",
  "order.approval_refused": "Approval refused",
  "order.funded": "Paid into escrow",
  "order.started": "ProviderWork began",
  "order.delivered": "Delivered",
  "delivery.recorded": "Delivery recorded on the chain",
  "order.revision_requested": "Changes asked for",
  "order.released": "Provider paid",
  "order.refunded": "Buyer refunded",
  "order.expired": "Expired unpaid",
  "order.disputed": "Dispute opened",
  "order.dispute_intent": "A dispute was announced",
  "order.dispute_decided": "The arbiter decided",
  "dispute.statement": "Statement on the dispute",
  "fact.reverted": "The chain took a step back",
};

export const actorWords: Record<TrailActor, string> = {
  buyer: "the buyer",
  provider: "the provider",
  arbiter: "the arbiter",
  service: "the service",
  chain: "the chain",
};

export const claimWords: Record<SettlementClaim, string> = {
  funded: "The money came into escrow",
  released: "The provider was paid",
  refunded: "The buyer was refunded",
};
