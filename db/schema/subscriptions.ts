import { index, integer, jsonb, primaryKey, text } from "drizzle-orm/pg-core";
import type { Rail } from "../../protocol/settlement/vocabulary.ts";
import { address, baseUnits } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account, apiKey } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";
import { agent, service } from "./market.ts";
import { order } from "./orders.ts";

/** A buyer's subscription: it places an unfunded order each period, at its first terms, until it ends. */
export const subscription = earnest.table(
  "subscription",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    providerAccountId: text("provider_account_id")
      .notNull()
      .references(() => account.id),
    // Terms that are frozen when the subscription starts.
    price: baseUnits("price").notNull(),
    priceCurrency: text("price_currency").notNull(),
    interval: text("interval").$type<"day" | "week" | "month" | "year">().notNull(),
    inputPayload: jsonb("input_payload").$type<JsonObject>(),
    settlementRail: text("settlement_rail").$type<Rail>().notNull(),
    /** the token that its orders are paid in */
    chainId: integer("chain_id").notNull(),
    token: address("token").notNull(),
    buyerAddress: address("buyer_address").notNull(),
    arbiter: address("arbiter").notNull(),
    /** key that created the subscription, whose limits its orders count against; null for a session */
    keyId: text("key_id").references(() => apiKey.id),
    status: text("status").$type<"active" | "cancelled" | "ended">().notNull().default("active"),
    /** reason why it ended without a cancellation */
    endedReason: text("ended_reason").$type<
      "unpaid" | "withdrawn" | "input_refused" | "wallet_removed" | "arbiter_refused"
    >(),
    /** number of placed periods */
    periods: integer("periods").notNull().default(0),
    startedAt: time("started_at").notNull(),
    /** when the next order is placed */
    nextOrderAt: time("next_order_at").notNull(),
    endedAt: time("ended_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("subscription_account").on(table.accountId, table.createdAt, table.id),
    index("subscription_provider").on(table.providerAccountId, table.createdAt, table.id),
    index("subscription_due").on(table.nextOrderAt).where(sql`${table.status} = 'active'`),
  ],
);

/** The order of a period of a subscription. */
export const subscriptionOrder = earnest.table(
  "subscription_order",
  {
    subscriptionId: text("subscription_id")
      .notNull()
      .references(() => subscription.id),
    /** from 1 */
    period: integer("period").notNull(),
    orderId: text("order_id")
      .notNull()
      .unique()
      .references(() => order.id),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.subscriptionId, table.period] })],
);
