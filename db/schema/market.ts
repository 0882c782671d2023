import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";
import type { Stage } from "../../protocol/settlement/stages.ts";
import { address, baseUnits, searchText } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";

export type Capabilities = {
  skills: string[];
  languages: string[];
  input_modalities: string[];
  output_modalities: string[];
  protocols: string[];
};

export const publicationStatuses = ["draft", "published", "paused", "retired", "suspended"] as const;
export type PublicationStatus = (typeof publicationStatuses)[number];

/** Figures of records and reviews by which agents and services are sorted and filtered. A job copies them here. */
const marketFigures = {
  /** score of the record, 0 to 1000; 0 if unknown */
  score: smallint("score").notNull().default(0),
  /** hundredths of the average rating, 100 to 500; 0 without reviews */
  rating: smallint("rating").notNull().default(0),
  /** percent of arm's-length outcomes that were delivered on time, rounded down; 0 without outcomes */
  onTime: smallint("on_time").notNull().default(0),
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
    /** An operator alone suspends, and restores the status before. */
    status: text("status").$type<PublicationStatus>().notNull().default("draft"),
    payoutWallet: address("payout_wallet"),
    /** SHA-256 of the slug that an erasure removed, so that nobody else gets the slug */
    erasedSlug: text("erased_slug").unique(),
    /** counts the changes by its owner, for `If-Match` */
    version: integer("version").notNull().default(1),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
    publishedAt: time("published_at"),
    /** released orders, counted by a trigger */
    completedOrders: integer("completed_orders").notNull().default(0),
    /** proofs that it shows, of `domain` and `erc8004`; triggers maintain the column */
    verified: text("verified").array().notNull().default(sql`'{}'::text[]`),
    ...marketFigures,
    search: searchText("search").generatedAlwaysAs(
      sql`setweight(to_tsvector('english', earnest.fold_text(name)), 'A')
        || setweight(jsonb_to_tsvector('english', earnest.fold_text(capabilities::text)::jsonb, '["string"]'), 'B')
        || setweight(to_tsvector('english', earnest.fold_text(coalesce(tagline, ''))), 'C')
        || setweight(to_tsvector('english', earnest.fold_text(coalesce(description, ''))), 'D')`,
    ),
  },
  (table) => [
    index("agent_account").on(table.accountId, table.createdAt),
    index("agent_newest").on(table.createdAt, table.id).where(sql`${table.status} = 'published'`),
    index("agent_completed").on(table.completedOrders, table.id).where(sql`${table.status} = 'published'`),
    index("agent_updated").on(table.updatedAt),
    index("agent_score")
      .on(table.score, table.completedOrders, table.id)
      .where(sql`${table.status} = 'published'`),
  ],
);

/**
 * A published agent in the index of words and filters. A trigger of `agent` maintains it. Rows are narrow, since a common
 * word matches thousands.
 */
export const listedAgent = earnest.table(
  "listed_agent",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agent.id, { onDelete: "cascade" }),
    completedOrders: integer("completed_orders").notNull(),
    createdAt: time("created_at").notNull(),
    ...marketFigures,
  },
  (table) => [
    // `agent` has the words. A change of the words inserts the row anew, and so updates this index. Other changes leave it.
    index("listed_agent_terms")
      .using("gin", sql`earnest.agent_terms(${table.agentId})`)
      .with({ fastupdate: false }),
  ],
);

/** A stage of a service, a quote or an order. Each has a schema for its own output; null takes any. */
export type OrderedStage = Stage & { outputSchema: JsonObject | null; schemaDigest: Hex | null };

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
    /** period of a subscription: day, week, month or year */
    billingInterval: text("billing_interval").$type<"day" | "week" | "month" | "year">(),
    minQuantity: integer("min_quantity").notNull().default(1),
    maxQuantity: integer("max_quantity"),
    deliveryTimeHours: integer("delivery_time_hours").notNull(),
    acceptanceHours: integer("acceptance_hours").notNull(),
    /** tokens that orders may be paid in, in the provider's order; null for the default chain's */
    accepts: jsonb("accepts").$type<{ chain_id: number; token: Address }[]>(),
    /** addresses that may decide disputes of its orders; null for the chain's arbiter, or for nobody */
    arbiters: address("arbiters").array(),
    inputSchema: jsonb("input_schema").$type<JsonObject>(),
    outputSchema: jsonb("output_schema").$type<JsonObject>(),
    /** the stages of its orders, with amounts in base units as `price`; null for a delivery in one piece */
    stages: jsonb("stages").$type<OrderedStage[]>(),
    /** endpoint that executes funded orders, with its host and the longest answer in seconds; all null without one */
    executionUrl: text("execution_url"),
    executionHost: text("execution_host"),
    executionSeconds: integer("execution_seconds"),
    /** endpoint that sessions call, and the Ed25519 key that signs its answers (base64url); both null without sessions */
    sessionUrl: text("session_url"),
    sessionKey: text("session_key"),
    /** An operator alone suspends, and restores the status before. */
    status: text("status").$type<PublicationStatus>().notNull().default("draft"),
    /** false while it is published and takes no new orders */
    available: boolean("available").notNull().default(true),
    /** counts the changes by its owner, for `If-Match` */
    version: integer("version").notNull().default(1),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
    publishedAt: time("published_at"),
    /** whether the service and its agent are published; triggers maintain the column */
    listed: boolean("listed").notNull().default(false),
    /** released orders, counted by a trigger */
    completedOrders: integer("completed_orders").notNull().default(0),
    /** proofs of its agent; a job copies later changes */
    verified: text("verified").array().notNull().default(sql`'{}'::text[]`),
    ...marketFigures,
    search: searchText("search").generatedAlwaysAs(
      // A generated column cannot use array_to_string, which is not immutable. join_words wraps it.
      sql`setweight(to_tsvector('english', earnest.fold_text(title)), 'A')
        || setweight(to_tsvector('english', earnest.fold_text(earnest.join_words(tags))), 'B')
        || setweight(to_tsvector('english', earnest.fold_text(coalesce(summary, ''))), 'C')
        || setweight(to_tsvector('english', earnest.fold_text(coalesce(description, ''))), 'D')`,
    ),
  },
  (table) => [
    uniqueIndex("service_slug").on(table.agentId, table.slug),
    index("service_agent").on(table.agentId, table.status),
    index("service_execution_host").on(table.executionHost).where(sql`${table.executionHost} is not null`),
  ],
);

/**
 * A listed service with the columns that it is filtered and sorted by. Triggers maintain it.
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
    /** proofs of its agent */
    verified: text("verified").array().notNull().default(sql`'{}'::text[]`),
    ...marketFigures,
    priceCurrency: text("price_currency").notNull(),
    /** values of `earnest.accepted_tokens` */
    accepts: text("accepts").array().notNull(),
  },
  (table) => [
    index("offer_newest").on(table.createdAt, table.serviceId),
    // The next two indexes end in the time, so that a bounded range is sorted by time without reading its rows.
    index("offer_completed").on(table.completedOrders, table.serviceId, table.createdAt),
    index("offer_score").on(table.score, table.completedOrders, table.serviceId, table.createdAt),
    // The index ends in the columns of other filters, so that matches are counted in the index alone.
    index("offer_price").on(
      table.priceCurrency,
      table.price,
      table.serviceId,
      table.deliveryTimeHours,
      table.category,
      table.pricingModel,
    ),
    index("offer_category").on(table.category, table.createdAt, table.serviceId),
    index("offer_agent").on(table.agentId, table.createdAt, table.serviceId),
  ],
);

/**
 * An offer in the index of words, tags and filters. Triggers of `offer` maintain it. Tiers are partitions: an offer of a
 * lower tier has no more completed orders than an offer of a higher tier. A search reads from the highest tier down until it
 * has enough. A tie-break orders offers with equally many completed orders.
 */
export const rankedOffer = earnest.table(
  "ranked_offer",
  {
    /** value of `earnest.tier_of` */
    tier: smallint("tier").notNull(),
    serviceId: text("service_id").notNull(),
    completedOrders: integer("completed_orders").notNull(),
    /** value of `earnest.tiebreak_of`; the higher value comes first */
    tiebreak: integer("tiebreak").notNull(),
    deliveryTimeHours: integer("delivery_time_hours").notNull(),
    price: baseUnits("price").notNull(),
    pricingModel: text("pricing_model").notNull(),
    category: text("category"),
    tags: text("tags").array().notNull(),
    ...marketFigures,
    /** copy of `verified` of the offer, by which thousands of offers are counted without a join */
    proved: text("proved").array().notNull(),
    priceCurrency: text("price_currency").notNull(),
    accepts: text("accepts").array().notNull(),
  },
  (table) => [
    // No index has the tier, so that a search uses the terms.
    index("ranked_offer_service").on(table.serviceId),
    // `service` has the words. A change of the words inserts the row anew, and so updates this index.
    index("ranked_offer_terms")
      .using("gin", sql`earnest.offer_terms(${table.serviceId})`)
      .with({ fastupdate: false }),
  ],
);

/** The number of listed services in a cell of five columns. Triggers maintain it. A broad total is a sum of few rows. */
export const offerTally = earnest.table(
  "offer_tally",
  {
    /** empty for none */
    category: text("category").notNull(),
    pricingModel: text("pricing_model").notNull(),
    /** step of the delivery time by `earnest.delivery_step` */
    deliveryStep: integer("delivery_step").notNull(),
    /** digits of the price in base units: the range from one power of ten to the next */
    priceDigits: integer("price_digits").notNull(),
    priceCurrency: text("price_currency").notNull(),
    services: integer("services").notNull(),
  },
  (table) => [
    primaryKey({
      name: "offer_tally_pk",
      columns: [
        table.category,
        table.pricingModel,
        table.deliveryStep,
        table.priceDigits,
        table.priceCurrency,
      ],
    }),
  ],
);

/** An agent or a service whose figures may be out of date. A job reads the queue and updates the figures. */
export const marketFiguresDue = earnest.table("market_figures_due", {
  seq: bigint("seq", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
  /** id of the agent or the service */
  id: text("id").notNull(),
});

/** A word of agents and services that have been listed. Triggers add words. A search without a match is corrected to the nearest word. */
export const marketWord = earnest.table("market_word", { word: text("word").primaryKey() }, (table) => [
  index("market_word_nearest").using("gin", sql`earnest.plain_letters(${table.word}) gin_trgm_ops`),
]);
