import type { NewFact } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { Refusal } from "../refusal.ts";

/** The step of an order that its key may not place by itself. */
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
    throw new Refusal("invalid_state", "An owner or admin refused this order, so it is not paid here.");
  }
}

/** Refuses to have an order paid that an owner or admin has to approve first, and says where. */
export function requireApproval({ id }: Pick<OrderRow, "id">): Refusal {
  return new Refusal(
    "approval_required",
    `This order is above what its key may spend by itself. A session of an owner or admin approves it in the console, or by POST ${apiPath}/orders/${id}/approval.`,
  );
}
