import { index, integer, jsonb, text } from "drizzle-orm/pg-core";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";

/**
 * How much of its rate a client has used, for all replicas. Not logged by PostgreSQL (the migration makes it UNLOGGED):
 * after a crash of the database it is empty, and everybody starts anew.
 */
export const rateLimit = earnest.table("rate_limit", {
  /** policy and client, as in `default key_01jd...` */
  bucket: text("bucket").primaryKey(),
  /** when it is full again if nothing more is asked */
  fullAt: time("full_at").notNull(),
});

/** The answer of a write that came with an `Idempotency-Key`, so that the same write again gets it. */
export const idempotencyRecord = earnest.table(
  "idempotency_record",
  {
    /** SHA-256 of the account and the key */
    scope: text("scope").primaryKey(),
    /** SHA-256 of what was asked */
    requestHash: text("request_hash").notNull(),
    /** what the write makes has the id made of this, however often it is begun */
    effectId: text("effect_id").notNull(),
    /** until when whoever carries it out is left alone; null once it is answered */
    leasedUntil: time("leased_until"),
    status: integer("status"),
    /** headers and body, encrypted under the caller's token and key, which are stored nowhere */
    answer: text("answer"),
    createdAt: createdAt(),
  },
  (table) => [index("idempotency_record_old").on(table.createdAt)],
);

/** What was done to an account's credentials and wallets: append-only (a trigger refuses the rest). */
export const auditEntry = earnest.table(
  "audit_entry",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    /** the account of the person who did it: another one where a member acts for an organisation */
    actorAccountId: text("actor_account_id")
      .notNull()
      .references(() => account.id),
    /** the session or key it was done with */
    credentialId: text("credential_id"),
    /** what was done, as in `key.created` */
    action: text("action").notNull(),
    /** the id of what it was done to */
    target: text("target").notNull(),
    data: jsonb("data").$type<JsonObject>().notNull(),
    /** where the request came from; null where it came over no network */
    clientAddress: text("client_address"),
    requestId: text("request_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("audit_entry_account").on(table.accountId, table.createdAt, table.id)],
);
