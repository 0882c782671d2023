import { index, integer, jsonb, primaryKey, text } from "drizzle-orm/pg-core";
import type { Claim, Party, ReceiptClaim } from "../../protocol/settlement/vocabulary.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";
import { fact } from "./facts.ts";
import { order } from "./orders.ts";

export const receipt = earnest.table(
  "receipt",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** one receipt for each settlement fact */
    factId: text("fact_id")
      .notNull()
      .unique()
      .references(() => fact.id),
    claim: text("claim").$type<ReceiptClaim>().notNull(),
    document: jsonb("document").$type<JsonObject>().notNull(),
    /** the compact JWS; for `released` only */
    x402Receipt: text("x402_receipt"),
    revokedAt: time("revoked_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("receipt_order").on(table.orderId, table.createdAt),
    index("receipt_revoked").on(table.revokedAt).where(sql`${table.revokedAt} is not null`),
  ],
);

/** A settlement of a party, for the history of an account. It is written with the receipt. */
export const accountSettlement = earnest.table(
  "account_settlement",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    receiptId: text("receipt_id")
      .notNull()
      .references(() => receipt.id),
    role: text("role").$type<Party>().notNull(),
    /** claim of the receipt, so that lists are counted in an index alone */
    claim: text("claim").$type<Claim>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.receiptId, table.role] }),
    index("account_settlement_list").on(
      table.accountId,
      table.createdAt,
      table.receiptId,
      table.role,
      table.claim,
    ),
  ],
);

/** The public half of a key that signs receipts. Private halves are never stored here. */
export const signingKey = earnest.table("signing_key", {
  /** fragment of the DID URL, such as `key-1` */
  kid: text("kid").primaryKey(),
  publicJwk: jsonb("public_jwk").$type<{ kty: "OKP"; crv: "Ed25519"; x: string }>().notNull(),
  notBefore: time("not_before").notNull(),
  retiredAt: time("retired_at"),
  compromisedSince: time("compromised_since"),
});

/** An entry of the published log of signing keys, which is append-only. */
export const keyLog = earnest.table("key_log", {
  seq: integer("seq").primaryKey(),
  /** the signed entry */
  entry: jsonb("entry").$type<JsonObject>().notNull(),
  createdAt: createdAt(),
});

/** The signed list of revoked receipts as it is served, one for each issuer name of the service. */
export const receiptStatusList = earnest.table("receipt_status_list", {
  issuer: text("issuer").primaryKey(),
  document: jsonb("document").$type<JsonObject>().notNull(),
  issuedAt: time("issued_at").notNull(),
});
