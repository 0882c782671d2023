import type { Transaction } from "../../db/client.ts";
import { readFacts, recordFacts } from "../../db/ledger.ts";
import type { Caller } from "../context.ts";
import { lockOwnOrder, requireBuyer, requireStep } from "./order-access.ts";

/**
 * Requests a revision after a delivery. An order has at most one. No money and no deadline moves.
 *
 * @throws Refusal `not_found`, or `invalid_state` for the provider, without a delivery and for a second request
 */
export async function requestRevision(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  reason: string,
): Promise<void> {
  const { row, role } = await lockOwnOrder(tx, caller, orderId);
  requireBuyer(role, "ask for a revision");
  requireStep(await readFacts(tx, orderId), "order.revision_requested");
  // Each stage may be revised once.
  const stage = row.deliveredStage;
  await recordFacts(tx, row, [
    {
      type: "order.revision_requested",
      actor: "buyer",
      key: stage === null ? `${orderId}:revision` : `${orderId}:revision:${stage}`,
      occurredAt: new Date(),
      data: stage === null ? { reason } : { reason, stage },
    },
  ]);
}
