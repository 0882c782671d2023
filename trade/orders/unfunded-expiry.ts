import type { Hex } from "viem";
import type { Chain } from "../../config/config.ts";
import { escrow } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, asc, eq, lt, notExists, sql } from "../../db/drizzle.ts";
import { escrowOfOrder, lockOrder, readFacts, recordFacts } from "../../db/ledger.ts";
import { order } from "../../db/schema.ts";
import { foldFacts, refuseStep } from "../../protocol/facts/lifecycle.ts";

/** A block after a funding deadline. The timestamp is unix seconds. */
export type PastBlock = { number: bigint; timestamp: bigint };

/** An order whose funding deadline (unix seconds) may have passed. */
export type UnfundedOrder = { id: string; fundBy: number; escrowId: Hex };

/**
 * Reads a page of orders with a funding deadline before a time (unix seconds) and without an indexed escrow, oldest
 * deadline first.
 *
 * @param after the last order of the previous page
 */
export function readUnfunded(
  db: Database,
  chain: Chain,
  time: bigint,
  { after, limit }: { after?: UnfundedOrder | undefined; limit: number },
): Promise<UnfundedOrder[]> {
  return db
    .select({ id: order.id, fundBy: order.fundBy, escrowId: order.escrowId })
    .from(order)
    .where(
      and(
        eq(order.status, "created"),
        lt(order.fundBy, Number(time)),
        after && sql`(${order.fundBy}, ${order.id}) > (${after.fundBy}, ${after.id})`,
        eq(order.chainId, chain.chain_id),
        eq(order.escrowContract, chain.escrow_contract),
        hasNoEscrow(db),
      ),
    )
    .orderBy(asc(order.fundBy), asc(order.id))
    .limit(limit);
}

/**
 * Records the expiry of an unfunded order.
 *
 * @param block a confirmed block after the funding deadline at which the contract has no escrow of the order
 * @returns false if the order's status has changed, or the index has its escrow
 */
export async function expireOrder(tx: Transaction, orderId: string, block: PastBlock): Promise<boolean> {
  const row = await lockOrder(tx, orderId);
  if (!row || refuseStep(foldFacts(await readFacts(tx, orderId)), "order.expired")) return false;
  // Read under the lock: the indexer may have written the escrow meanwhile.
  const [unfunded] = await tx
    .select({ id: order.id })
    .from(order)
    .where(and(eq(order.id, orderId), hasNoEscrow(tx)));
  if (!unfunded) return false;
  const { recorded } = await recordFacts(tx, row, [
    {
      type: "order.expired",
      actor: "service",
      key: `${orderId}:expired`,
      occurredAt: new Date(),
      data: {
        funding_deadline: new Date(row.fundBy * 1000).toISOString(),
        unfunded_at_block: Number(block.number),
        block_time: new Date(Number(block.timestamp) * 1000).toISOString(),
      },
    },
  ]);
  return recorded.length > 0;
}

function hasNoEscrow(db: Database | Transaction) {
  return notExists(db.select({ one: sql`1` }).from(escrow).where(escrowOfOrder));
}
