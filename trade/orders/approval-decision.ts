import type { Transaction } from "../../db/client.ts";
import { readFacts, recordFacts } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import type { Caller } from "../context.ts";
import { lockOwnOrder, requireBuyer, requireStep } from "./order-access.ts";

export const approvalDecisions = ["approve", "refuse"] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

/**
 * Approves or refuses an order of the caller's account. An order that needs no approval can also be approved, so that
 * a key can pay it beyond its limits. A decision is final. A refused order does not count against its key.
 *
 * @param decidedBy the account of the person who decides
 * @returns the changed order
 * @throws Refusal `not_found`, or `invalid_state` for the provider and for an order that cannot be decided
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
