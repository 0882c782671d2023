import { sql } from "drizzle-orm";
import { boolean, check, index, integer, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { agent, service } from "./market.ts";
import { order } from "./orders.ts";

/** What an order's buyer says of it, once it is settled, and what its provider answers. An order has one for ever. */
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
    /** 1 to 5; null once it is withdrawn, as all texts of it are */
    rating: smallint("rating"),
    text: text("text"),
    /** whether the order's settlement stands, kept by a trigger of `order`: a reorganisation may take it back */
    settled: boolean("settled").notNull().default(true),
    /** whether its order is apart (`order_outcome.apart`), kept by triggers: it counts in no rating then */
    apart: boolean("apart").notNull().default(false),
    edits: integer("edits").notNull().default(0),
    editedAt: time("edited_at"),
    withdrawnAt: time("withdrawn_at"),
    answer: text("answer"),
    answeredAt: time("answered_at"),
    /** reports that count: those of accounts that bought something themselves */
    reports: integer("reports").notNull().default(0),
    /** enough reports count */
    marked: boolean("marked").notNull().default(false),
    /** its provider reported it */
    disputedByProvider: boolean("disputed_by_provider").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    index("review_agent").on(table.agentId, table.createdAt, table.id),
    index("review_service").on(table.serviceId, table.createdAt, table.id),
    index("review_buyer").on(table.buyerAccountId, table.createdAt),
    check("review_rating", sql`${table.rating} between 1 and 5`),
    check("review_withdrawn", sql`(${table.rating} is null) = (${table.withdrawnAt} is not null)`),
  ],
);

/** Who reported a review, once each. */
export const reviewReport = earnest.table(
  "review_report",
  {
    reviewId: text("review_id")
      .notNull()
      .references(() => review.id),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    reason: text("reason").notNull(),
    /** whether it counts towards the mark */
    counts: boolean("counts").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.reviewId, table.accountId] }),
    index("review_report_account").on(table.accountId, table.createdAt),
  ],
);

/** What the reviews of a service come to, kept by triggers of `review`: a summary is a sum of few rows. */
export const reviewTally = earnest.table(
  "review_tally",
  {
    serviceId: text("service_id")
      .primaryKey()
      .references(() => service.id),
    agentId: text("agent_id").notNull(),
    // Those that count, by their rating: not withdrawn, of an order whose settlement stands, its parties at arm's length.
    rated1: integer("rated_1").notNull(),
    rated2: integer("rated_2").notNull(),
    rated3: integer("rated_3").notNull(),
    rated4: integer("rated_4").notNull(),
    rated5: integer("rated_5").notNull(),
    /** of those that count */
    marked: integer("marked").notNull(),
    withdrawn: integer("withdrawn").notNull(),
    /** of orders that stand as settled and are apart */
    apart: integer("apart").notNull().default(0),
  },
  (table) => [index("review_tally_agent").on(table.agentId)],
);
