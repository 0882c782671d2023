import { getAddress } from "viem";
import { escrow } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { eq } from "../../db/drizzle.ts";
import { escrowOfOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order } from "../../db/schema.ts";
import type { ExecutionOrder } from "../../protocol/execution/verify.ts";
import { recordDeliveryData } from "../../protocol/settlement/signatures.ts";
import type { DueExecution } from "./execution-leases.ts";

/** The key is the same for each attempt, so that an endpoint does the work once. */
export function idempotencyKeyOf({
  orderId,
  isRevision,
}: Pick<DueExecution, "orderId" | "isRevision">): string {
  return isRevision ? `${orderId}:revision` : orderId;
}

/** Builds a request's body: the order, and the data to sign the record of its delivery. */
export async function bodyOf(
  db: Database,
  execution: DueExecution,
  opened: { row: OrderRow; deliveryDeadline: Date | null; revision: { reason: string | null } | null },
  at: Date,
): Promise<ExecutionOrder> {
  const { row, deliveryDeadline, revision } = opened;
  return {
    execution_id: execution.id,
    attempt: execution.attempt,
    order_id: row.id,
    reference: row.reference,
    agent_id: row.agentId,
    service_id: row.serviceId,
    quantity: row.quantity,
    input_payload: row.inputPayload,
    order_hash: row.orderHash,
    chain_id: row.chainId,
    escrow_contract: getAddress(row.escrowContract),
    escrow_id: row.escrowId,
    deliver_by: deliveryDeadline?.toISOString() ?? null,
    answer_by: new Date(at.getTime() + execution.timeoutMs).toISOString(),
    revision,
    delivery_record: await readRecord(db, row),
  };
}

/** Builds the typed data of the delivery record without `outputHash`, which only the endpoint knows. */
async function readRecord(db: Database, row: OrderRow): Promise<ExecutionOrder["delivery_record"]> {
  const [result] = await db
    .select({ escrow })
    .from(order)
    .innerJoin(escrow, escrowOfOrder)
    .where(eq(order.id, row.id));
  const { chainId, escrowId, escrowContract } = row;
  const name = { chainId, escrowId, escrowContract: getAddress(escrowContract) };
  const data = recordDeliveryData({
    ...name,
    escrow: result?.escrow ?? null,
    outputHash: `0x${"0".repeat(64)}`,
  });
  if (!data) return null;
  const { outputHash: _, ...message } = data.message;
  return { domain: { ...data.domain }, types: data.types, primaryType: data.primaryType, message };
}
