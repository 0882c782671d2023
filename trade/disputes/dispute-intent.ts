import type { Transaction } from "../../db/client.ts";
import { readFacts, recordFacts } from "../../db/ledger.ts";
import type { Caller } from "../context.ts";
import { lockOwnOrder, requireStep } from "../orders/order-access.ts";
import { Refusal } from "../refusal.ts";

/**
 * Records that a party intends to dispute, before any dispute on the chain. Each party has one intent. A repeated
 * request with the same reason changes nothing.
 *
 * @throws Refusal `not_found`, `conflict` for a second reason, `invalid_state` if the order's status allows no intent
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
      "You have already signalled a dispute of this order, with another reason. The first reason cannot be changed.",
    );
  }
  requireStep(facts, "order.dispute_intent");
  await recordFacts(tx, row, [
    { type: "order.dispute_intent", actor: role, key, occurredAt: new Date(), data: { reason } },
  ]);
}
