import { bigint, index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { hex } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { earnest, time } from "./base.ts";
import { order } from "./orders.ts";

/** The state of a chain's index, and the progress of the comparison of the ledger with chain and index. */
export const chainWatch = earnest.table("chain_watch", {
  chainId: integer("chain_id").primaryKey(),
  indexState: text("index_state").$type<"ok" | "behind" | "off_chain">().notNull(),
  /** why `index_state` is not ok */
  reason: text("reason"),
  since: time("since").notNull().defaultNow(),
  headBlock: bigint("head_block", { mode: "bigint" }).notNull(),
  indexedBlock: bigint("indexed_block", { mode: "bigint" }).notNull(),
  /** last progress of the index */
  movedAt: time("moved_at").notNull().defaultNow(),
  checkedAt: time("checked_at").notNull().defaultNow(),
  /** last compared order of the current round */
  reconciledUpTo: text("reconciled_up_to").notNull().default(""),
  /** end of the last round */
  reconciledAt: time("reconciled_at"),
});

/** A block that was final for the indexer, with its hash then. Another hash means that the block left the chain. */
export const chainAnchor = earnest.table(
  "chain_anchor",
  {
    chainId: integer("chain_id").notNull(),
    blockNumber: bigint("block_number", { mode: "bigint" }).notNull(),
    blockHash: hex("block_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.blockNumber] })],
);

/** The progress of the comparison of an index with the node's logs of the escrow contract, and the gap that it found. */
export const indexAudit = earnest.table(
  "index_audit",
  {
    chainId: integer("chain_id").notNull(),
    /** id of the index, as `selectIndex` of db/chain-index.ts selects it */
    index: text("index").notNull(),
    /** block up to which both agree */
    auditedTo: bigint("audited_to", { mode: "bigint" }).notNull(),
    auditedAt: time("audited_at").notNull().defaultNow(),
    /** blocks with a difference, and the difference in words */
    missingFrom: bigint("missing_from", { mode: "bigint" }),
    missingTo: bigint("missing_to", { mode: "bigint" }),
    reason: text("reason"),
    /** when the service requested a rebuild of the index */
    rebuildRequestedAt: time("rebuild_requested_at"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.index] })],
);

/** A difference between the ledger, the index and the contract about an order, which time alone does not resolve. */
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
    /** number of observations; a single one may be a read between two blocks, and is not reported */
    observations: integer("observations").notNull().default(1),
    resolvedAt: time("resolved_at"),
  },
  (table) => [
    uniqueIndex("divergence_open").on(table.orderId, table.what).where(sql`${table.resolvedAt} is null`),
    index("divergence_order").on(table.orderId, table.foundAt),
  ],
);
