import { index, integer, jsonb, text } from "drizzle-orm/pg-core";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";

/**
 * The used rate of a client, shared by all replicas. The migration makes the table UNLOGGED: after a crash of the database
 * it is empty.
 */
export const rateLimit = earnest.table("rate_limit", {
  /** policy and client, as in `default key_01jd...` */
  bucket: text("bucket").primaryKey(),
  /** when the bucket is full again without further requests */
  fullAt: time("full_at").notNull(),
});

/** The answer to a write with an `Idempotency-Key`, which a repetition of the write gets. */
export const idempotencyRecord = earnest.table(
  "idempotency_record",
  {
    /** SHA-256 of the account and the key */
    scope: text("scope").primaryKey(),
    /** SHA-256 of the request */
    requestHash: text("request_hash").notNull(),
    /** source of the id of the created object, so that each attempt creates the same object */
    effectId: text("effect_id").notNull(),
    /** end of the lease of the process that handles the write; null after the answer */
    leasedUntil: time("leased_until"),
    status: integer("status"),
    /** headers and body, encrypted under the caller's token and key, which are stored nowhere */
    answer: text("answer"),
    createdAt: createdAt(),
  },
  (table) => [index("idempotency_record_old").on(table.createdAt)],
);

/**
 * A change of an account's credentials or wallets. The table is append-only: a trigger refuses every change but an erasure of
 * words and of the client's address.
 */
export const auditEntry = earnest.table(
  "audit_entry",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    /** account of the person who acted, such as a member of the organisation */
    actorAccountId: text("actor_account_id")
      .notNull()
      .references(() => account.id),
    /** session or key of the request */
    credentialId: text("credential_id"),
    /** action, such as `key.created` */
    action: text("action").notNull(),
    /** id of the changed object */
    target: text("target").notNull(),
    data: jsonb("data").$type<JsonObject>().notNull(),
    /** address of the client; null if the request came over no network */
    clientAddress: text("client_address"),
    requestId: text("request_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("audit_entry_account").on(table.accountId, table.createdAt, table.id),
    index("audit_entry_actor").on(table.actorAccountId, table.createdAt, table.id),
  ],
);
