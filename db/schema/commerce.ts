import { index, integer, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Rail } from "../../protocol/settlement/vocabulary.ts";
import { address, baseUnits } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account, apiKey } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";
import { agent, type OrderedStage, service } from "./market.ts";
import { order } from "./orders.ts";

/** A buyer's request for work, on which providers quote. */
export const openRequest = earnest.table(
  "open_request",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    title: text("title").notNull(),
    description: text("description").notNull(),
    tags: text("tags").array().notNull(),
    /** base units of the token that prices are in */
    budget: baseUnits("budget"),
    budgetCurrency: text("budget_currency"),
    /** an open request also ends at `expires_at`, without a change of the row */
    status: text("status").$type<"open" | "closed" | "accepted">().notNull().default("open"),
    expiresAt: time("expires_at").notNull(),
    closedAt: time("closed_at"),
    /** when the matching providers were notified */
    announcedAt: time("announced_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("open_request_account").on(table.accountId, table.createdAt, table.id),
    index("open_request_listed").on(table.createdAt, table.id).where(sql`${table.status} = 'open'`),
    index("open_request_tags").using("gin", table.tags),
    index("open_request_unannounced").on(table.createdAt).where(sql`${table.announcedAt} is null`),
  ],
);

/** A provider's offer for an open request. It binds nobody until it is accepted. */
export const quote = earnest.table(
  "quote",
  {
    id: text("id").primaryKey(),
    requestId: text("request_id")
      .notNull()
      .references(() => openRequest.id),
    /** the provider */
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    /** total price, in base units of the token that prices are in */
    price: baseUnits("price").notNull(),
    priceCurrency: text("price_currency").notNull(),
    deliveryTimeHours: integer("delivery_time_hours").notNull(),
    /** the stages of the work, with amounts in base units as `price`; null for a delivery in one piece */
    stages: jsonb("stages").$type<OrderedStage[]>(),
    message: text("message"),
    /** an offered quote also ends at `expires_at`, without a change of the row */
    status: text("status")
      .$type<"offered" | "withdrawn" | "accepted" | "declined">()
      .notNull()
      .default("offered"),
    expiresAt: time("expires_at").notNull(),
    /** the order that its acceptance placed */
    orderId: text("order_id")
      .unique()
      .references(() => order.id),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("quote_offered").on(table.requestId, table.serviceId).where(sql`${table.status} = 'offered'`),
    uniqueIndex("quote_accepted").on(table.requestId).where(sql`${table.status} = 'accepted'`),
    index("quote_request").on(table.requestId, table.createdAt, table.id),
    index("quote_account").on(table.accountId, table.createdAt, table.id),
  ],
);

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
