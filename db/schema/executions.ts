import { sql } from "drizzle-orm";
import { boolean, index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { service } from "./market.ts";
import { order } from "./orders.ts";

/** A funded order that the service executes at the provider's endpoint; written in the transaction of the fact. */
export const execution = earnest.table(
  "execution",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** false for the order itself, true for the changes that its buyer asked for */
    isRevision: boolean("is_revision").notNull(),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    /** the provider */
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    /** accepted: the provider will deliver by itself; cancelled: the order is no longer to be executed */
    status: text("status")
      .$type<"pending" | "delivered" | "accepted" | "failed" | "cancelled">()
      .notNull()
      .default("pending"),
    /** the code of why it failed or was cancelled */
    reason: text("reason"),
    /** begun ones, those that a dead worker left too; of them those that the endpoint answered and that were no use */
    attempts: integer("attempts").notNull().default(0),
    rejections: integer("rejections").notNull().default(0),
    /** while a lease lasts its end */
    nextAttemptAt: time("next_attempt_at").notNull().defaultNow(),
    leaseOwner: text("lease_owner"),
    /** where it is being executed */
    host: text("host"),
    createdAt: createdAt(),
    finishedAt: time("finished_at"),
  },
  (table) => [
    uniqueIndex("execution_once").on(table.orderId, table.isRevision),
    index("execution_due").on(table.nextAttemptAt).where(sql`${table.status} = 'pending'`),
    index("execution_pending")
      .on(table.serviceId, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending'`),
    index("execution_held").on(table.nextAttemptAt).where(sql`${table.leaseOwner} is not null`),
    index("execution_recent").on(table.createdAt),
  ],
);

/** One try of an execution, with the beginning of an answer that was no use. Kept for a while. */
export const executionAttempt = earnest.table(
  "execution_attempt",
  {
    executionId: text("execution_id")
      .notNull()
      .references(() => execution.id),
    number: integer("number").notNull(),
    startedAt: time("started_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    statusCode: integer("status_code"),
    /** a code and a sentence; null after a success */
    error: text("error"),
    message: text("message"),
    responseBody: text("response_body"),
  },
  (table) => [
    primaryKey({ columns: [table.executionId, table.number] }),
    index("execution_attempt_old").on(table.startedAt),
  ],
);

/** What an endpoint has shown of itself, as long as its URL stays. */
export const executionEndpoint = earnest.table("execution_endpoint", {
  serviceId: text("service_id")
    .primaryKey()
    .references(() => service.id, { onDelete: "cascade" }),
  url: text("url").notNull(),
  /** when it last took an order */
  answeredAt: time("answered_at"),
  /** since when it took none, though it was asked */
  failingSince: time("failing_since"),
  /** how long its last answer took */
  durationMs: integer("duration_ms"),
});

/** What a host may be sent, by all workers together. */
export const executionHost = earnest.table("execution_host", {
  host: text("host").primaryKey(),
  /** when an endpoint at it first took an order */
  answeredAt: time("answered_at"),
  failingSince: time("failing_since"),
  nextTrialAt: time("next_trial_at"),
  /** the time that the requests so far take at the rate of a host */
  busyUntil: time("busy_until"),
});
