import { boolean, integer, json, pgSchema, text } from "drizzle-orm/pg-core";
import pg from "pg";
import type { EscrowStatus } from "../protocol/settlement/vocabulary.ts";
import { type Database, prepareOnce, type Transaction } from "./client.ts";
import { address, baseUnits, hex } from "./column-types.ts";
import { type SQL, type SQLWrapper, sql } from "./drizzle.ts";

/**
 * The schema of Ponder's views. Each deployment of the indexer writes a schema of its own. The views move to this schema
 * when it has caught up, so readers need not know of deployments.
 */
export const viewsSchema = "idx";

/** Channel that Ponder notifies on each block. A lost notification delays a reader and loses nothing. */
export const liveChannel = `${viewsSchema}_live_query`;

/**
 * Ponder locks its relations one after another when it starts or reverts blocks: the tables as ponder.schema.ts lists
 * them, `_ponder_meta`, `_ponder_checkpoint`. A transaction that reads several of them keeps this order: another order
 * may deadlock.
 */
const views = pgSchema(viewsSchema);

/** The view of `escrow` in ponder.schema.ts (a test compares the two). Times are unix seconds. */
export const escrow = views.table("escrow", {
  chainId: integer("chain_id").notNull(),
  escrowId: hex("escrow_id").notNull(),
  contract: address("contract").notNull(),
  orderHash: hex("order_hash").notNull(),
  status: text("status").$type<Exclude<EscrowStatus, "none">>().notNull(),
  buyer: address("buyer").notNull(),
  provider: address("provider").notNull(),
  token: address("token").notNull(),
  amount: baseUnits("amount").notNull(),
  arbiter: address("arbiter").notNull(),
  fundedAt: baseUnits("funded_at").notNull(),
  deliveryDeadline: baseUnits("delivery_deadline").notNull(),
  deliveryCount: integer("delivery_count").notNull(),
  paidAmount: baseUnits("paid_amount").notNull(),
  earnedAmount: baseUnits("earned_amount").notNull(),
  partCount: integer("part_count").notNull(),
  claimAcceptedAt: baseUnits("claim_accepted_at"),
  claims: json("claims").$type<{ earned: string; acceptedAt: number }[]>(),
  acceptedAmount: baseUnits("accepted_amount"),
  deliveredAt: baseUnits("delivered_at"),
  autoReleaseAt: baseUnits("auto_release_at"),
  outputHash: hex("output_hash"),
  disputedAt: baseUnits("disputed_at"),
  decideBy: baseUnits("decide_by"),
  decidedProviderAmount: baseUnits("decided_provider_amount"),
  settleableAt: baseUnits("settleable_at"),
  releasedAmount: baseUnits("released_amount").notNull(),
  refundedAmount: baseUnits("refunded_amount").notNull(),
});
export type EscrowRow = typeof escrow.$inferSelect;

/** The view of `escrow_event` in ponder.schema.ts. */
export const escrowEvent = views.table("escrow_event", {
  id: text("id").notNull(),
  chainId: integer("chain_id").notNull(),
  escrowId: hex("escrow_id").notNull(),
  contract: address("contract").notNull(),
  name: text("name").notNull(),
  args: json("args").$type<Record<string, unknown>>().notNull(),
  blockNumber: baseUnits("block_number").notNull(),
  blockHash: hex("block_hash").notNull(),
  transactionHash: hex("transaction_hash").notNull(),
  logIndex: integer("log_index").notNull(),
  timestamp: baseUnits("timestamp").notNull(),
});

/** The view of `escrow_tally` in ponder.schema.ts. */
export const escrowTally = views.table("escrow_tally", {
  chainId: integer("chain_id").notNull(),
  escrowId: hex("escrow_id").notNull(),
  name: text("name").notNull(),
  token: address("token").notNull(),
  times: integer("times").notNull(),
  amount: baseUnits("amount").notNull(),
  first: json("first").$type<Record<string, unknown>[]>().notNull(),
  last: json("last").$type<Record<string, unknown>>().notNull(),
});

/** The view of `identity_transfer` in ponder.schema.ts. */
export const identityTransfer = views.table("identity_transfer", {
  chainId: integer("chain_id").notNull(),
  registry: address("registry").notNull(),
  tokenId: baseUnits("token_id").notNull(),
  owner: address("owner").notNull(),
  blockNumber: baseUnits("block_number").notNull(),
});

/** The view of `agent_feedback` in ponder.schema.ts. */
export const agentFeedback = views.table("agent_feedback", {
  chainId: integer("chain_id").notNull(),
  registry: address("registry").notNull(),
  tokenId: baseUnits("token_id").notNull(),
  clientAddress: address("client_address").notNull(),
  feedbackIndex: baseUnits("feedback_index").notNull(),
  feedbackHash: hex("feedback_hash").notNull(),
  revoked: boolean("revoked").notNull(),
  blockNumber: baseUnits("block_number").notNull(),
  blockHash: hex("block_hash").notNull(),
  transactionHash: hex("transaction_hash").notNull(),
  logIndex: integer("log_index").notNull(),
});
export type AgentFeedbackRow = typeof agentFeedback.$inferSelect;

/** The view of `anchor_event` in ponder.schema.ts. */
export const anchorEvent = views.table("anchor_event", {
  chainId: integer("chain_id").notNull(),
  contract: address("contract").notNull(),
  publisher: address("publisher").notNull(),
  size: baseUnits("size").notNull(),
  root: hex("root").notNull(),
  blockNumber: baseUnits("block_number").notNull(),
  blockHash: hex("block_hash").notNull(),
  transactionHash: hex("transaction_hash").notNull(),
  logIndex: integer("log_index").notNull(),
  timestamp: baseUnits("timestamp").notNull(),
});

/**
 * Reads the progress of the indexer on each chain.
 *
 * @returns by chain id, the newest indexed block with its time in unix seconds, and the newest block that the indexer never
 * reverts
 */
export async function readIndexedBlocks(
  db: Database | Transaction,
): Promise<Map<number, { block: bigint; timestamp: bigint; finalized: bigint }>> {
  // A checkpoint has 75 digits: time (10), chain (16), block (16), and the order of events within the block.
  const { rows } = await db.execute<{
    chain_id: string;
    block: string;
    timestamp: string;
    finalized: string;
  }>(sql`
    select chain_id,
           substr(latest_checkpoint, 27, 16)::bigint as block,
           substr(latest_checkpoint, 1, 10)::bigint as timestamp,
           substr(finalized_checkpoint, 27, 16)::bigint as finalized
    from ${sql.identifier(viewsSchema)}._ponder_checkpoint`);
  return new Map(
    rows.map(({ chain_id, block, timestamp, finalized }) => [
      Number(chain_id),
      { block: BigInt(block), timestamp: BigInt(timestamp), finalized: BigInt(finalized) },
    ]),
  );
}

/**
 * Selects the id of the index that the views show, as a text value within a statement; null if there is no index. A rebuilt
 * index has another id, even if its schema has the same name.
 */
export function selectIndex(): SQL<string | null> {
  return sql<string | null>`(
    select min(on_table.refobjid)::text
    from pg_rewrite as rule join pg_depend as on_table on on_table.objid = rule.oid
    where rule.ev_class = to_regclass(${`${viewsSchema}.escrow_event`})
      and on_table.classid = 'pg_rewrite'::regclass and on_table.refclassid = 'pg_class'::regclass
      and on_table.refobjid <> rule.ev_class)`;
}

/** Reads the time in unix seconds: this machine's, or the chain's if its clock is ahead, as on a local chain. */
export async function readNow(db: Database | Transaction, chainId: number): Promise<bigint> {
  const [row] = await findClock(db).execute({ chainId });
  return BigInt(nowOf(row?.clock ?? null));
}

/** Selects the time of the newest indexed block of a chain, as a value within a statement; null if there is none. */
export function selectClock(
  chainId: SQLWrapper = sql`${sql.placeholder("chainId")}::integer`,
): SQL<string | null> {
  return sql<string | null>`(
    select max(substr(latest_checkpoint, 1, 10)) from ${sql.identifier(viewsSchema)}._ponder_checkpoint
    where chain_id = ${chainId})`;
}

/** Selects the time of the newest indexed block of all chains in unix seconds, as a value within a statement. */
export function selectNewestTime(): SQL<number> {
  return sql<number>`(
    select max(substr(latest_checkpoint, 1, 10)::bigint) from ${sql.identifier(viewsSchema)}._ponder_checkpoint)`;
}

/** Returns the time of `readNow` from the result of `selectClock`. */
export function nowOf(clock: string | null): number {
  return Math.max(Math.floor(Date.now() / 1000), Number(clock ?? 0));
}

const findClock = prepareOnce("find_clock", (db) =>
  db.select({ clock: selectClock().as("clock") }).from(sql`(values (1)) as one`),
);

/** Whether an error means that the views are missing, because the indexer has never run on this database. */
export function isIndexMissing(error: unknown): boolean {
  const cause = error instanceof pg.DatabaseError ? error : (error as Error | undefined)?.cause;
  return cause instanceof pg.DatabaseError && ["42P01", "3F000"].includes(cause.code ?? "");
}

/**
 * Reads the newest indexed block of a chain. When the indexer starts, it goes back a few blocks and is not ready.
 *
 * @returns undefined while the indexer is not ready
 */
export async function readReadyBlock(
  db: Database | Transaction,
  chainId: number,
): Promise<bigint | undefined> {
  const views = sql.identifier(viewsSchema);
  const { rows } = await db.execute<{ block: string }>(sql`
    select substr(latest_checkpoint, 27, 16)::bigint as block
    from (select bool_and((value ->> 'is_ready')::int = 1) as ready from ${views}._ponder_meta) as meta,
         ${views}._ponder_checkpoint
    where ready and chain_id = ${chainId}`);
  return rows[0] && BigInt(rows[0].block);
}
