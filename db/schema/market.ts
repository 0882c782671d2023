import { sql } from "drizzle-orm";
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
import { address, baseUnits, searchText } from "../columns.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";

export type Capabilities = {
  skills: string[];
  languages: string[];
  input_modalities: string[];
  output_modalities: string[];
  protocols: string[];
};

/** What an agent or a service is sorted and filtered by of its record and its reviews: a job carries it here. */
const marketFigures = {
  /** of its record, 0 to 1000; 0 where nothing is known */
  score: smallint("score").notNull().default(0),
  /** hundredths of the average of its reviews, 100 to 500; 0 where there is none */
  rating: smallint("rating").notNull().default(0),
  /** percent of its arm's-length outcomes that were delivered on time, rounded down; 0 also where there is none */
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
    /** what it shows as proved, of domain and erc8004; kept by triggers */
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
 * The published agents as they are found by words and filters, kept by a trigger of `agent`: narrow rows, since a common
 * word finds thousands of them.
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
    // The words stay in `agent`. A change of them writes the row anew, and so this index; figures that change leave it alone.
    index("listed_agent_terms")
      .using("gin", sql`earnest.agent_terms(${table.agentId})`)
      .with({ fastupdate: false }),
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
    /** who may decide disputes of its orders; null: the chain's arbiter, or nobody */
    arbiters: address("arbiters").array(),
    inputSchema: jsonb("input_schema").$type<JsonObject>(),
    outputSchema: jsonb("output_schema").$type<JsonObject>(),
    /** where its funded orders are executed, with the host of that and the most that an answer may take; all null for nowhere */
    executionUrl: text("execution_url"),
    executionHost: text("execution_host"),
    executionSeconds: integer("execution_seconds"),
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
    /** its agent's; where that changes later, a job carries it here */
    verified: text("verified").array().notNull().default(sql`'{}'::text[]`),
    ...marketFigures,
    search: searchText("search").generatedAlwaysAs(
      // array_to_string itself may not stand in a generated column; join_words is the same, made in a migration.
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
 * What is on the market: a row for each listed service with what it is filtered and ordered by, kept by triggers.
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
    /** what its agent shows as proved */
    verified: text("verified").array().notNull().default(sql`'{}'::text[]`),
    ...marketFigures,
  },
  (table) => [
    index("offer_newest").on(table.createdAt, table.serviceId),
    // The next two end in the time of what they hold: so many, or a score from so much, are ordered by it without their rows.
    index("offer_completed").on(table.completedOrders, table.serviceId, table.createdAt),
    index("offer_score").on(table.score, table.completedOrders, table.serviceId, table.createdAt),
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
  ],
);

/**
 * The offers as they are found by words, tags and filters: each on a shelf, kept by triggers of `offer`. Shelves are
 * partitions, and no offer of a lower one has more completed orders than one of a higher: a search goes down them
 * until it has enough. Of the offers with equally many, a lot decides.
 */
export const rankedOffer = earnest.table(
  "ranked_offer",
  {
    /** what `earnest.tier_of` says */
    tier: smallint("tier").notNull(),
    serviceId: text("service_id").notNull(),
    completedOrders: integer("completed_orders").notNull(),
    /** what `earnest.tiebreak_of` says; the higher goes first */
    tiebreak: integer("tiebreak").notNull(),
    deliveryTimeHours: integer("delivery_time_hours").notNull(),
    price: baseUnits("price").notNull(),
    pricingModel: text("pricing_model").notNull(),
    category: text("category"),
    tags: text("tags").array().notNull(),
    ...marketFigures,
    /** `verified` of the offer. Thousands of offers are counted by this copy: to look each of them up takes far longer. */
    proved: text("proved").array().notNull(),
  },
  (table) => [
    // No index has the shelf: a search must go by the terms.
    index("ranked_offer_service").on(table.serviceId),
    // The words stay in `service`. A change of them writes the row anew, and so this index.
    index("ranked_offer_terms")
      .using("gin", sql`earnest.offer_terms(${table.serviceId})`)
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

/** Agents and services whose row may stand behind what is known of them, by their ids: a job takes them from here. */
export const marketFiguresDue = earnest.table("market_figures_due", {
  seq: bigint("seq", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
  /** of an agent or of a service */
  id: text("id").notNull(),
});

/** Words of what is or was on the market, kept by triggers: a search that finds nothing is corrected to the nearest. */
export const marketWord = earnest.table("market_word", { word: text("word").primaryKey() }, (table) => [
  index("market_word_nearest").using("gin", sql`earnest.plain_letters(${table.word}) gin_trgm_ops`),
]);
