import type { OrderStatus, ReceiptClaim, TrailActor } from "earnest-client";
import type { EscrowStatus } from "../../../protocol/settlement/vocabulary.ts";
import type { Tone } from "../parts/status-chip.tsx";
import { i18n } from "../text/i18n.ts";

export function orderStatusText(name: OrderStatus): string {
  const texts: Record<OrderStatus, string> = {
    created: i18n.t("Awaiting payment"),
    expired: i18n.t("Expired"),
    funded: i18n.t("In escrow"),
    started: i18n.t("In progress"),
    delivered: i18n.t("Delivered"),
    disputed: i18n.t("In dispute"),
    released: i18n.t("Completed"),
    refunded: i18n.t("Refunded"),
  };
  return texts[name];
}

/** The colours of the statuses. */
export const orderStatusTones: Record<OrderStatus, Tone> = {
  created: "warn",
  expired: "neutral",
  funded: "info",
  started: "info",
  delivered: "info",
  disputed: "bad",
  released: "good",
  refunded: "neutral",
};

/**
 * Names a step of an order's trail. A step that this page does not know shows by its type.
 *
 * @param number the stage that the step is about; undefined for an order without stages
 */
export function stepText(type: string, number?: unknown): string {
  if (typeof number === "number") {
    if (type === "order.delivered") return i18n.t("Stage {number} delivered", { number });
    if (type === "order.revision_requested")
      return i18n.t("Revision of stage {number} requested", { number });
  }
  const texts: Record<string, string> = {
    "order.created": i18n.t("Order placed"),
    "order.approval_requested": i18n.t("Approval requested"),
    "order.approved": i18n.t("Approved"),
    "order.approval_refused": i18n.t("Approval refused"),
    "order.funded": i18n.t("Payment received in escrow"),
    "order.started": i18n.t("Work started"),
    "order.delivered": i18n.t("Delivered"),
    "delivery.recorded": i18n.t("Delivery confirmed on-chain"),
    "part.recorded": i18n.t("Part confirmed on-chain"),
    "order.part_released": i18n.t("Part paid"),
    "order.revision_requested": i18n.t("Revision requested"),
    "order.released": i18n.t("Payment released"),
    "order.refunded": i18n.t("Buyer refunded"),
    "order.expired": i18n.t("Expired"),
    "order.disputed": i18n.t("Dispute opened"),
    "order.dispute_intent": i18n.t("Dispute notice given"),
    "order.dispute_decided": i18n.t("Dispute decided"),
    "dispute.statement": i18n.t("Dispute statement posted"),
    "fact.reverted": i18n.t("Blockchain reorganisation: step reversed"),
  };
  return texts[type] ?? type;
}

export function actorText(name: TrailActor): string {
  const texts: Record<TrailActor, string> = {
    buyer: i18n.t("the buyer"),
    provider: i18n.t("the provider"),
    arbiter: i18n.t("the arbiter"),
    service: i18n.t("Earnest"),
    chain: i18n.t("the chain"),
  };
  return texts[name];
}

export function escrowText(name: EscrowStatus): string {
  const texts: Record<EscrowStatus, string> = {
    none: i18n.t("Not funded"),
    funded: i18n.t("In escrow"),
    disputed: i18n.t("In dispute"),
    decided: i18n.t("Decided"),
    released: i18n.t("Payment released"),
    refunded: i18n.t("Payment refunded"),
    split: i18n.t("Divided between both parties"),
  };
  return texts[name];
}

export function claimText(name: ReceiptClaim): string {
  const texts: Record<ReceiptClaim, string> = {
    funded: i18n.t("Payment received in escrow"),
    part_released: i18n.t("Part paid"),
    released: i18n.t("Payment released"),
    refunded: i18n.t("Payment refunded"),
  };
  return texts[name];
}
