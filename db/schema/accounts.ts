import { boolean, check, index, integer, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, hex } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { createdAt, earnest, time } from "./base.ts";

export const account = earnest.table(
  "account",
  {
    id: text("id").primaryKey(),
    username: text("username").unique(),
    displayName: text("display_name"),
    role: text("role").notNull().default("member"),
    /** the network of its first sign-in or purchase: an IPv4 /24 or an IPv6 /48; null if unknown */
    network: text("network"),
    /** since when an operator keeps the account from buying, selling and reporting; null if it is free to */
    bannedAt: time("banned_at"),
    /** since when an erasure is requested, during which the account is a party of no new order; null without a request */
    erasingAt: time("erasing_at"),
    /** when the words of the account were last erased; null if they never were */
    erasedAt: time("erased_at"),
    createdAt: createdAt(),
  },
  (table) => [index("account_network").on(table.network)],
);

/**
 * A wallet whose owner proved it. A key is known by its address on every chain. A contract is known on one chain: the
 * same address may be another's contract elsewhere.
 */
export const wallet = earnest.table(
  "wallet",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    address: address("address").notNull(),
    /** the chain of a contract; null for a key */
    chainId: integer("chain_id"),
    /** how its signature was checked */
    provedBy: text("proved_by").$type<"key" | "contract">().notNull(),
    isPrimary: boolean("is_primary").notNull().default(false),
    verifiedAt: time("verified_at").notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (table) => [
    index("wallet_account").on(table.accountId),
    uniqueIndex("wallet_address").on(table.address, sql`coalesce(${table.chainId}, 0)`),
    check(
      "wallet_contract_has_chain",
      sql`(${table.chainId} is not null) = (${table.provedBy} = 'contract')`,
    ),
    uniqueIndex("wallet_primary").on(table.accountId).where(sql`${table.isPrimary}`),
  ],
);

/**
 * The public key of a passkey that proved its account. Another device computes two keys from a signature, and reads here
 * which one is a passkey's. No id of an authenticator is stored, because nothing proves such an id. A row never changes.
 */
export const passkey = earnest.table("passkey", {
  /** the passkey's account, which follows from the key */
  address: address("address").primaryKey(),
  /** the coordinates of the key on the curve P-256 */
  x: hex("x").notNull(),
  y: hex("y").notNull(),
  createdAt: createdAt(),
});

/** The purpose of a wallet's signature. A signature for one purpose is not valid for another. */
export type SignaturePurpose = "sign_in" | "link_wallet" | "approve_device" | "read_purchase";

/** A message for a wallet to sign. Its nonce is used up before the signature is checked. */
export const signInNonce = earnest.table(
  "sign_in_nonce",
  {
    nonce: text("nonce").primaryKey(),
    address: address("address").notNull(),
    chainId: integer("chain_id").notNull(),
    /** SHA-256 of the message */
    messageHash: text("message_hash").notNull(),
    /** purpose of the signature, which the message states too */
    purpose: text("purpose").$type<SignaturePurpose>().notNull().default("sign_in"),
    /** account that the wallet is added to */
    accountId: text("account_id").references(() => account.id),
    /** SHA-256 of the device code of the browser that the wallet signs in */
    deviceCodeHash: text("device_code_hash"),
    expiresAt: time("expires_at").notNull(),
    usedAt: time("used_at"),
  },
  (table) => [index("sign_in_nonce_expires").on(table.expiresAt)],
);

/**
 * A session of a program, which sends its token as `Authorization: Bearer`, or of a browser, which sends a cookie. Use
 * prolongs a browser's session up to `endsAt`.
 */
export const session = earnest.table(
  "session",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    holder: text("holder").$type<"program" | "browser">().notNull().default("program"),
    /** SHA-256 of the token, which is shown once and never stored */
    tokenHash: text("token_hash").notNull().unique(),
    /** the wallet that signed in: its sessions end when it is removed from the account */
    address: address("address"),
    /** the `User-Agent` of the sign-in, shortened; null if none was sent */
    userAgent: text("user_agent"),
    /** the network of the last use: an IPv4 /24 or an IPv6 /48; null if unknown */
    network: text("network"),
    /** precise to the hour */
    lastUsedAt: time("last_used_at").notNull().defaultNow(),
    expiresAt: time("expires_at").notNull(),
    /** the latest end of a browser's session; null for a program's, which nothing prolongs */
    endsAt: time("ends_at"),
    revokedAt: time("revoked_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("session_account")
      .on(table.accountId, table.createdAt, table.id)
      .where(sql`${table.revokedAt} is null`),
    index("session_of").on(table.accountId),
    check("session_browser_has_end", sql`(${table.endsAt} is not null) = (${table.holder} = 'browser')`),
  ],
);

/** A browser's request for a session, which a wallet on another device approves (in the manner of RFC 8628). */
export const deviceSignIn = earnest.table(
  "device_sign_in",
  {
    /** SHA-256 of the code that the browser keeps */
    deviceCodeHash: text("device_code_hash").primaryKey(),
    /** SHA-256 of the code that the browser shows */
    userCodeHash: text("user_code_hash").notNull().unique(),
    /** the `User-Agent` of the browser, shortened; null if none was sent */
    userAgent: text("user_agent"),
    /** the network of the browser: an IPv4 /24 or an IPv6 /48; null if unknown */
    network: text("network"),
    /** SHA-256 of the browser's address (of IPv6, its /64); null if unknown */
    addressHash: text("address_hash"),
    /** SHA-256 of the code in the link that the browser shows as a QR code */
    linkCodeHash: text("link_code_hash").notNull().unique(),
    /** the wallet that approved */
    address: address("address"),
    /** the chain of a contract wallet; null for a key */
    chainId: integer("chain_id"),
    approvedAt: time("approved_at"),
    /** the network of the device that approved; null if unknown */
    approvedFrom: text("approved_from"),
    refusedAt: time("refused_at"),
    /** when the browser got its session */
    usedAt: time("used_at"),
    /** the seconds between two polls */
    interval: integer("interval").notNull(),
    polledAt: time("polled_at"),
    expiresAt: time("expires_at").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("device_sign_in_expires").on(table.expiresAt),
    check("device_sign_in_has_wallet", sql`(${table.approvedAt} is null) = (${table.address} is null)`),
  ],
);

/**
 * Spending limits of a key; an absent limit does not apply. Amounts are decimals of the settlement token. Days and months
 * are those of UTC.
 */
export type KeyLimits = {
  per_order?: string;
  per_day?: string;
  per_month?: string;
  /** open orders that the key placed */
  max_open_orders?: number;
  /** ids of the agents and services that the key may order from */
  agents?: string[];
  services?: string[];
  /** tokens that the key may pay with: addresses or symbols */
  assets?: string[];
  /** amount above which an order needs approval by an owner or admin */
  approval_above?: string;
};

export const apiKey = earnest.table(
  "api_key",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    name: text("name").notNull(),
    scopes: text("scopes").array().notNull(),
    /** SHA-256 of the token, which is shown once and never stored; null for a key of an OAuth grant */
    tokenHash: text("token_hash").unique(),
    /** the token's last four characters, by which its owner distinguishes keys; null for a key of an OAuth grant */
    tokenHint: text("token_hint"),
    /** the OAuth grant whose access tokens act as this key; null for a key with a token of its own */
    grantId: text("grant_id").unique(),
    /** the host that got the code of the OAuth grant, or the scheme of an installed program */
    clientHost: text("client_host"),
    /** account of the person who created the key; null if unknown */
    createdBy: text("created_by").references(() => account.id),
    limits: jsonb("limits").$type<KeyLimits>(),
    /** networks (CIDR) from which the key is accepted; null for any */
    allowedIps: text("allowed_ips").array(),
    expiresAt: time("expires_at"),
    lastUsedAt: time("last_used_at"),
    revokedAt: time("revoked_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("api_key_account").on(table.accountId, table.createdAt),
    check("api_key_has_token_or_grant", sql`(${table.tokenHash} is null) = (${table.grantId} is not null)`),
  ],
);

/** A person who acts for an account, besides its owner, who has no row here. Every account is an organisation. */
export const organisationMember = earnest.table(
  "organisation_member",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    memberAccountId: text("member_account_id")
      .notNull()
      .references(() => account.id),
    role: text("role").$type<"owner" | "admin" | "developer" | "viewer">().notNull(),
    /** account of the person who invited the member; null if unknown */
    invitedBy: text("invited_by").references(() => account.id),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.memberAccountId] }),
    index("organisation_member_of").on(table.memberAccountId),
  ],
);

/** A wallet that is invited to join. The person who signs in with the wallet answers. */
export const organisationInvitation = earnest.table(
  "organisation_invitation",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    address: address("address").notNull(),
    /** the chain of an invited contract; null for a key */
    chainId: integer("chain_id"),
    role: text("role").$type<"owner" | "admin" | "developer" | "viewer">().notNull(),
    invitedBy: text("invited_by")
      .notNull()
      .references(() => account.id),
    /** open, accepted, declined or revoked; an open invitation also ends at `expiresAt` */
    status: text("status").$type<"open" | "accepted" | "declined" | "revoked">().notNull().default("open"),
    answeredAt: time("answered_at"),
    expiresAt: time("expires_at").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("organisation_invitation_account").on(table.accountId, table.createdAt, table.id),
    index("organisation_invitation_received")
      .on(table.address, table.createdAt, table.id)
      .where(sql`${table.status} = 'open'`),
    // An organisation has one open invitation to a wallet.
    uniqueIndex("organisation_invitation_open")
      .on(table.accountId, table.address)
      .where(sql`${table.status} = 'open'`),
  ],
);
