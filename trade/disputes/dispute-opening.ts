import type { Hex } from "viem";
import { escrow } from "../../db/chain-index.ts";
import type { Transaction } from "../../db/client.ts";
import { and, eq, inArray, like, ne } from "../../db/drizzle.ts";
import { escrowOfOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order, relay } from "../../db/schema.ts";
import type { Caller, Context } from "../context.ts";
import { readAsSigner, sendSignedAct } from "../orders/send-signed-act.ts";
import type { RelayRow } from "../relay/relay-queue.ts";
import { readTextHash, textRecorder } from "./dispute-statements.ts";

/** A signed dispute; the deadline is unix seconds. */
export type SignedDispute = {
  reason?: string | undefined;
  reasonHash?: Hex | undefined;
  deadline: bigint;
  signature: Hex;
};

/**
 * Disputes an escrow by a party's signature.
 *
 * @returns the relay
 * @throws Refusal `invalid_request` if the hash is not the reason's, or as `readAsSigner` and `sendSignedAct`
 */
export async function openDispute(
  context: Context,
  caller: Caller,
  orderId: string,
  { reason, reasonHash, deadline, signature }: SignedDispute,
): Promise<RelayRow> {
  const own = await readAsSigner(context.db, caller, "dispute", orderId);
  const content = { reasonHash: readTextHash("reason", reason, reasonHash), deadline };
  const act = { name: "dispute", own, content, signature } as const;
  return sendSignedAct(context, caller, act, textRecorder(reason));
}

/**
 * Whether a dispute of an order is pending: the relayer has a signed one that did not fail, or the index has one that is not
 * confirmed. A dispute that a wallet sends itself is unknown before a block has it.
 */
export async function isDisputePending(tx: Transaction, row: OrderRow): Promise<boolean> {
  if (row.disputedAt || row.completedAt || !row.fundedAt) return false;
  const relayed = tx
    .select({ id: relay.id })
    .from(relay)
    .where(
      and(
        eq(relay.orderId, row.id),
        like(relay.key, `${row.escrowId}:dispute:%`),
        ne(relay.status, "failed"),
      ),
    );
  const indexed = tx
    .select({ id: order.id })
    .from(order)
    .innerJoin(escrow, escrowOfOrder)
    .where(and(eq(order.id, row.id), inArray(escrow.status, ["disputed", "decided"])));
  const found = await relayed.union(indexed).limit(1);
  return found.length > 0;
}
