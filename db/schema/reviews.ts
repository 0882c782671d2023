import { boolean, check, index, integer, smallint, text } from "drizzle-orm/pg-core";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { agent, service } from "./market.ts";
import { order } from "./orders.ts";

/** The review of a settled order by its buyer, with the provider's answer. An order has at most one review, for ever. */
export const review = earnest.table(
  "review",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .unique()
      .references(() => order.id),
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    buyerAccountId: text("buyer_account_id")
      .notNull()
      .references(() => account.id),
    providerAccountId: text("provider_account_id")
      .notNull()
      .references(() => account.id),
    /** 1 to 5; null after a withdrawal, like all texts */
    rating: smallint("rating"),
    text: text("text"),
    /** whether the order is settled. A trigger of `order` maintains it, since a reorganisation may revert a settlement. */
    settled: boolean("settled").notNull().default(true),
    /** whether the parties are not at arm's length (`order_outcome.apart`), so that the review counts in no rating; set by triggers */
    apart: boolean("apart").notNull().default(false),
    edits: integer("edits").notNull().default(0),
    editedAt: time("edited_at"),
    withdrawnAt: time("withdrawn_at"),
    answer: text("answer"),
    answeredAt: time("answered_at"),
    /** reports that count, by accounts that have bought something */
    reports: integer("reports").notNull().default(0),
    /** whether enough reports count */
    marked: boolean("marked").notNull().default(false),
    /** since when an operator hides it, so that it counts in no rating; null if it is shown */
    hiddenAt: time("hidden_at"),
    /** whether the provider reported it */
    disputedByProvider: boolean("disputed_by_provider").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    index("review_agent").on(table.agentId, table.createdAt, table.id),
    index("review_service").on(table.serviceId, table.createdAt, table.id),
    index("review_buyer").on(table.buyerAccountId, table.createdAt),
    index("review_provider").on(table.providerAccountId, table.createdAt, table.id),
    check("review_rating", sql`${table.rating} between 1 and 5`),
    check("review_withdrawn", sql`(${table.rating} is null) = (${table.withdrawnAt} is not null)`),
  ],
);

/** The counts of a service's reviews. Triggers of `review` maintain them. A summary is a sum of few rows. */
export const reviewTally = earnest.table(
  "review_tally",
  {
    serviceId: text("service_id")
      .primaryKey()
      .references(() => service.id),
    agentId: text("agent_id").notNull(),
    // Reviews that count, by rating: not withdrawn or hidden, of settled orders between parties at arm's length.
    rated1: integer("rated_1").notNull(),
    rated2: integer("rated_2").notNull(),
    rated3: integer("rated_3").notNull(),
    rated4: integer("rated_4").notNull(),
    rated5: integer("rated_5").notNull(),
    /** marked reviews among those that count */
    marked: integer("marked").notNull(),
    withdrawn: integer("withdrawn").notNull(),
    /** reviews that an operator hides, without withdrawn ones */
    hidden: integer("hidden").notNull().default(0),
    /** reviews of settled orders between parties that are not at arm's length */
    apart: integer("apart").notNull().default(0),
  },
  (table) => [index("review_tally_agent").on(table.agentId)],
);
