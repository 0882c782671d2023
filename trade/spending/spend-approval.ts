import type { Transaction } from "../../db/client.ts";
import { type NewFact, readFacts, recordFacts } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { Caller } from "../context.ts";
import { lockOwnOrder, requireBuyer, requireStep } from "../orders/order-access.ts";
import { Refusal } from "../refusal.ts";

export const approvalDecisions = ["approve", "refuse"] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

/** The step of an order that its key may not place by itself. */
export function approvalRequest(orderId: string, requestedAt: Date): NewFact {
  return {
    type: "order.approval_requested",
    actor: "service",
    key: `${orderId}:approval_requested`,
    occurredAt: requestedAt,
  };
}

/**
 * Approves or refuses an order of the caller's account. An order that waits for no approval can be approved too, so that a
 * key may pay it beyond its limits. A decision is final. The amount of a refused order does not count against its key.
 *
 * @param decidedBy the account of the person
 * @returns the order after it
 * @throws Refusal `not_found`, or `invalid_state` for the provider and where nothing is to be decided
 */
export async function decideApproval(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  { decision, decidedBy }: { decision: ApprovalDecision; decidedBy: string },
): Promise<OrderRow> {
  const { row, role } = await lockOwnOrder(tx, caller, orderId);
  requireBuyer(role, "approve or refuse the order");
  const type = decision === "approve" ? "order.approved" : "order.approval_refused";
  requireStep(await readFacts(tx, orderId), type);
  const { state } = await recordFacts(tx, row, [
    {
      type,
      actor: "buyer",
      key: `${orderId}:approval`,
      occurredAt: new Date(),
      data: { decided_by: decidedBy },
    },
  ]);
  const { revisionRequested: _, ...columns } = state;
  return { ...row, ...columns };
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
