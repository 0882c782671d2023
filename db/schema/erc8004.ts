import { bigint, index, integer, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, baseUnits, hex } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { createdAt, earnest, time } from "./base.ts";
import { agent } from "./market.ts";
import { order } from "./orders.ts";

/** The ERC-8004 identity of an agent: at the last check, a wallet of the agent's owner owned or operated it. */
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
    /** URI of its registration file on the chain; null if there is none, or if it is too long to show */
    agentUri: text("agent_uri"),
    /** the owner's wallet, and its right to the identity */
    wallet: address("wallet").notNull(),
    authority: text("authority").$type<"owner" | "approved" | "operator">().notNull(),
    verifiedAt: time("verified_at").notNull(),
    /** block of the last check */
    verifiedBlock: bigint("verified_block", { mode: "bigint" }).notNull(),
    /** since when no wallet of the owner may act for it; a lost identity is not shown */
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

/** A file of ERC-8004 feedback, served for ever under its hash. A buyer may have signed any file of its order. */
export const feedbackFile = earnest.table(
  "feedback_file",
  {
    /** keccak256 of the content's bytes */
    hash: hex("hash").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** canonical JSON (RFC 8785): exactly the hashed bytes */
    content: text("content").notNull(),
    chainId: integer("chain_id").notNull(),
    reputationRegistry: address("reputation_registry").notNull(),
    tokenId: baseUnits("token_id").notNull(),
    clientAddress: address("client_address").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("feedback_file_order").on(table.orderId, table.createdAt)],
);

/** The feedback of an order: its file, and its event in the registry. */
export const feedback = earnest.table(
  "feedback",
  {
    orderId: text("order_id")
      .primaryKey()
      .references(() => order.id),
    fileHash: hex("file_hash")
      .notNull()
      .references(() => feedbackFile.hash),
    /** prepared, submitted (the registry has an event), confirmed */
    status: text("status").$type<"prepared" | "submitted" | "confirmed">().notNull().default("prepared"),
    // The registry's event; null before there is one.
    blockNumber: bigint("block_number", { mode: "bigint" }),
    blockHash: hex("block_hash"),
    transactionHash: hex("transaction_hash"),
    logIndex: integer("log_index"),
    /** number of the feedback from this client to this agent, from 1 */
    feedbackIndex: bigint("feedback_index", { mode: "bigint" }),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("feedback_seen").on(table.blockNumber).where(sql`${table.status} <> 'prepared'`),
    index("feedback_submitted").on(table.updatedAt).where(sql`${table.status} = 'submitted'`),
  ],
);
