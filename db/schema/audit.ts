import { index, jsonb, text } from "drizzle-orm/pg-core";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject } from "./base.ts";

/**
 * A change of an account's credentials or wallets. The table is append-only: a trigger refuses every change but an erasure of
 * `data` and of the address.
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
