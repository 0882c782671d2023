import { createRoute, z } from "@hono/zod-openapi";
import { and, or, sql } from "drizzle-orm";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { offer, offerTally } from "../../db/schema.ts";
import { formatAmount } from "../../settlement/money.ts";
import { pricingToken } from "../../trade/services/pricing.ts";
import type { App, Context } from "../context.ts";
import { ifNoneMatchHeader, notModified } from "../http/etag.ts";
import { amountField } from "../http/fields.ts";
import { answer } from "../http/openapi.ts";
import { publicAnswersOf } from "../http/public-answers.ts";
import { categories, withBelow } from "../services/categories.ts";
import {
  conditionsOf,
  countOffers,
  deliverySteps,
  type OfferConditions,
  type OffersQuery,
  offered,
  offersQuery,
  tallyConditionsOf,
} from "./query.ts";
import { requireFindable } from "./search.ts";

/** So many matches are looked at where no tally tells, and as many more for each facet that something is chosen in. */
const counted = 10_000;
const shownTags = 30;

const count = z.int().openapi({ description: "services that would be found with it" });

function facetSchema<Shape extends z.ZodRawShape>(name: string, item: Shape) {
  return z
    .object({
      complete: z.boolean().openapi({
        description: `false where too many services fit to look at all of them, which are ${counted} and as many again for each filter that is chosen`,
      }),
      items: z.array(z.object({ ...item, count }).openapi(`${name}FilterItem`)),
    })
    .openapi(`${name}Filter`);
}

const filtersSchema = z
  .object({
    total: z.int().openapi({ description: "All services of the query." }),
    category: facetSchema("Category", {
      value: z.string(),
      title: z.string(),
      parent: z.string().nullable(),
    }),
    pricing_model: facetSchema("PricingModel", { value: z.string() }),
    tags: facetSchema("Tag", { value: z.string() }),
    max_delivery_hours: facetSchema("DeliveryTime", { value: z.int() }),
    price: facetSchema("Price", { min_price: amountField, max_price: amountField }),
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
        "Takes what `GET /marketplace/services` takes but for its order and pages, and its `q` as it is. A category, pricing model, delivery time or price is counted as if none were chosen yet; a tag beside those chosen. A category of the upper level counts all below it, a delivery time all that is quicker.",
      middleware: answers.serve,
      request: { query: offersQuery, headers: ifNoneMatchHeader },
      responses: { 200: answer("Filters", filtersSchema), ...notModified },
    }),
    async (c) => {
      const query = c.req.valid("query");
      if (query.q) await requireFindable(db, query.q);
      const conditions = conditionsOf(query, config);
      const [total, facets] = await Promise.all([
        countOffers(db, query, conditions),
        countFacets(db, query, conditions),
      ]);
      return answers.give(c, "services", {
        total,
        category: { ...facets.category, items: categoryItems(facets.category.items) },
        pricing_model: facets.pricing_model,
        tags: { ...facets.tags, items: facets.tags.items.slice(0, shownTags) },
        max_delivery_hours: { ...facets.delivery, items: deliveryItems(facets.delivery.items) },
        price: { ...facets.price, items: priceItems(facets.price.items, config) },
      });
    },
  );
}

/** What a service is counted under: of the offer itself, and in the tally. */
const facets = {
  category: { of: offer.category, tallied: sql`nullif(${offerTally.category}, '')` },
  pricing_model: { of: offer.pricingModel, tallied: offerTally.pricingModel },
  delivery: {
    of: sql`earnest.delivery_step(${offer.deliveryTimeHours})`,
    tallied: offerTally.deliveryStep,
  },
  price: { of: sql`earnest.price_digits(${offer.price})`, tallied: offerTally.priceDigits },
} as const;
type Facet = keyof typeof facets;
type Counts = { complete: boolean; items: { value: string; count: number }[] };

/** What of a query chooses in a facet. */
const choices: Record<Facet, Partial<OffersQuery>> = {
  category: { category: undefined },
  pricing_model: { pricing_model: undefined },
  delivery: { max_delivery_hours: undefined },
  price: { min_price: undefined, max_price: undefined },
};

/** Counts every facet, each as if nothing were chosen in it: from the tally where that can tell, else among matches. */
async function countFacets(
  db: Database,
  query: OffersQuery,
  conditions: OfferConditions,
): Promise<Record<Facet | "tags", Counts>> {
  const names = Object.keys(facets) as Facet[];
  const isTallied = (name: Facet) => tallyConditionsOf({ ...query, ...choices[name] }) !== null;
  const isChosen = (name: Facet) => conditions[name] !== undefined;
  const open = names.filter((name) => !isTallied(name) && !isChosen(name));
  const chosen = names.filter((name) => !isTallied(name) && isChosen(name));
  const found = await Promise.all([
    countMatching(db, conditions, [...open, "tags"], chosen),
    ...names.filter(isTallied).map((name) => countTallied(db, query, name)),
  ]);
  return Object.assign({}, ...found);
}

async function countTallied(db: Database, query: OffersQuery, name: Facet) {
  const cells = tallyConditionsOf({ ...query, ...choices[name] }) ?? {};
  const { rows } = await db.execute<{ value: string | null; count: number }>(sql`
    select ${facets[name].tallied}::text as value, sum(${offerTally.services})::int as count from ${offerTally}
    where ${and(sql`true`, ...Object.values(cells))}
    group by 1 having sum(${offerTally.services}) > 0 order by 2 desc, 1`);
  return { [name]: { complete: true, items: rows.filter(isValued) } };
}

/** Counts facets in one look at the matches, `chosen` ones also among what only they leave out. */
async function countMatching(
  db: Database,
  conditions: OfferConditions,
  open: (Facet | "tags")[],
  chosen: Facet[],
) {
  const names = [...open, ...chosen];
  const most = counted * (1 + chosen.length);
  const others = (name: Facet | "tags") => chosen.filter((other) => other !== name);
  const fits = (name: Facet) => sql.identifier(`fits_${name}`);
  const columns = [
    ...names.map((name) =>
      name === "tags" ? sql`tags` : sql`(${facets[name].of})::text as ${sql.identifier(name)}`,
    ),
    ...chosen.map((name) => sql`(${conditions[name]}) as ${fits(name)}`),
  ];
  const wanted = and(
    offered(conditions, chosen),
    or(...chosen.map((name) => and(...others(name).map((other) => conditions[other])))),
  );
  const counts = names.map((name) => {
    const fitting = and(sql`true`, ...others(name).map((other) => sql`${fits(other)}`));
    return name === "tags"
      ? sql`select 'tags' as facet, tag as value, count(*)::int as count
          from matching cross join unnest(tags) as tag where ${fitting} group by tag`
      : sql`select ${name}::text, ${sql.identifier(name)}, count(*)::int from matching where ${fitting} group by 2`;
  });
  const { rows } = await db.execute<{ facet: string; value: string | null; count: number }>(sql`
    with matching as materialized (
      select ${sql.join(columns, sql`, `)} from ${offer} where ${wanted ?? sql`true`} limit ${most + 1})
    select 'seen' as facet, null as value, count(*)::int as count from matching
    union all (${sql.join(counts, sql` union all `)}) order by count desc, value`);
  const seen = rows.find(({ facet }) => facet === "seen")?.count ?? 0;
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        complete: seen <= most,
        items: rows
          .filter(({ facet }) => facet === name)
          .map(({ value, count }) => ({ value, count }))
          .filter(isValued),
      },
    ]),
  );
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
