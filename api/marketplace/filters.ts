import { createRoute, z } from "@hono/zod-openapi";
import { and, sql } from "drizzle-orm";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { offer, offerTally } from "../../db/schema.ts";
import { formatAmount } from "../../settlement/money.ts";
import { pricingToken } from "../../trade/services/pricing.ts";
import { verifiedKinds } from "../agents/verified.ts";
import type { App, Context } from "../context.ts";
import { ifNoneMatchHeader, notModified } from "../http/etag.ts";
import { amountField } from "../http/fields.ts";
import { totalFields } from "../http/listing.ts";
import { answer } from "../http/openapi.ts";
import { publicAnswersOf } from "../http/public-answers.ts";
import { categories, withBelow } from "../services/categories.ts";
import { countOffers, type OffersQuery, offersQuery, tallyConditionsOf } from "./query.ts";
import { type ReputeStep, reputeSteps, stepsReached } from "./repute.ts";
import { requireFindable } from "./search.ts";
import { askedOf, deliverySteps, findOffers, mostCompleted } from "./shelves.ts";

const shownTags = 30;

/** So many of those that fit are looked at for what they could be narrowed to. */
const looked = 2000;

const count = z.int().openapi({ description: "services that would be found with it" });

function facetSchema<Shape extends z.ZodRawShape>(name: string, item: Shape) {
  return z
    .object({
      complete: z.boolean().openapi({
        description: `false where too many services fit to look at all of them, which are the ${looked} most completed ones`,
      }),
      items: z.array(z.object({ ...item, count }).openapi(`${name}FilterItem`)),
    })
    .openapi(`${name}Filter`);
}

const filtersSchema = z
  .object({
    ...totalFields,
    category: facetSchema("Category", {
      value: z.string(),
      title: z.string(),
      parent: z.string().nullable(),
    }),
    pricing_model: facetSchema("PricingModel", { value: z.string() }),
    tags: facetSchema("Tag", { value: z.string() }),
    max_delivery_hours: facetSchema("DeliveryTime", { value: z.int() }),
    price: facetSchema("Price", { min_price: amountField, max_price: amountField }),
    min_score: facetSchema("Score", { value: z.int() }),
    min_rating: facetSchema("Rating", { value: z.string() }),
    min_orders: facetSchema("Orders", { value: z.int() }),
    on_time: facetSchema("OnTime", { value: z.int() }),
    verified: facetSchema("Verified", { value: z.enum(verifiedKinds).openapi("VerifiedKind") }),
  })
  .openapi("MarketplaceFilters");

/** What a search could be narrowed by. Open to all. */
export function addMarketplaceFilters(app: App, context: Context): void {
  const { config, db } = context;
  const answers = publicAnswersOf(context);

  app.openapi(
    createRoute({
      method: "get",
      path: "/marketplace/filters",
      operationId: "readFilters",
      tags: ["marketplace"],
      summary: "What a search for services can be narrowed by, with how much would be left",
      description:
        "Takes what `GET /marketplace/services` takes but for its order and pages, and its `q` as it is. A category, pricing model, delivery time or price is counted as if none were chosen yet, and so is each of the record's and the reviews' figures; a tag beside those chosen. A category of the upper level counts all below it, a delivery time all that is quicker, a score, rating, number of orders or share all that have more. What an agent has proved is counted beside what is chosen.",
      middleware: answers.serve,
      request: { query: offersQuery, headers: ifNoneMatchHeader },
      responses: { 200: answer("Filters", filtersSchema), ...notModified },
    }),
    async (c) => {
      const query = c.req.valid("query");
      if (query.q) await requireFindable(db, query.q);
      const { total, facets } = await countFacets(db, query, config);
      return answers.give(c, "services", {
        ...total,
        category: { ...facets.category, items: categoryItems(facets.category.items) },
        pricing_model: facets.pricing_model,
        tags: { ...facets.tags, items: facets.tags.items.slice(0, shownTags) },
        max_delivery_hours: { ...facets.delivery, items: deliveryItems(facets.delivery.items) },
        price: { ...facets.price, items: priceItems(facets.price.items, config) },
        min_score: { ...facets.min_score, items: stepItems("min_score", facets.min_score.items) },
        min_rating: { ...facets.min_rating, items: stepItems("min_rating", facets.min_rating.items) },
        min_orders: { ...facets.min_orders, items: stepItems("min_orders", facets.min_orders.items) },
        on_time: { ...facets.on_time, items: stepItems("on_time", facets.on_time.items) },
        verified: { ...facets.verified, items: verifiedItems(facets.verified.items) },
      });
    },
  );
}

/** What a service is counted under: on its shelf, and in the tally if that has it. */
const facets = {
  category: { shelved: sql`category`, tallied: sql`nullif(${offerTally.category}, '')` },
  pricing_model: { shelved: sql`pricing_model`, tallied: offerTally.pricingModel },
  delivery: { shelved: sql`earnest.delivery_step(delivery_time_hours)`, tallied: offerTally.deliveryStep },
  price: { shelved: sql`earnest.price_digits(price)`, tallied: offerTally.priceDigits },
  min_score: { shelved: stepsReached("min_score"), tallied: null },
  min_rating: { shelved: stepsReached("min_rating"), tallied: null },
  min_orders: { shelved: stepsReached("min_orders"), tallied: null },
  on_time: { shelved: stepsReached("on_time"), tallied: null },
} as const;
type Facet = keyof typeof facets;
type Counts = { complete: boolean; items: { value: string; count: number }[] };

/** What a service may have several of. */
const lists = {
  tags: sql`select 'tags' as facet, tag as value, count(*)::int as count from fitting, unnest(tags) as tag group by tag`,
  verified: sql`
    select 'verified' as facet, kind as value, count(*)::int as count
    from fitting join ${offer} using (service_id), unnest(${offer.verified}) as kind group by kind`,
} as const;
type List = keyof typeof lists;

/** What of a query chooses in a facet. */
const choices: Record<Facet, (keyof OffersQuery)[]> = {
  category: ["category"],
  pricing_model: ["pricing_model"],
  delivery: ["max_delivery_hours"],
  price: ["min_price", "max_price"],
  min_score: ["min_score"],
  min_rating: ["min_rating"],
  min_orders: ["min_orders"],
  on_time: ["on_time"],
};
const without = (query: OffersQuery, name: Facet): OffersQuery =>
  Object.fromEntries(
    Object.entries(query).filter(([key]) => !choices[name].includes(key as keyof OffersQuery)),
  );

/** Counts every facet, each as if nothing were chosen in it: from the tally where that can tell, else among what is found. */
async function countFacets(db: Database, query: OffersQuery, config: Config) {
  const names = Object.keys(facets) as Facet[];
  const isTallied = (name: Facet) =>
    facets[name].tallied !== null && tallyConditionsOf(without(query, name)) !== null;
  const isChosen = (name: Facet) => choices[name].some((key) => query[key] !== undefined);
  const found = names.filter((name) => !isTallied(name));
  const [total, ...counts] = await Promise.all([
    countOffers(db, query, config),
    countFound(
      db,
      query,
      config,
      found.filter((name) => !isChosen(name)),
      ["tags", "verified"],
    ),
    ...names.filter(isTallied).map((name) => countTallied(db, query, name)),
    ...found.filter(isChosen).map((name) => countFound(db, without(query, name), config, [name], [])),
  ]);
  const all: Record<Facet | List, Counts> = Object.assign({}, ...counts);
  return { total, facets: all };
}

async function countTallied(db: Database, query: OffersQuery, name: Facet) {
  const cells = tallyConditionsOf(without(query, name)) ?? {};
  const { rows } = await db.execute<{ value: string | null; count: number }>(sql`
    select ${facets[name].tallied}::text as value, sum(${offerTally.services})::int as count from ${offerTally}
    where ${and(sql`true`, ...Object.values(cells))}
    group by 1 having sum(${offerTally.services}) > 0 order by 2 desc, 1`);
  return { [name]: { complete: true, items: rows.filter(isValued) } };
}

/** Counts facets of all that fits a query in one look at it, at the most completed ones if there are too many. */
async function countFound(
  db: Database,
  query: OffersQuery,
  config: Config,
  names: Facet[],
  listed: List[],
): Promise<Record<string, Counts>> {
  const asked = askedOf(query, config);
  const fitting = asked.terms ? findOffers(asked, looked + 1) : mostCompleted(looked + 1);
  const columns = names.map((name) => sql`${facets[name].shelved} as ${sql.identifier(`of_${name}`)}`);
  const of = names.map((name) => sql.identifier(`of_${name}`));
  // All of them in one pass.
  const counted = sql`
    select (${sql.param(names)}::text[])[array_position(array[${sql.join(
      of.map((name) => sql`grouping(${name})`),
      sql`, `,
    )}], 0)] as facet, coalesce(${sql.join(
      of.map((name) => sql`${name}::text`),
      sql`, `,
    )}) as value, count(*)::int as count
    from (select ${sql.join(columns, sql`, `)} from fitting) as shelved
    group by grouping sets (${sql.join(
      of.map((name) => sql`(${name})`),
      sql`, `,
    )})`;
  const { rows } = await db.execute<{ facet: string; value: string | null; count: number }>(sql`
    with fitting as materialized (select * from ${fitting})
    select 'seen' as facet, null as value, count(*)::int as count from fitting
    union all (${sql.join([...(names.length > 0 ? [counted] : []), ...listed.map((name) => lists[name])], sql` union all `)})
    order by count desc, value`);
  const seen = rows.find(({ facet }) => facet === "seen")?.count ?? 0;
  const itemsOf = (name: string): Counts => ({
    complete: seen <= looked,
    items: rows
      .filter(({ facet }) => facet === name)
      .map(({ value, count }) => ({ value, count }))
      .filter(isValued),
  });
  return Object.fromEntries([...names, ...listed].map((name) => [name, itemsOf(name)]));
}

function isValued(row: { value: string | null; count: number }): row is { value: string; count: number } {
  return row.value !== null;
}

function categoryItems(items: Counts["items"]) {
  const countOf = new Map(items.map(({ value, count }) => [value, count]));
  return categories
    .map(({ slug, title, parent }) => ({
      value: slug,
      title,
      parent,
      count: withBelow(slug).reduce((total, name) => total + (countOf.get(name) ?? 0), 0),
    }))
    .filter(({ count }) => count > 0);
}

function deliveryItems(items: Counts["items"]) {
  return deliverySteps.map((hours) => ({
    value: hours,
    count: items.reduce((total, { value, count }) => total + (Number(value) <= hours ? count : 0), 0),
  }));
}

function verifiedItems(items: Counts["items"]) {
  return verifiedKinds.map((kind) => ({
    value: kind,
    count: items.find(({ value }) => value === kind)?.count ?? 0,
  }));
}

/** Who has reached a step has reached those before it. */
function stepItems<Name extends ReputeStep>(name: Name, items: Counts["items"]) {
  const values: readonly (typeof reputeSteps)[Name]["values"][number][] = reputeSteps[name].values;
  return values.map((value, at) => ({
    value,
    count: items.reduce((total, { value, count }) => total + (Number(value) > at ? count : 0), 0),
  }));
}

/** From one power of ten base units up to just below the next; what has no price of its own is in none. */
function priceItems(items: Counts["items"], config: Config) {
  const { decimals } = pricingToken(config);
  return items
    .map(({ value, count }) => ({ digits: Number(value), count }))
    .filter(({ digits }) => digits > 0)
    .sort((a, b) => a.digits - b.digits)
    .map(({ digits, count }) => ({
      min_price: formatAmount(10n ** BigInt(digits - 1), decimals),
      max_price: formatAmount(10n ** BigInt(digits) - 1n, decimals),
      count,
    }));
}
