import { sql } from "drizzle-orm";
import { bigint, index, integer, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, baseUnits, hex } from "../columns.ts";
import { createdAt, earnest, time } from "./base.ts";
import { agent } from "./market.ts";
import { order } from "./orders.ts";

/** The ERC-8004 identity that an agent shows: a wallet of its owner's owned or operated it when it was last looked at. */
export const agentIdentity = earnest.table(
  "agent_identity",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agent.id, { onDelete: "cascade" }),
    chainId: integer("chain_id").notNull(),
    /** the Identity Registry */
    registry: address("registry").notNull(),
    /** the standard's `agentId` */
    tokenId: baseUnits("token_id").notNull(),
    /** its registration file, as the chain has it; null where it names none, or one too long to show */
    agentUri: text("agent_uri"),
    /** which wallet it was, and by what right */
    wallet: address("wallet").notNull(),
    authority: text("authority").$type<"owner" | "approved" | "operator">().notNull(),
    verifiedAt: time("verified_at").notNull(),
    /** the block whose state was looked at */
    verifiedBlock: bigint("verified_block", { mode: "bigint" }).notNull(),
    /** since when no wallet of the owner's has it: it is not shown any more */
    lostAt: time("lost_at"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("agent_identity_linked")
      .on(table.chainId, table.registry, table.tokenId)
      .where(sql`${table.lostAt} is null`),
    index("agent_identity_due").on(table.verifiedAt).where(sql`${table.lostAt} is null`),
  ],
);

/** A file of ERC-8004 feedback, served for ever under its hash. A buyer may have signed any that was made for its order. */
export const feedbackFile = earnest.table(
  "feedback_file",
  {
    /** keccak256 of the content's bytes */
    hash: hex("hash").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** canonical JSON (RFC 8785), byte by byte what was hashed */
    content: text("content").notNull(),
    chainId: integer("chain_id").notNull(),
    reputationRegistry: address("reputation_registry").notNull(),
    tokenId: baseUnits("token_id").notNull(),
    clientAddress: address("client_address").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("feedback_file_order").on(table.orderId, table.createdAt)],
);

/** The feedback of an order: which file it is, and what the registry has of it. */
export const feedback = earnest.table(
  "feedback",
  {
    orderId: text("order_id")
      .primaryKey()
      .references(() => order.id),
    fileHash: hex("file_hash")
      .notNull()
      .references(() => feedbackFile.hash),
    /** prepared, submitted (the registry's event was seen), confirmed */
    status: text("status").$type<"prepared" | "submitted" | "confirmed">().notNull().default("prepared"),
    // Of the registry's event, once it was seen.
    blockNumber: bigint("block_number", { mode: "bigint" }),
    blockHash: hex("block_hash"),
    transactionHash: hex("transaction_hash"),
    logIndex: integer("log_index"),
    /** which of the client's to this agent it is, from 1 */
    feedbackIndex: bigint("feedback_index", { mode: "bigint" }),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("feedback_seen").on(table.blockNumber).where(sql`${table.status} <> 'prepared'`),
    index("feedback_submitted").on(table.updatedAt).where(sql`${table.status} = 'submitted'`),
  ],
);
