import type { Transaction } from "../../db/client.ts";
import { readFacts, recordFacts } from "../../db/ledger.ts";
import type { Caller } from "../context.ts";
import { lockOwnOrder, requireStep } from "../orders/order-access.ts";
import { Refusal } from "../refusal.ts";

/**
 * Records that a party means to dispute, before any dispute on the chain: once for each party. The same reason again
 * changes nothing.
 *
 * @throws Refusal `not_found`, `conflict` where the party gave another reason before, `invalid_state` where the order's
 *   status does not allow it
 */
export async function signalDispute(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  reason: string,
): Promise<void> {
  const { row, role } = await lockOwnOrder(tx, caller, orderId);
  const facts = await readFacts(tx, orderId);
  const key = `${orderId}:dispute_intent:${role}`;
  const earlier = facts.find((fact) => fact.key === key);
  if (earlier?.data.reason === reason) return;
  if (earlier) {
    throw new Refusal(
      "conflict",
      "You signalled a dispute of this order already, with another reason; that one stands.",
    );
  }
  requireStep(facts, "order.dispute_intent");
  await recordFacts(tx, row, [
    { type: "order.dispute_intent", actor: role, key, occurredAt: new Date(), data: { reason } },
  ]);
}
