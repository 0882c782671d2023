import type { Transaction } from "../../db/client.ts";
import { readFacts, recordFacts } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import type { Caller } from "../context.ts";
import { lockOwnOrder, requireBuyer, requireStep } from "./order-access.ts";

export const approvalDecisions = ["approve", "refuse"] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

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
