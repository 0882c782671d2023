import { sql } from "drizzle-orm";
import { bigint, index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { hex } from "../columns.ts";
import { earnest, time } from "./base.ts";
import { order } from "./orders.ts";

/** How the index of a chain stands to the chain itself, and how far the comparison of the ledger with both has come. */
export const chainWatch = earnest.table("chain_watch", {
  chainId: integer("chain_id").primaryKey(),
  indexState: text("index_state").$type<"ok" | "behind" | "off_chain">().notNull(),
  /** why it is not ok */
  reason: text("reason"),
  since: time("since").notNull().defaultNow(),
  headBlock: bigint("head_block", { mode: "bigint" }).notNull(),
  indexedBlock: bigint("indexed_block", { mode: "bigint" }).notNull(),
  /** when the index was last seen to move */
  movedAt: time("moved_at").notNull().defaultNow(),
  checkedAt: time("checked_at").notNull().defaultNow(),
  /** the order up to which the running round of comparisons has come */
  reconciledUpTo: text("reconciled_up_to").notNull().default(""),
  /** when a round last came to the end */
  reconciledAt: time("reconciled_at"),
});

/** Blocks that were final for the indexer, by the hash the node had then: another one means that the chain left them. */
export const chainAnchor = earnest.table(
  "chain_anchor",
  {
    chainId: integer("chain_id").notNull(),
    blockNumber: bigint("block_number", { mode: "bigint" }).notNull(),
    blockHash: hex("block_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.blockNumber] })],
);

/** How far each index of a chain was compared with what a node says of the escrow contract, and what it lacks. */
export const indexAudit = earnest.table(
  "index_audit",
  {
    chainId: integer("chain_id").notNull(),
    /** which index: what `selectIndex` of db/chain-index.ts says */
    index: text("index").notNull(),
    /** the block up to which the two agree */
    auditedTo: bigint("audited_to", { mode: "bigint" }).notNull(),
    auditedAt: time("audited_at").notNull().defaultNow(),
    /** the blocks in which they do not agree, and how */
    missingFrom: bigint("missing_from", { mode: "bigint" }),
    missingTo: bigint("missing_to", { mode: "bigint" }),
    reason: text("reason"),
    /** when the indexer was asked to begin anew, by itself */
    rebuildRequestedAt: time("rebuild_requested_at"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.index] })],
);

/** Where the ledger, the index and the contract tell different things of an order, and time alone will not mend it. */
export const divergence = earnest.table(
  "divergence",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    chainId: integer("chain_id").notNull(),
    what: text("what").notNull(),
    ledger: text("ledger"),
    index: text("index"),
    contract: text("contract"),
    explanation: text("explanation").notNull(),
    foundAt: time("found_at").notNull().defaultNow(),
    seenAt: time("seen_at").notNull().defaultNow(),
    /** seen once it may be a reading between two blocks; from twice on it is told */
    observations: integer("observations").notNull().default(1),
    resolvedAt: time("resolved_at"),
  },
  (table) => [
    uniqueIndex("divergence_open").on(table.orderId, table.what).where(sql`${table.resolvedAt} is null`),
    index("divergence_order").on(table.orderId, table.foundAt),
  ],
);
