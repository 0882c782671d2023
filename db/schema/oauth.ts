import { index, jsonb, primaryKey, text } from "drizzle-orm/pg-core";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";

/** A program that registered itself (RFC 7591). Registration gives no rights: a person grants them. */
export const oauthClient = earnest.table(
  "oauth_client",
  {
    id: text("id").primaryKey(),
    /** the registered metadata, in the names of RFC 7591 */
    metadata: jsonb("metadata").$type<JsonObject>().notNull(),
    /** the network of the registration: an IPv4 /24 or an IPv6 /48; null if unknown */
    network: text("network"),
    /** the last consent to this program; null before the first */
    usedAt: time("used_at"),
    createdAt: createdAt(),
  },
  (table) => [index("oauth_client_unused").on(table.usedAt, table.createdAt)],
);

/** A grant, code, token or open consent of the authorization server, as `oidc-provider` stores it. */
export const oauthRecord = earnest.table(
  "oauth_record",
  {
    kind: text("kind").notNull(),
    /** SHA-256 of the id, which is the token or code itself and is never stored */
    idHash: text("id_hash").notNull(),
    grantId: text("grant_id"),
    payload: jsonb("payload").$type<JsonObject>().notNull(),
    /** the one use of a code or refresh token; a second use revokes the grant */
    consumedAt: time("consumed_at"),
    expiresAt: time("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.idHash] }),
    index("oauth_record_grant").on(table.grantId),
    index("oauth_record_expires").on(table.expiresAt),
  ],
);
