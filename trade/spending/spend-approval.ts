import type { NewFact } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { Refusal } from "../refusal.ts";

/** Creates the fact of an order that needs approval. */
export function approvalRequest(orderId: string, requestedAt: Date): NewFact {
  return {
    type: "order.approval_requested",
    actor: "service",
    key: `${orderId}:approval_requested`,
    occurredAt: requestedAt,
  };
}

/** @throws Refusal `approval_required`, or `invalid_state` for an order whose approval was refused */
export function requireApproved(row: Pick<OrderRow, "id" | "approvalStatus">): void {
  if (row.approvalStatus === "pending") throw requireApproval(row);
  if (row.approvalStatus === "refused") {
    throw new Refusal(
      "invalid_state",
      "An owner or admin refused this order, so the service accepts no payment for it.",
    );
  }
}

/** Refuses the payment of an order that needs approval first. */
export function requireApproval({ id }: Pick<OrderRow, "id">): Refusal {
  return new Refusal(
    "approval_required",
    `This order needs approval, because it exceeds its key's limit. An owner or admin approves it in the console, or with a session by POST ${apiPath}/orders/${id}/approval.`,
  );
}
