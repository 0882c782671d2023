// The ledger: facts of orders, and the events for accounts that follow from them.

import { bigint, bigserial, boolean, index, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import { hex } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";
import { order } from "./orders.ts";

/**
 * A fact of an order in the ledger, which is append-only: a trigger refuses every change but an erasure of the words in
 * `data`. The trail of an order is its facts.
 */
export const fact = earnest.table(
  "fact",
  {
    id: text("id").primaryKey(),
    /** the order of arrival */
    seq: bigserial("seq", { mode: "number" }).notNull(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    type: text("type").notNull(),
    actor: text("actor").notNull(),
    /** key under which the fact is recorded once: the id of the chain event, or `<order id>:<step>:<n>` */
    key: text("key").notNull().unique(),
    data: jsonb("data").$type<JsonObject>().notNull(),
    occurredAt: time("occurred_at").notNull(),
    recordedAt: time("recorded_at").notNull().defaultNow(),
    // Set for facts of the chain.
    chainId: integer("chain_id"),
    blockNumber: bigint("block_number", { mode: "bigint" }),
    blockHash: hex("block_hash"),
    transactionHash: hex("transaction_hash"),
    logIndex: integer("log_index"),
  },
  (table) => [
    index("fact_order").on(table.orderId, table.seq),
    // For checks after reorganisations: recent facts of the chain, and reverted facts.
    index("fact_block").on(table.chainId, table.blockNumber).where(sql`${table.chainId} is not null`),
    index("fact_reverted").on(table.orderId).where(sql`${table.type} = 'fact.reverted'`),
  ],
);

/** The sequence of positions of events in feeds. It never goes back. */
export const eventPosition = earnest.sequence("event_position");

/** An event for an account. Webhook deliveries, mail and the event feed come from it. */
export const event = earnest.table(
  "event",
  {
    id: text("id").primaryKey(),
    seq: bigserial("seq", { mode: "number" }).notNull(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    type: text("type").notNull(),
    orderId: text("order_id").references(() => order.id),
    factId: text("fact_id").references(() => fact.id),
    /** key under which an event without a fact is written once for an account, such as `quote:<id>` */
    key: text("key"),
    data: jsonb("data").$type<JsonObject>().notNull(),
    /** position in the account's feed, assigned when the feed is first read, because `seq` is not the order of commits */
    position: bigint("position", { mode: "number" }),
    /** whether people of the account are notified: acts of the account itself, minor steps and most messages are in the feed alone */
    notifies: boolean("notifies")
      .notNull()
      .generatedAlwaysAs(
        sql`type not in ('order.started', 'delivery.recorded') and (type = 'order.approval_requested'
          or coalesce(data #>> '{entry,actor}' <> data #>> '{order,your_role}', true))
          and data #>> '{message,notifies}' is distinct from 'false'`,
      ),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("event_once").on(table.factId, table.accountId, table.type),
    uniqueIndex("event_key").on(table.accountId, table.key).where(sql`${table.key} is not null`),
    index("event_feed").on(table.accountId, table.position),
    index("event_notification").on(table.accountId, table.position).where(sql`${table.notifies}`),
    index("event_unpositioned").on(table.accountId, table.seq).where(sql`${table.position} is null`),
    index("event_old").on(table.createdAt),
    // For erasures: an order's events without a fact, and the events that announced a request.
    index("event_order")
      .on(table.orderId)
      .where(sql`${table.orderId} is not null and ${table.factId} is null`),
    index("event_request").on(table.key).where(sql`${table.type} = 'request.matched'`),
  ],
);
