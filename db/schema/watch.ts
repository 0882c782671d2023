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
    sightings: integer("sightings").notNull().default(1),
    resolvedAt: time("resolved_at"),
  },
  (table) => [
    uniqueIndex("divergence_open").on(table.orderId, table.what).where(sql`${table.resolvedAt} is null`),
    index("divergence_order").on(table.orderId, table.foundAt),
  ],
);
