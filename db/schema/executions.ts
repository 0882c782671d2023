import { boolean, index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { service } from "./market.ts";
import { order } from "./orders.ts";

/** The execution of a funded order at the provider's endpoint. It is written in the transaction of the fact. */
export const execution = earnest.table(
  "execution",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** true for the revision that the buyer requested */
    isRevision: boolean("is_revision").notNull(),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    /** the provider */
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    /** accepted: the provider will deliver by itself; cancelled: the order needs no execution */
    status: text("status")
      .$type<"pending" | "delivered" | "accepted" | "failed" | "cancelled">()
      .notNull()
      .default("pending"),
    /** code of the reason why it failed or was cancelled */
    reason: text("reason"),
    /** started attempts, with those of dead workers; and attempts with an unusable answer */
    attempts: integer("attempts").notNull().default(0),
    rejections: integer("rejections").notNull().default(0),
    /** during a lease, the end of the lease */
    nextAttemptAt: time("next_attempt_at").notNull().defaultNow(),
    leaseOwner: text("lease_owner"),
    /** host of the current attempt */
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

/** An attempt of an execution, with the start of an unusable answer. Rows are deleted after a while. */
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
    /** code, with a sentence in `message`; null after a success */
    error: text("error"),
    message: text("message"),
    responseBody: text("response_body"),
  },
  (table) => [
    primaryKey({ columns: [table.executionId, table.number] }),
    index("execution_attempt_old").on(table.startedAt),
  ],
);

/** The behaviour of an endpoint since its URL was set. */
export const executionEndpoint = earnest.table("execution_endpoint", {
  serviceId: text("service_id")
    .primaryKey()
    .references(() => service.id, { onDelete: "cascade" }),
  url: text("url").notNull(),
  /** when it last accepted an order */
  answeredAt: time("answered_at"),
  /** since when all its requests failed */
  failingSince: time("failing_since"),
  /** duration of its last answer */
  durationMs: integer("duration_ms"),
});

/** The rate limit of a host for all workers together. */
export const executionHost = earnest.table("execution_host", {
  host: text("host").primaryKey(),
  /** when an endpoint of the host first accepted an order */
  answeredAt: time("answered_at"),
  failingSince: time("failing_since"),
  nextTrialAt: time("next_trial_at"),
  /** when the requests so far are through, at the rate of a host */
  busyUntil: time("busy_until"),
});
