import { index, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import { baseUnits } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
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
