import type { Hex } from "viem";
import { type AgentFeedbackRow, agentFeedback } from "./chain-index.ts";
import type { Database, Transaction } from "./client.ts";
import { and, asc, eq, inArray, ne, sql } from "./drizzle.ts";
import { feedback, feedbackFile } from "./schema.ts";

export type FeedbackFileRow = typeof feedbackFile.$inferSelect;
export type FeedbackRow = typeof feedback.$inferSelect;

/** Joins a file with the registry's event in the index. */
const eventOfFile = and(
  eq(agentFeedback.feedbackHash, feedbackFile.hash),
  eq(agentFeedback.chainId, feedbackFile.chainId),
  eq(agentFeedback.registry, feedbackFile.reputationRegistry),
  eq(agentFeedback.tokenId, feedbackFile.tokenId),
  eq(agentFeedback.clientAddress, feedbackFile.clientAddress),
);

/** Reads an order's feedback with its file, and whether the buyer revoked it; undefined if none was prepared. */
export async function readFeedback(
  db: Database | Transaction,
  orderId: string,
): Promise<{ row: FeedbackRow; file: FeedbackFileRow; isRevoked: boolean } | undefined> {
  const [row] = await selectFeedback(db).where(eq(feedback.orderId, orderId));
  return row && { ...row, isRevoked: row.isRevoked ?? false };
}

/** Reads the published feedback of orders, and whether its giver revoked it. Prepared feedback stays private. */
export async function readGivenFeedback(
  db: Database | Transaction,
  orderIds: string[],
): Promise<Map<string, { row: FeedbackRow; file: FeedbackFileRow; isRevoked: boolean }>> {
  if (orderIds.length === 0) return new Map();
  const rows = await selectFeedback(db).where(
    and(inArray(feedback.orderId, orderIds), ne(feedback.status, "prepared")),
  );
  return new Map(rows.map((found) => [found.row.orderId, { ...found, isRevoked: found.isRevoked ?? false }]));
}

function selectFeedback(db: Database | Transaction) {
  return db
    .select({ row: feedback, file: feedbackFile, isRevoked: agentFeedback.revoked })
    .from(feedback)
    .innerJoin(feedbackFile, eq(feedbackFile.hash, feedback.fileHash))
    .leftJoin(
      agentFeedback,
      and(eventOfFile, sql`${agentFeedback.feedbackIndex} = ${feedback.feedbackIndex}::numeric`),
    );
}

/** Reads every file of an order: the buyer may have signed any of them. */
export function readFiles(db: Database | Transaction, orderId: string): Promise<FeedbackFileRow[]> {
  return db
    .select()
    .from(feedbackFile)
    .where(eq(feedbackFile.orderId, orderId))
    .orderBy(asc(feedbackFile.createdAt));
}

/** The position of the registry's event on the chain. */
export type SeenFeedback = Pick<
  AgentFeedbackRow,
  "feedbackHash" | "feedbackIndex" | "blockNumber" | "blockHash" | "transactionHash" | "logIndex"
>;

/**
 * Records that the registry has the feedback of an order. The feedback counts when it is confirmed.
 *
 * @returns false if another event is recorded already
 */
export async function markSubmitted(
  db: Database | Transaction,
  orderId: string,
  seen: SeenFeedback,
): Promise<boolean> {
  const { feedbackHash: fileHash, ...event } = seen;
  const changed = await db
    .update(feedback)
    .set({ ...event, fileHash, status: "submitted", updatedAt: sql`now()` })
    .where(and(eq(feedback.orderId, orderId), eq(feedback.status, "prepared")))
    .returning({ orderId: feedback.orderId });
  return changed.length > 0;
}

/** Finds events of files whose order has no recorded event, the oldest first. */
export function findGivenFeedback(
  db: Database,
  chainId: number,
  from: bigint,
): Promise<{ orderId: string; seen: AgentFeedbackRow }[]> {
  return db
    .select({ orderId: feedback.orderId, seen: agentFeedback })
    .from(agentFeedback)
    .innerJoin(feedbackFile, eventOfFile)
    .innerJoin(feedback, eq(feedback.orderId, feedbackFile.orderId))
    .where(
      and(
        eq(agentFeedback.chainId, chainId),
        sql`${agentFeedback.blockNumber} >= ${from.toString()}::numeric`,
        eq(feedback.status, "prepared"),
      ),
    )
    .orderBy(asc(agentFeedback.blockNumber), asc(agentFeedback.logIndex));
}

/** Confirms the recorded feedback that the index has up to a block. Returns the orders. */
export async function confirmFeedback(db: Database, chainId: number, upTo: bigint): Promise<string[]> {
  const { rows } = await db.execute<{ order_id: string }>(sql`
    update ${feedback} set status = 'confirmed', updated_at = now()
    from ${agentFeedback} e
    where ${feedback.status} = 'submitted' and e.chain_id = ${chainId}
      and e.feedback_hash = ${feedback.fileHash} and e.block_hash = ${feedback.blockHash}
      and e.log_index = ${feedback.logIndex} and e.block_number <= ${upTo.toString()}::numeric
    returning order_id`);
  return rows.map((row) => row.order_id);
}

export type LostFeedback = { orderId: string; blockNumber: bigint; blockHash: Hex; logIndex: number };

/** Finds recorded feedback whose block is indexed, but without its event: the block left the chain. */
export async function findLostFeedback(
  db: Database,
  chainId: number,
  blocks: { from: bigint; to: bigint },
): Promise<LostFeedback[]> {
  const { rows } = await db.execute<Omit<LostFeedback, "blockNumber"> & { blockNumber: string }>(sql`
    select f.order_id as "orderId", f.block_number::text as "blockNumber", f.block_hash as "blockHash",
           f.log_index as "logIndex"
    from ${feedback} f
    join ${feedbackFile} file on file.hash = f.file_hash
    where f.status <> 'prepared' and file.chain_id = ${chainId}
      and f.block_number between ${blocks.from.toString()}::bigint and ${blocks.to.toString()}::bigint
      and not exists (
        select 1 from ${agentFeedback} e
        where e.chain_id = file.chain_id and e.feedback_hash = f.file_hash and e.block_hash = f.block_hash
          and e.log_index = f.log_index)`);
  return rows.map((row) => ({ ...row, blockNumber: BigInt(row.blockNumber) }));
}

/** Removes the recorded event of a block that left the chain, so that the feedback can be given again. */
export async function reopenFeedback(db: Database, lost: LostFeedback): Promise<boolean> {
  const changed = await db
    .update(feedback)
    .set({
      status: "prepared",
      blockNumber: null,
      blockHash: null,
      transactionHash: null,
      logIndex: null,
      feedbackIndex: null,
      updatedAt: sql`now()`,
    })
    .where(
      and(
        eq(feedback.orderId, lost.orderId),
        eq(feedback.blockHash, lost.blockHash),
        eq(feedback.logIndex, lost.logIndex),
      ),
    )
    .returning({ orderId: feedback.orderId });
  return changed.length > 0;
}
