import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";
import { address, baseUnits, hex, searchText } from "./columns.ts";

/** Everything that Earnest itself writes. What the chain says lies in Ponder's schema. */
export const earnest = pgSchema("earnest");

const time = (name: string) => timestamp(name, { withTimezone: true });
const createdAt = () => time("created_at").notNull().defaultNow();

export type JsonObject = Record<string, unknown>;

export const account = earnest.table("account", {
  id: text("id").primaryKey(),
  username: text("username").unique(),
  displayName: text("display_name"),
  role: text("role").notNull().default("member"),
  createdAt: createdAt(),
});

/** A wallet whose owner proved it by signing in. An address belongs to one account. */
export const wallet = earnest.table(
  "wallet",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    address: address("address").notNull().unique(),
    isPrimary: boolean("is_primary").notNull().default(false),
    verifiedAt: time("verified_at").notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (table) => [
    index("wallet_account").on(table.accountId),
    uniqueIndex("wallet_primary").on(table.accountId).where(sql`${table.isPrimary}`),
  ],
);

/** A message handed out to be signed by a wallet; its nonce is burned before the signature is looked at. */
export const signInNonce = earnest.table(
  "sign_in_nonce",
  {
    nonce: text("nonce").primaryKey(),
    address: address("address").notNull(),
    chainId: integer("chain_id").notNull(),
    message: text("message").notNull(),
    /** what the signature is for; the message says it too */
    purpose: text("purpose").$type<"sign_in" | "link_wallet">().notNull().default("sign_in"),
    /** whom a wallet is to be added to */
    accountId: text("account_id").references(() => account.id),
    expiresAt: time("expires_at").notNull(),
    usedAt: time("used_at"),
  },
  (table) => [index("sign_in_nonce_expires").on(table.expiresAt)],
);

export const session = earnest.table(
  "session",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    /** SHA-256 of the token, which is shown once and never stored */
    tokenHash: text("token_hash").notNull().unique(),
    /** the wallet that signed in: its sessions end when it is removed from the account */
    address: address("address"),
    expiresAt: time("expires_at").notNull(),
    revokedAt: time("revoked_at"),
    createdAt: createdAt(),
  },
  (table) => [index("session_account").on(table.accountId)],
);

export const apiKey = earnest.table(
  "api_key",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    name: text("name").notNull(),
    scopes: text("scopes").array().notNull(),
    /** SHA-256 of the token, which is shown once and never stored */
    tokenHash: text("token_hash").notNull().unique(),
    /** the token's last four characters, for its owner to tell keys apart */
    tokenHint: text("token_hint").notNull(),
    /** the account of the person who made it; unknown of old ones */
    createdBy: text("created_by").references(() => account.id),
    lastUsedAt: time("last_used_at"),
    revokedAt: time("revoked_at"),
    createdAt: createdAt(),
  },
  (table) => [index("api_key_account").on(table.accountId, table.createdAt)],
);

/** Who acts for an account besides its own person, who owns it and has no row here: every account is an organisation. */
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
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.memberAccountId] }),
    index("organisation_member_of").on(table.memberAccountId),
  ],
);

/** A wallet that was asked to join; whoever signs in with it answers. */
export const organisationInvitation = earnest.table(
  "organisation_invitation",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    address: address("address").notNull(),
    role: text("role").$type<"owner" | "admin" | "developer" | "viewer">().notNull(),
    invitedBy: text("invited_by")
      .notNull()
      .references(() => account.id),
    /** open, accepted, declined or revoked; an open one ends with `expiresAt` too */
    status: text("status").$type<"open" | "accepted" | "declined" | "revoked">().notNull().default("open"),
    answeredAt: time("answered_at"),
    expiresAt: time("expires_at").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("organisation_invitation_account").on(table.accountId, table.createdAt, table.id),
    index("organisation_invitation_open").on(table.address).where(sql`${table.status} = 'open'`),
  ],
);

export type Capabilities = {
  skills: string[];
  languages: string[];
  input_modalities: string[];
  output_modalities: string[];
  protocols: string[];
};

export const agent = earnest.table(
  "agent",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    slug: text("slug").notNull().unique(),
    name: text("name").notNull(),
    tagline: text("tagline"),
    description: text("description"),
    websiteUrl: text("website_url"),
    avatarUrl: text("avatar_url"),
    capabilities: jsonb("capabilities").$type<Capabilities>().notNull(),
    apiEndpoint: text("api_endpoint"),
    /** draft, published, paused or retired */
    status: text("status").$type<"draft" | "published" | "paused" | "retired">().notNull().default("draft"),
    payoutWallet: address("payout_wallet"),
    /** counts the changes by its owner, for `If-Match` */
    version: integer("version").notNull().default(1),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
    publishedAt: time("published_at"),
    /** orders that stand as released, kept by a trigger */
    completedOrders: integer("completed_orders").notNull().default(0),
    search: searchText("search").generatedAlwaysAs(
      sql`setweight(to_tsvector('english', name), 'A')
        || setweight(jsonb_to_tsvector('english', capabilities, '["string"]'), 'B')
        || setweight(to_tsvector('english', coalesce(tagline, '')), 'C')
        || setweight(to_tsvector('english', coalesce(description, '')), 'D')`,
    ),
  },
  (table) => [
    index("agent_account").on(table.accountId, table.createdAt),
    index("agent_newest").on(table.createdAt, table.id).where(sql`${table.status} = 'published'`),
    index("agent_completed").on(table.completedOrders, table.id).where(sql`${table.status} = 'published'`),
    index("agent_skills")
      .using("gin", sql`(${table.capabilities} -> 'skills')`)
      .where(sql`${table.status} = 'published'`),
    index("agent_languages")
      .using("gin", sql`(${table.capabilities} -> 'languages')`)
      .where(sql`${table.status} = 'published'`),
    index("agent_search")
      .using("gin", table.search)
      .with({ fastupdate: false })
      .where(sql`${table.status} = 'published'`),
    index("agent_updated").on(table.updatedAt),
  ],
);

export const service = earnest.table(
  "service",
  {
    id: text("id").primaryKey(),
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    slug: text("slug").notNull(),
    title: text("title").notNull(),
    summary: text("summary"),
    description: text("description"),
    category: text("category"),
    tags: text("tags").array().notNull().default(sql`'{}'::text[]`),
    pricingModel: text("pricing_model").notNull(),
    /** per unit, in base units of the default chain's token; zero where none is set */
    price: baseUnits("price").notNull(),
    priceCurrency: text("price_currency").notNull(),
    priceUnit: text("price_unit"),
    /** how often a subscription is paid: day, week, month or year */
    billingInterval: text("billing_interval").$type<"day" | "week" | "month" | "year">(),
    minQuantity: integer("min_quantity").notNull().default(1),
    maxQuantity: integer("max_quantity"),
    deliveryTimeHours: integer("delivery_time_hours").notNull(),
    acceptanceHours: integer("acceptance_hours").notNull(),
    inputSchema: jsonb("input_schema").$type<JsonObject>(),
    outputSchema: jsonb("output_schema").$type<JsonObject>(),
    /** draft, published, paused or retired */
    status: text("status").$type<"draft" | "published" | "paused" | "retired">().notNull().default("draft"),
    /** false while it is shown as published and takes no new orders */
    available: boolean("available").notNull().default(true),
    /** counts the changes by its owner, for `If-Match` */
    version: integer("version").notNull().default(1),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
    publishedAt: time("published_at"),
    /** it and its agent are published: it is on the market; kept by triggers */
    listed: boolean("listed").notNull().default(false),
    /** orders that stand as released, kept by a trigger */
    completedOrders: integer("completed_orders").notNull().default(0),
    search: searchText("search").generatedAlwaysAs(
      // array_to_string itself may not stand in a generated column; join_words is the same, made in a migration.
      sql`setweight(to_tsvector('english', title), 'A')
        || setweight(to_tsvector('english', earnest.join_words(tags)), 'B')
        || setweight(to_tsvector('english', coalesce(summary, '')), 'C')
        || setweight(to_tsvector('english', coalesce(description, '')), 'D')`,
    ),
  },
  (table) => [
    uniqueIndex("service_slug").on(table.agentId, table.slug),
    index("service_agent").on(table.agentId, table.status),
  ],
);

/**
 * What is on the market: a row for each listed service with what it is searched, filtered and ordered by, kept by
 * triggers. Narrow, since to count a hundred thousand matches is to visit their rows.
 */
export const offer = earnest.table(
  "offer",
  {
    serviceId: text("service_id")
      .primaryKey()
      .references(() => service.id, { onDelete: "cascade" }),
    agentId: text("agent_id").notNull(),
    category: text("category"),
    tags: text("tags").array().notNull(),
    pricingModel: text("pricing_model").notNull(),
    price: baseUnits("price").notNull(),
    deliveryTimeHours: integer("delivery_time_hours").notNull(),
    completedOrders: integer("completed_orders").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    index("offer_newest").on(table.createdAt, table.serviceId),
    index("offer_completed").on(table.completedOrders, table.serviceId),
    // It ends in what else is filtered by, so that matches are counted in it.
    index("offer_price").on(
      table.price,
      table.serviceId,
      table.deliveryTimeHours,
      table.category,
      table.pricingModel,
    ),
    index("offer_category").on(table.category, table.createdAt, table.serviceId),
    index("offer_agent").on(table.agentId, table.createdAt, table.serviceId),
    index("offer_tags").using("gin", table.tags).with({ fastupdate: false }),
    // The text itself stays in `service`. A change of it writes the offer anew, and so this index.
    index("offer_search")
      .using("gin", sql`earnest.offer_search(${table.serviceId})`)
      .with({ fastupdate: false }),
  ],
);

/** How many services are on the market in each cell of these four, kept by triggers: broad totals are sums of few rows. */
export const offerTally = earnest.table(
  "offer_tally",
  {
    /** empty for none */
    category: text("category").notNull(),
    pricingModel: text("pricing_model").notNull(),
    /** the step of `earnest.delivery_step` that the delivery time is within */
    deliveryStep: integer("delivery_step").notNull(),
    /** digits of the price in base units: a range from one power of ten to the next */
    priceDigits: integer("price_digits").notNull(),
    services: integer("services").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.category, table.pricingModel, table.deliveryStep, table.priceDigits] }),
  ],
);

/** Words of what is or was on the market, kept by triggers: a search that finds nothing is corrected to the nearest. */
export const marketWord = earnest.table("market_word", { word: text("word").primaryKey() }, (table) => [
  index("market_word_nearest").using("gin", table.word.op("gin_trgm_ops")),
]);

export const order = earnest.table(
  "order",
  {
    id: text("id").primaryKey(),
    /** a short name for people, as in E-7K3M9Q */
    reference: text("reference").notNull().unique(),
    buyerAccountId: text("buyer_account_id")
      .notNull()
      .references(() => account.id),
    providerAccountId: text("provider_account_id")
      .notNull()
      .references(() => account.id),
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    settlementRail: text("settlement_rail").$type<"escrow" | "x402">().notNull(),
    quantity: integer("quantity").notNull(),
    /** base units of the token */
    unitPrice: baseUnits("unit_price").notNull(),
    amount: baseUnits("amount").notNull(),
    inputPayload: jsonb("input_payload").$type<JsonObject>(),
    outputPayload: jsonb("output_payload").$type<JsonObject>(),
    /** both frozen at placement: a service that changes never changes an order */
    inputSchema: jsonb("input_schema").$type<JsonObject>(),
    outputSchema: jsonb("output_schema").$type<JsonObject>(),
    agreement: jsonb("agreement").$type<JsonObject>().notNull(),

    // The escrow's terms (design section 4), from which anyone can compute its id and deposit address.
    chainId: integer("chain_id").notNull(),
    escrowContract: address("escrow_contract").notNull(),
    buyerAddress: address("buyer_address").notNull(),
    providerAddress: address("provider_address").notNull(),
    token: address("token").notNull(),
    tokenSymbol: text("token_symbol").notNull(),
    tokenDecimals: integer("token_decimals").notNull(),
    fundBy: bigint("fund_by", { mode: "number" }).notNull(),
    deliveryWindow: integer("delivery_window").notNull(),
    acceptanceWindow: integer("acceptance_window").notNull(),
    disputeWindow: integer("dispute_window").notNull(),
    appealWindow: integer("appeal_window").notNull(),
    arbiter: address("arbiter").notNull(),
    orderHash: hex("order_hash").notNull(),
    escrowId: hex("escrow_id").notNull(),
    depositAddress: address("deposit_address").notNull(),

    // The fold of the order's facts, written with each fact and never otherwise.
    status: text("status").notNull(),
    fundedAt: time("funded_at"),
    startedAt: time("started_at"),
    deliveredAt: time("delivered_at"),
    deliveryDeadline: time("delivery_deadline"),
    autoReleaseAt: time("auto_release_at"),
    disputedAt: time("disputed_at"),
    completedAt: time("completed_at"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("order_escrow").on(table.chainId, table.escrowId),
    index("order_buyer").on(table.buyerAccountId, table.createdAt, table.id, table.status),
    index("order_provider").on(table.providerAccountId, table.createdAt, table.id, table.status),
    index("order_service").on(table.serviceId, table.status),
    index("order_agent").on(table.agentId, table.status),
    index("order_open").on(table.status, table.fundBy),
    index("order_arbiter")
      .on(table.arbiter, table.disputedAt, table.id)
      .where(sql`${table.disputedAt} is not null`),
    // What time may have opened to anyone, as far as the ledger knows; of disputes the index knows more.
    index("order_due")
      .on(table.chainId, sql`coalesce(${table.autoReleaseAt}, ${table.deliveryDeadline})`)
      .where(sql`${table.status} in ('funded', 'started', 'delivered')`),
  ],
);

/** The ledger: append-only (a trigger refuses the rest), one row per step of an order. The trail is this table. */
export const fact = earnest.table(
  "fact",
  {
    id: text("id").primaryKey(),
    /** the order of arrival */
    seq: bigserial("seq", { mode: "number" }).notNull(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    type: text("type").notNull(),
    actor: text("actor").notNull(),
    /** what makes this fact happen once: the chain event's id, or `<order id>:<step>:<n>` */
    key: text("key").notNull().unique(),
    data: jsonb("data").$type<JsonObject>().notNull(),
    occurredAt: time("occurred_at").notNull(),
    recordedAt: time("recorded_at").notNull().defaultNow(),
    // Set for what the chain said.
    chainId: integer("chain_id"),
    blockNumber: bigint("block_number", { mode: "bigint" }),
    blockHash: hex("block_hash"),
    transactionHash: hex("transaction_hash"),
    logIndex: integer("log_index"),
  },
  (table) => [
    index("fact_order").on(table.orderId, table.seq),
    // For the few that look after reorganised blocks: recent chain facts, and what was ever reverted.
    index("fact_block").on(table.chainId, table.blockNumber).where(sql`${table.chainId} is not null`),
    index("fact_reverted").on(table.orderId).where(sql`${table.type} = 'fact.reverted'`),
  ],
);

/** The places of events in feeds; it never goes back, whatever is deleted. */
export const eventPlace = earnest.sequence("event_place");

/** What is told to whom because of a fact: the webhook deliveries and the event feed start here. */
export const event = earnest.table(
  "event",
  {
    id: text("id").primaryKey(),
    seq: bigserial("seq", { mode: "number" }).notNull(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    type: text("type").notNull(),
    orderId: text("order_id").references(() => order.id),
    factId: text("fact_id").references(() => fact.id),
    /** what makes an event of no fact happen once for an account, as in `quote:<id>` */
    key: text("key"),
    data: jsonb("data").$type<JsonObject>().notNull(),
    /** its place in the account's feed, given when the feed is first read with it: `seq` is not the order of commits */
    position: bigint("position", { mode: "number" }),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("event_once").on(table.factId, table.accountId, table.type),
    uniqueIndex("event_key").on(table.accountId, table.key).where(sql`${table.key} is not null`),
    index("event_feed").on(table.accountId, table.position),
    index("event_unplaced").on(table.accountId, table.seq).where(sql`${table.position} is null`),
    index("event_old").on(table.createdAt),
  ],
);

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
    claim: text("claim").$type<"funded" | "released" | "refunded">().notNull(),
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

/** The public halves of the keys that sign receipts; the private ones never come here. */
export const signingKey = earnest.table("signing_key", {
  /** the fragment, as in `key-1` */
  kid: text("kid").primaryKey(),
  publicJwk: jsonb("public_jwk").$type<{ kty: "OKP"; crv: "Ed25519"; x: string }>().notNull(),
  notBefore: time("not_before").notNull(),
  retiredAt: time("retired_at"),
  compromisedSince: time("compromised_since"),
});

/** The log of the signing keys as it was published: rows are only ever added. */
export const keyLog = earnest.table("key_log", {
  seq: integer("seq").primaryKey(),
  /** the signed entry */
  entry: jsonb("entry").$type<JsonObject>().notNull(),
  createdAt: createdAt(),
});

/** The signed list of revoked receipts, as it is served: one for each name the service signs under. */
export const receiptStatusList = earnest.table("receipt_status_list", {
  issuer: text("issuer").primaryKey(),
  document: jsonb("document").$type<JsonObject>().notNull(),
  issuedAt: time("issued_at").notNull(),
});

/** What our one key was asked to send. */
export const relay = earnest.table(
  "relay",
  {
    id: text("id").primaryKey(),
    /** the same intent again finds this row: `<escrow id>:recordDelivery:<number>` and the like */
    intent: text("intent").notNull().unique(),
    chainId: integer("chain_id").notNull(),
    orderId: text("order_id").references(() => order.id),
    /** whose budget it is on; null for what the worker sends by itself */
    accountId: text("account_id").references(() => account.id),
    to: address("to_address").notNull(),
    data: hex("data").notNull(),
    /** queued, signed (stored, perhaps broadcast), mined, failed */
    status: text("status").$type<"queued" | "signed" | "mined" | "failed">().notNull().default("queued"),
    // Of its newest attempt, or of the one that was mined.
    sender: address("sender"),
    nonce: integer("nonce"),
    transactionHash: hex("transaction_hash"),
    /** the block it was mined in: it may leave the chain yet */
    minedBlock: bigint("mined_block", { mode: "bigint" }),
    minedBlockHash: hex("mined_block_hash"),
    error: text("error"),
    createdAt: createdAt(),
    /** when it was queued last: one that failed may be asked for again */
    queuedAt: time("queued_at").notNull().defaultNow(),
    /** how often it was queued, each less than the budget's window after the one before */
    queuedTimes: integer("queued_times").notNull().default(1),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("relay_open")
      .on(table.chainId, table.status, table.queuedAt, table.id)
      .where(sql`${table.status} in ('queued', 'signed')`),
    index("relay_order").on(table.orderId),
    index("relay_budget").on(table.accountId, table.queuedAt).where(sql`${table.accountId} is not null`),
    index("relay_hour").on(table.chainId, table.queuedAt).where(sql`${table.accountId} is not null`),
    index("relay_mined").on(table.chainId, table.minedBlock).where(sql`${table.status} = 'mined'`),
    uniqueIndex("relay_nonce")
      .on(table.chainId, table.sender, table.nonce)
      .where(sql`${table.status} in ('signed', 'mined')`),
  ],
);

/** Every transaction that was ever signed for a relay, stored before it is broadcast: any of them may be mined. */
export const relayAttempt = earnest.table(
  "relay_attempt",
  {
    transactionHash: hex("transaction_hash").primaryKey(),
    relayId: text("relay_id")
      .notNull()
      .references(() => relay.id),
    sender: address("sender").notNull(),
    nonce: integer("nonce").notNull(),
    rawTransaction: hex("raw_transaction").notNull(),
    /** the chain's head when it was signed */
    signedBlock: bigint("signed_block", { mode: "bigint" }).notNull(),
    /** it was mined and did nothing */
    reverted: boolean("reverted").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [index("relay_attempt_relay").on(table.relayId, table.createdAt)],
);

/** What the workers last saw of their relaying wallet and did with it, for `GET /chain/status` and the metrics. */
export const relayer = earnest.table("relayer", {
  chainId: integer("chain_id").primaryKey(),
  address: address("address").notNull(),
  balance: baseUnits("balance").notNull(),
  /** wei of one unit of gas, tip included, that the chain asks for */
  gasPrice: baseUnits("gas_price"),
  /** why nothing is sent although something is queued */
  waiting: text("waiting").$type<"balance" | "gas_price">(),
  waitingSince: time("waiting_since"),
  seenAt: time("seen_at").notNull(),
  // Counted with what they count, in its transaction.
  mined: bigint("mined", { mode: "number" }).notNull().default(0),
  failed: bigint("failed", { mode: "number" }).notNull().default(0),
  bumped: bigint("bumped", { mode: "number" }).notNull().default(0),
  overtaken: bigint("overtaken", { mode: "number" }).notNull().default(0),
});

/** How the index of a chain stands to the chain itself, and how far the comparison of the ledger with both has come. */
export const chainWatch = earnest.table("chain_watch", {
  chainId: integer("chain_id").primaryKey(),
  indexState: text("index_state").$type<"ok" | "behind" | "off_chain">().notNull(),
  /** why it is not ok */
  reason: text("reason"),
  since: time("since").notNull().defaultNow(),
  headBlock: bigint("head_block", { mode: "bigint" }).notNull(),
  indexedBlock: bigint("indexed_block", { mode: "bigint" }).notNull(),
  /** when the index was last seen to move */
  movedAt: time("moved_at").notNull().defaultNow(),
  checkedAt: time("checked_at").notNull().defaultNow(),
  /** the order up to which the running round of comparisons has come */
  reconciledUpTo: text("reconciled_up_to").notNull().default(""),
  /** when a round last came to the end */
  reconciledAt: time("reconciled_at"),
});

/** Blocks that were final for the indexer, by the hash the node had then: another one means that the chain left them. */
export const chainAnchor = earnest.table(
  "chain_anchor",
  {
    chainId: integer("chain_id").notNull(),
    blockNumber: bigint("block_number", { mode: "bigint" }).notNull(),
    blockHash: hex("block_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.blockNumber] })],
);

/** Where the ledger, the index and the contract tell different things of an order, and time alone will not mend it. */
export const divergence = earnest.table(
  "divergence",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    chainId: integer("chain_id").notNull(),
    what: text("what").notNull(),
    ledger: text("ledger"),
    index: text("index"),
    contract: text("contract"),
    explanation: text("explanation").notNull(),
    foundAt: time("found_at").notNull().defaultNow(),
    seenAt: time("seen_at").notNull().defaultNow(),
    /** seen once it may be a reading between two blocks; from twice on it is told */
    sightings: integer("sightings").notNull().default(1),
    resolvedAt: time("resolved_at"),
  },
  (table) => [
    uniqueIndex("divergence_open").on(table.orderId, table.what).where(sql`${table.resolvedAt} is null`),
    index("divergence_order").on(table.orderId, table.foundAt),
  ],
);

/** A call of a payment, in the order in which they are relayed. */
export type PaymentCall = { to: Address; data: Hex };

/**
 * What a payer signed for an order on the x402 rail. Its calls are relayed one after the other, each under the intent
 * `<payment id>:<step>`.
 */
export const payment = earnest.table(
  "payment",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** who handed it in */
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    method: text("method").$type<"eip3009" | "permit2">().notNull(),
    payer: address("payer").notNull(),
    /** the authorization's own, as it was signed: bytes32 in hex, or Permit2's decimal */
    nonce: text("nonce").notNull(),
    calls: jsonb("calls").$type<PaymentCall[]>().notNull(),
    /** the call that is relayed or was relayed last */
    step: integer("step").notNull().default(0),
    status: text("status")
      .$type<"accepted" | "submitted" | "confirmed" | "failed">()
      .notNull()
      .default("accepted"),
    /** why it failed */
    error: text("error"),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("payment_authorization").on(table.orderId, table.method, table.payer, table.nonce),
    uniqueIndex("payment_standing").on(table.orderId).where(sql`${table.status} <> 'failed'`),
    index("payment_open").on(table.createdAt).where(sql`${table.status} in ('accepted', 'submitted')`),
  ],
);

/** Where an account wants to be told of its events. Its secret is derived and stored nowhere. */
export const webhookEndpoint = earnest.table(
  "webhook_endpoint",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    url: text("url").notNull(),
    description: text("description"),
    /** types, or `*` alone for all */
    events: text("events").array().notNull(),
    /** active, paused by its owner, disabled by us, or revoked for good */
    status: text("status").$type<"active" | "paused" | "disabled" | "revoked">().notNull().default("active"),
    /** gone: it answered 410; failing: everything failed for days */
    disabledReason: text("disabled_reason").$type<"gone" | "failing">(),
    secretVersion: integer("secret_version").notNull().default(1),
    /** until when the version before signs too */
    previousSecretUntil: time("previous_secret_until"),
    /** since when every attempt failed; null after a success */
    failingSince: time("failing_since"),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("webhook_endpoint_account").on(table.accountId, table.createdAt, table.id),
    index("webhook_endpoint_active").on(table.accountId).where(sql`${table.status} = 'active'`),
  ],
);

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
    uniqueIndex("webhook_delivery_once").on(table.endpointId, table.eventId),
    index("webhook_delivery_due").on(table.nextAttemptAt).where(sql`${table.status} = 'pending'`),
    index("webhook_delivery_pending")
      .on(table.endpointId, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending'`),
    index("webhook_delivery_list").on(table.endpointId, table.createdAt, table.id),
    index("webhook_delivery_event").on(table.eventId),
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

/** What a buyer looks for; providers quote on it. */
export const openRequest = earnest.table(
  "open_request",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    title: text("title").notNull(),
    description: text("description").notNull(),
    tags: text("tags").array().notNull(),
    /** base units of the token that prices are in */
    budget: baseUnits("budget"),
    budgetCurrency: text("budget_currency"),
    /** an open one past `expires_at` is over without anybody writing so */
    status: text("status").$type<"open" | "closed" | "accepted">().notNull().default("open"),
    expiresAt: time("expires_at").notNull(),
    closedAt: time("closed_at"),
    /** whoever was to be told of it was told */
    announcedAt: time("announced_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("open_request_account").on(table.accountId, table.createdAt, table.id),
    index("open_request_listed").on(table.createdAt, table.id).where(sql`${table.status} = 'open'`),
    index("open_request_tags").using("gin", table.tags),
    index("open_request_unannounced").on(table.createdAt).where(sql`${table.announcedAt} is null`),
  ],
);

/** A provider's offer for an open request. It commits nobody before it is accepted. */
export const quote = earnest.table(
  "quote",
  {
    id: text("id").primaryKey(),
    requestId: text("request_id")
      .notNull()
      .references(() => openRequest.id),
    /** who quoted */
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    /** of the whole, in base units of the token that prices are in */
    price: baseUnits("price").notNull(),
    priceCurrency: text("price_currency").notNull(),
    deliveryTimeHours: integer("delivery_time_hours").notNull(),
    message: text("message"),
    /** offered and past `expires_at` is over without anybody writing so */
    status: text("status")
      .$type<"offered" | "withdrawn" | "accepted" | "declined">()
      .notNull()
      .default("offered"),
    expiresAt: time("expires_at").notNull(),
    /** the order that its acceptance placed */
    orderId: text("order_id")
      .unique()
      .references(() => order.id),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("quote_standing")
      .on(table.requestId, table.serviceId)
      .where(sql`${table.status} = 'offered'`),
    uniqueIndex("quote_accepted").on(table.requestId).where(sql`${table.status} = 'accepted'`),
    index("quote_request").on(table.requestId, table.createdAt, table.id),
    index("quote_account").on(table.accountId, table.createdAt, table.id),
  ],
);

/** A buyer's standing wish: an unfunded order each period, at the terms of its beginning, until it ends. */
export const subscription = earnest.table(
  "subscription",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    providerAccountId: text("provider_account_id")
      .notNull()
      .references(() => account.id),
    // Frozen at the beginning.
    price: baseUnits("price").notNull(),
    priceCurrency: text("price_currency").notNull(),
    interval: text("interval").$type<"day" | "week" | "month" | "year">().notNull(),
    inputPayload: jsonb("input_payload").$type<JsonObject>(),
    settlementRail: text("settlement_rail").$type<"escrow" | "x402">().notNull(),
    buyerAddress: address("buyer_address").notNull(),
    arbiter: address("arbiter").notNull(),
    status: text("status").$type<"active" | "cancelled" | "ended">().notNull().default("active"),
    /** why it ended without being cancelled */
    endedReason: text("ended_reason").$type<"unpaid" | "withdrawn" | "input_refused">(),
    /** periods placed so far */
    periods: integer("periods").notNull().default(0),
    startedAt: time("started_at").notNull(),
    /** when the next order is placed */
    nextOrderAt: time("next_order_at").notNull(),
    endedAt: time("ended_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("subscription_account").on(table.accountId, table.createdAt, table.id),
    index("subscription_provider").on(table.providerAccountId, table.createdAt, table.id),
    index("subscription_due").on(table.nextOrderAt).where(sql`${table.status} = 'active'`),
  ],
);

/** The order of each period, once. */
export const subscriptionOrder = earnest.table(
  "subscription_order",
  {
    subscriptionId: text("subscription_id")
      .notNull()
      .references(() => subscription.id),
    /** from 1 */
    period: integer("period").notNull(),
    orderId: text("order_id")
      .notNull()
      .unique()
      .references(() => order.id),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.subscriptionId, table.period] })],
);

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

/** A URL that is probed for those agents that advertise it, and what was last found there. */
export const probeTarget = earnest.table(
  "probe_target",
  {
    /** SHA-256 of the URL */
    id: text("id").primaryKey(),
    url: text("url").notNull(),
    host: text("host").notNull(),
    /** where within the interval it has its turn, from 0 up to 1 */
    phase: doublePrecision("phase").notNull(),
    /** while it is being probed, until when others leave it to whoever does */
    nextProbeAt: time("next_probe_at").notNull().defaultNow(),
    leaseOwner: text("lease_owner"),
    /** null until a first probe has run, and so is all else that was found */
    lastCheckedAt: time("last_checked_at"),
    lastOkAt: time("last_ok_at"),
    reachable: boolean("reachable"),
    statusCode: integer("status_code"),
    latencyMs: integer("latency_ms"),
    tlsValid: boolean("tls_valid"),
    bodyIsJson: boolean("body_is_json"),
    consecutiveFailures: integer("consecutive_failures").notNull().default(0),
    /** of the seven days before the last probe, that included */
    checks7d: integer("checks_7d").notNull().default(0),
    ok7d: integer("ok_7d").notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [index("probe_target_due").on(table.nextProbeAt)],
);

/** An agent whose endpoint is probed; one that is not published, or beyond its account's hosts, has no row. */
export const agentProbe = earnest.table(
  "agent_probe",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agent.id, { onDelete: "cascade" }),
    targetId: text("target_id")
      .notNull()
      .references(() => probeTarget.id),
  },
  (table) => [index("agent_probe_target").on(table.targetId)],
);

/** How the probes of an hour went, kept for seven days. */
export const probeTally = earnest.table(
  "probe_tally",
  {
    targetId: text("target_id")
      .notNull()
      .references(() => probeTarget.id, { onDelete: "cascade" }),
    hour: time("hour").notNull(),
    checks: integer("checks").notNull(),
    ok: integer("ok").notNull(),
  },
  (table) => [primaryKey({ columns: [table.targetId, table.hour] })],
);

/** The ERC-8004 identity that an agent shows: a wallet of its owner's owned or operated it when it was last looked at. */
export const agentIdentity = earnest.table(
  "agent_identity",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agent.id, { onDelete: "cascade" }),
    chainId: integer("chain_id").notNull(),
    /** the Identity Registry */
    registry: address("registry").notNull(),
    /** the standard's `agentId` */
    tokenId: baseUnits("token_id").notNull(),
    /** its registration file, as the chain has it; null where it names none, or one too long to show */
    agentUri: text("agent_uri"),
    /** which wallet it was, and by what right */
    wallet: address("wallet").notNull(),
    authority: text("authority").$type<"owner" | "approved" | "operator">().notNull(),
    verifiedAt: time("verified_at").notNull(),
    /** the block whose state was looked at */
    verifiedBlock: bigint("verified_block", { mode: "bigint" }).notNull(),
    /** since when no wallet of the owner's has it: it is not shown any more */
    lostAt: time("lost_at"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("agent_identity_linked")
      .on(table.chainId, table.registry, table.tokenId)
      .where(sql`${table.lostAt} is null`),
    index("agent_identity_due").on(table.verifiedAt).where(sql`${table.lostAt} is null`),
  ],
);

/** A file of ERC-8004 feedback, served for ever under its hash. A buyer may have signed any that was made for its order. */
export const feedbackFile = earnest.table(
  "feedback_file",
  {
    /** keccak256 of the content's bytes */
    hash: hex("hash").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** canonical JSON (RFC 8785), byte by byte what was hashed */
    content: text("content").notNull(),
    chainId: integer("chain_id").notNull(),
    reputationRegistry: address("reputation_registry").notNull(),
    tokenId: baseUnits("token_id").notNull(),
    clientAddress: address("client_address").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("feedback_file_order").on(table.orderId, table.createdAt)],
);

/** The feedback of an order: which file it is, and what the registry has of it. */
export const feedback = earnest.table(
  "feedback",
  {
    orderId: text("order_id")
      .primaryKey()
      .references(() => order.id),
    fileHash: hex("file_hash")
      .notNull()
      .references(() => feedbackFile.hash),
    /** prepared, submitted (the registry's event was seen), confirmed */
    status: text("status").$type<"prepared" | "submitted" | "confirmed">().notNull().default("prepared"),
    // Of the registry's event, once it was seen.
    blockNumber: bigint("block_number", { mode: "bigint" }),
    blockHash: hex("block_hash"),
    transactionHash: hex("transaction_hash"),
    logIndex: integer("log_index"),
    /** which of the client's to this agent it is, from 1 */
    feedbackIndex: bigint("feedback_index", { mode: "bigint" }),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("feedback_seen").on(table.blockNumber).where(sql`${table.status} <> 'prepared'`),
    index("feedback_submitted").on(table.updatedAt).where(sql`${table.status} = 'submitted'`),
  ],
);

/** Each settlement by each of its parties, for the history of an account; written with the receipt. */
export const accountSettlement = earnest.table(
  "account_settlement",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    receiptId: text("receipt_id")
      .notNull()
      .references(() => receipt.id),
    role: text("role").$type<"buyer" | "provider">().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.receiptId, table.role] }),
    index("account_settlement_list").on(table.accountId, table.createdAt, table.receiptId),
  ],
);
