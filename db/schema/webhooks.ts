import { bigint, index, integer, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";
import { event } from "./facts.ts";

/** A webhook endpoint of an account. Its secret is derived and stored nowhere. */
export const webhookEndpoint = earnest.table(
  "webhook_endpoint",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    url: text("url").notNull(),
    /** host of the URL; the deliveries of all accounts to a host are counted together */
    host: text("host").notNull(),
    description: text("description"),
    /** types, or `*` alone for all */
    events: text("events").array().notNull(),
    /** active, paused by its owner, disabled by us, or revoked for good */
    status: text("status").$type<"active" | "paused" | "disabled" | "revoked">().notNull().default("active"),
    /** failing: all attempts failed for days; member_left: a member who set the URL or last saw the secret lost the role for it */
    disabledReason: text("disabled_reason").$type<"failing" | "member_left">(),
    secretVersion: integer("secret_version").notNull().default(1),
    /** accounts of the persons who set the URL and who last saw the secret; null if the secret must be replaced */
    urlBy: text("url_by").references(() => account.id),
    secretBy: text("secret_by").references(() => account.id),
    /** until when the previous secret signs too */
    previousSecretUntil: time("previous_secret_until"),
    /** since when every attempt failed; null after a success */
    failingSince: time("failing_since"),
    /** first acknowledged delivery at this URL */
    acknowledgedAt: time("acknowledged_at"),
    /** next attempt for an endpoint that has never acknowledged a delivery, or fails for a while */
    nextTrialAt: time("next_trial_at"),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("webhook_endpoint_account").on(table.accountId, table.createdAt, table.id),
    index("webhook_endpoint_host").on(table.host),
    index("webhook_endpoint_active").on(table.accountId).where(sql`${table.status} = 'active'`),
  ],
);

/** The rate limit of a host for all workers together. */
export const webhookHost = earnest.table("webhook_host", {
  host: text("host").primaryKey(),
  /** first acknowledged delivery */
  acknowledgedAt: time("acknowledged_at"),
  /** since when all attempts failed */
  failingSince: time("failing_since"),
  nextTrialAt: time("next_trial_at"),
  /** when the deliveries so far are through, at the rate of a host */
  busyUntil: time("busy_until"),
});

/** The rate limit of an account for all workers together. */
export const webhookSender = earnest.table("webhook_sender", {
  accountId: text("account_id")
    .primaryKey()
    .references(() => account.id),
  /** last attempt at an endpoint that has never acknowledged a delivery */
  triedAt: time("tried_at"),
  busyUntil: time("busy_until"),
});

/** The delivery of an event to an endpoint. It is written in the transaction of the event. */
export const webhookDelivery = earnest.table(
  "webhook_delivery",
  {
    id: text("id").primaryKey(),
    endpointId: text("endpoint_id")
      .notNull()
      .references(() => webhookEndpoint.id),
    /** null for a test event, which is in no feed */
    eventId: text("event_id").references(() => event.id),
    type: text("type").notNull(),
    /** body of a test event */
    testBody: jsonb("test_body").$type<JsonObject>(),
    status: text("status")
      .$type<"pending" | "succeeded" | "failed" | "cancelled">()
      .notNull()
      .default("pending"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull().defaultNow(),
    /** worker that sends it, and the end of its lease */
    leaseOwner: text("lease_owner"),
    leasedUntil: time("leased_until"),
    lastStatusCode: integer("last_status_code"),
    lastError: text("last_error"),
    createdAt: createdAt(),
    finishedAt: time("finished_at"),
  },
  (table) => [
    // The index also finds the deliveries of an event. `webhook_delivery_list` finds those of an endpoint.
    uniqueIndex("webhook_delivery_once").on(table.eventId, table.endpointId),
    index("webhook_delivery_due").on(table.nextAttemptAt).where(sql`${table.status} = 'pending'`),
    index("webhook_delivery_pending")
      .on(table.endpointId, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending'`),
    index("webhook_delivery_failed").on(table.createdAt, table.id).where(sql`${table.status} = 'failed'`),
    index("webhook_delivery_list").on(table.endpointId, table.createdAt, table.id),
    index("webhook_delivery_old").on(table.createdAt),
  ],
);

/** An attempt of a delivery, with the start of the answer. Rows are deleted after a while. */
export const webhookAttempt = earnest.table(
  "webhook_attempt",
  {
    deliveryId: text("delivery_id")
      .notNull()
      .references(() => webhookDelivery.id, { onDelete: "cascade" }),
    number: integer("number").notNull(),
    startedAt: time("started_at").notNull(),
    latencyMs: integer("latency_ms"),
    statusCode: integer("status_code"),
    /** code and sentence; null with an answer */
    error: text("error"),
    /** headers of the request that `headersOf` cannot compute, such as the signatures */
    requestHeaders: jsonb("request_headers").$type<Record<string, string>>().notNull(),
    responseBody: text("response_body"),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
);

/** A range of events that is sent again to an endpoint. */
export const webhookRecovery = earnest.table(
  "webhook_recovery",
  {
    id: text("id").primaryKey(),
    endpointId: text("endpoint_id")
      .notNull()
      .references(() => webhookEndpoint.id),
    since: time("since").notNull(),
    until: time("until").notNull(),
    status: text("status").$type<"running" | "done" | "failed">().notNull().default("running"),
    /** position of the last queued event */
    cursor: bigint("cursor", { mode: "number" }).notNull().default(0),
    queued: integer("queued").notNull().default(0),
    total: integer("total").notNull().default(0),
    createdAt: createdAt(),
    finishedAt: time("finished_at"),
  },
  (table) => [index("webhook_recovery_endpoint").on(table.endpointId, table.createdAt)],
);
