import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";
import { event } from "./orders.ts";

/** Where an account wants to be told of its events. Its secret is derived and stored nowhere. */
export const webhookEndpoint = earnest.table(
  "webhook_endpoint",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    url: text("url").notNull(),
    /** the URL's, whose deliveries are counted together, whoever owns the endpoints */
    host: text("host").notNull(),
    description: text("description"),
    /** types, or `*` alone for all */
    events: text("events").array().notNull(),
    /** active, paused by its owner, disabled by us, or revoked for good */
    status: text("status").$type<"active" | "paused" | "disabled" | "revoked">().notNull().default("active"),
    /** failing: everything failed for days; member_left: the member who set its URL, or saw its secret last, lost that power */
    disabledReason: text("disabled_reason").$type<"failing" | "member_left">(),
    secretVersion: integer("secret_version").notNull().default(1),
    /** the accounts of the persons who set its URL, and who saw its secret last; null where the secret has to be replaced */
    urlBy: text("url_by").references(() => account.id),
    secretBy: text("secret_by").references(() => account.id),
    /** until when the version before signs too */
    previousSecretUntil: time("previous_secret_until"),
    /** since when every attempt failed; null after a success */
    failingSince: time("failing_since"),
    /** when it first acknowledged a delivery at this URL */
    acknowledgedAt: time("acknowledged_at"),
    /** until then it gets nothing while it never acknowledged anything, or has failed for a while */
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

/** What a host may be sent, by all workers together. */
export const webhookHost = earnest.table("webhook_host", {
  host: text("host").primaryKey(),
  /** when it first acknowledged a delivery */
  acknowledgedAt: time("acknowledged_at"),
  /** since when it did not, though it was tried */
  failingSince: time("failing_since"),
  nextTrialAt: time("next_trial_at"),
  /** the time that the deliveries so far take at the rate of a host */
  busyUntil: time("busy_until"),
});

/** The same for an account. */
export const webhookSender = earnest.table("webhook_sender", {
  accountId: text("account_id")
    .primaryKey()
    .references(() => account.id),
  /** when one of its endpoints was last tried that never acknowledged anything */
  triedAt: time("tried_at"),
  busyUntil: time("busy_until"),
});

/** An event on its way to an endpoint, written in the transaction of the event. */
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
    /** the body of a test event */
    testBody: jsonb("test_body").$type<JsonObject>(),
    status: text("status")
      .$type<"pending" | "succeeded" | "failed" | "cancelled">()
      .notNull()
      .default("pending"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull().defaultNow(),
    /** who is sending it, and until when others leave it to them */
    leaseOwner: text("lease_owner"),
    leasedUntil: time("leased_until"),
    lastStatusCode: integer("last_status_code"),
    lastError: text("last_error"),
    createdAt: createdAt(),
    finishedAt: time("finished_at"),
  },
  (table) => [
    // Also finds the deliveries of an event. An endpoint's are found by `webhook_delivery_list`.
    uniqueIndex("webhook_delivery_once").on(table.eventId, table.endpointId),
    index("webhook_delivery_due").on(table.nextAttemptAt).where(sql`${table.status} = 'pending'`),
    index("webhook_delivery_pending")
      .on(table.endpointId, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending'`),
    index("webhook_delivery_list").on(table.endpointId, table.createdAt, table.id),
    index("webhook_delivery_old").on(table.createdAt),
  ],
);

/** One try of a delivery, with the beginning of what was answered. Kept for a while. */
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
    /** a code and a sentence where no answer came */
    error: text("error"),
    /** the signatures, and of older attempts all: the others are as `headersOf` has them */
    requestHeaders: jsonb("request_headers").$type<Record<string, string>>().notNull(),
    responseBody: text("response_body"),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
);

/** A range of events being sent again to an endpoint. */
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
    /** the event up to which it has come */
    cursor: bigint("cursor", { mode: "number" }).notNull().default(0),
    queued: integer("queued").notNull().default(0),
    total: integer("total").notNull().default(0),
    createdAt: createdAt(),
    finishedAt: time("finished_at"),
  },
  (table) => [index("webhook_recovery_endpoint").on(table.endpointId, table.createdAt)],
);
