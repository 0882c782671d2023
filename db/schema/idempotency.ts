import { index, integer, text } from "drizzle-orm/pg-core";
import { createdAt, earnest, time } from "./base.ts";

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
