import type { Config } from "../../config/config.ts";
import { type Database, prepareOnce } from "../../db/client.ts";
import {
  and,
  arrayContains,
  arrayOverlaps,
  between,
  eq,
  gt,
  gte,
  inArray,
  lte,
  type SQL,
  sql,
} from "../../db/drizzle.ts";
import { agent, offer, offerTally } from "../../db/schema.ts";
import { acceptedNames, namesOfCurrency } from "../../trade/services/price-currency.ts";
import { readAmount } from "../../trade/services/pricing.ts";
import { countedRows, type Total, totalOf } from "../http/listing.ts";
import { withSubcategories } from "../services/category-tree.ts";
import { figureConditions, minimumFigures } from "./figure-filters.ts";
import { countFitting, deliverySteps, offerFilterOf, priceRange } from "./offer-index.ts";
import type { OffersQuery } from "./offer-query-fields.ts";
import { searchOf } from "./search-words.ts";

/** The conditions on an offer, by the part of the query that demands them. */
export type OfferConditions = Record<
  | "q"
  | "category"
  | "tags"
  | "pricing_model"
  | "price"
  | "currency"
  | "accepts"
  | "delivery"
  | "agent"
  | "verified"
  | "figures",
  SQL | undefined
>;

/** @throws ApiError `invalid_request` for an invalid price */
export function conditionsOf(query: OffersQuery, config: Config): OfferConditions {
  const { q, category, tags, min_price: min, max_price: max, max_delivery_hours: hours } = query;
  const accepted = acceptedNames(config, query);
  return {
    q: q ? sql`earnest.offer_search(${offer.serviceId}) @@ ${searchOf(q)}` : undefined,
    category: category ? inArray(offer.category, withSubcategories(category)) : undefined,
    tags: tags?.length ? arrayContains(offer.tags, tags) : undefined,
    pricing_model: query.pricing_model ? eq(offer.pricingModel, query.pricing_model) : undefined,
    price: and(
      min ? gte(offer.price, readAmount("min_price", min, config)) : undefined,
      max ? lte(offer.price, readAmount("max_price", max, config)) : undefined,
      // An offer without a price is stored as 0.
      min || max ? gt(offer.price, 0n) : undefined,
    ),
    currency: query.currency
      ? inArray(offer.priceCurrency, namesOfCurrency(config, query.currency))
      : undefined,
    accepts: accepted ? arrayOverlaps(offer.accepts, accepted) : undefined,
    delivery: hours ? lte(offer.deliveryTimeHours, hours) : undefined,
    agent: query.agent
      ? sql`${offer.agentId} = (select ${agent.id} from ${agent} where ${eq(agent.slug, query.agent)})`
      : undefined,
    verified: query.verified ? arrayContains(offer.verified, query.verified) : undefined,
    figures: figureConditions(offer, query),
  };
}

/** The conditions together, except those named in `without`. */
export function joinConditions(
  conditions: OfferConditions,
  without: readonly (keyof OfferConditions)[] = [],
): SQL | undefined {
  const filter = Object.keys(conditions) as (keyof OfferConditions)[];
  return and(...filter.filter((name) => !without.includes(name)).map((name) => conditions[name]));
}

/** The conditions of a query on cells of the tally; null if the tally lacks one of the query's fields. */
export function tallyConditionsOf(query: OffersQuery, config: Config): Partial<OfferConditions> | null {
  const { q, category, tags, min_price: min, max_price: max, agent: slug } = query;
  const hours = query.max_delivery_hours;
  if (q || tags?.length || min || max || slug || query.verified || query.chain_id || query.token) return null;
  if (minimumFigures(query) || query.min_orders) return null;
  if (hours && hours < 8760 && !(deliverySteps as readonly number[]).includes(hours)) return null;
  return {
    category: category ? inArray(offerTally.category, withSubcategories(category)) : undefined,
    pricing_model: query.pricing_model ? eq(offerTally.pricingModel, query.pricing_model) : undefined,
    currency: query.currency
      ? inArray(offerTally.priceCurrency, namesOfCurrency(config, query.currency))
      : undefined,
    delivery: hours ? lte(offerTally.deliveryStep, hours) : undefined,
  };
}

/** The numbers of digits whose prices all lie in a range. */
function digitsWithin({ from, to }: { from: bigint; to: bigint }) {
  const first = from > 1n ? String(from - 1n).length + 1 : 1;
  return { first, last: String(to + 1n).length - 1 };
}

/**
 * Counts services that match for certain, by the cells of the tally that lie wholly within the query. Null if there are no
 * such cells, or if the tally lacks one of the query's fields.
 */
function leastTallied(query: OffersQuery, config: Config): SQL | null {
  const { max_delivery_hours: hours } = query;
  const prices = priceRange(query, config);
  const cells = tallyConditionsOf(
    { ...query, min_price: undefined, max_price: undefined, max_delivery_hours: undefined },
    config,
  );
  if (!cells) return null;
  const digits = prices && digitsWithin(prices);
  if (digits && digits.first > digits.last) return null;
  const within = and(
    ...Object.values(cells),
    digits ? between(offerTally.priceDigits, digits.first, digits.last) : undefined,
    hours ? lte(offerTally.deliveryStep, hours) : undefined,
  );
  return sql`(select coalesce(sum(${offerTally.services}), 0) from ${offerTally} where ${within})`;
}

/** Counts the services of a query: exactly by the tally where possible, otherwise up to the limit. */
export async function countOffers(db: Database, query: OffersQuery, config: Config): Promise<Total> {
  const { counted, totalFrom, isOfAll } = countedOffers(query, config);
  if (isOfAll) return totalFrom((await sumWholeTally(db).execute())[0]?.total);
  const { rows } = await db.execute<{ counted: number }>(sql`select ${counted} as counted`);
  return totalFrom(rows[0]?.counted);
}

/** The count of a query's services as an expression, and the total that its value stands for. */
export function countedOffers(query: OffersQuery, config: Config) {
  const cells = tallyConditionsOf(query, config);
  if (cells) {
    const condition = and(...Object.values(cells));
    return {
      counted: sql`(select ${summed} from ${offerTally} where ${condition ?? sql`true`})`,
      totalFrom: (total = 0): Total => ({ total, total_relation: "eq" }),
      isOfAll: !condition,
    };
  }
  const each = isByOneFigure(query, config)
    ? sql`(select count(*)::int from (select from ${offer} where ${figureConditions(offer, query)} limit ${countedRows + 1}) as found)`
    : countFitting(offerFilterOf(query, config));
  const certain = leastTallied(query, config);
  const counted = certain
    ? sql`case when ${certain} > ${countedRows} then ${countedRows + 1}::integer else ${each} end`
    : each;
  return { counted, totalFrom: (result = 0) => totalOf(result), isOfAll: false };
}

const summed = sql<number>`coalesce(sum(${offerTally.services}), 0)::int`;
const sumWholeTally = prepareOnce("sum_offer_tally", (db) => db.select({ total: summed }).from(offerTally));

/** Whether the query has no filter except a score or a number of orders. Offers have an index of each. */
export function isByOneFigure(query: OffersQuery, config: Config): boolean {
  const { min_score, min_orders } = query;
  const others = tallyConditionsOf({ ...query, min_score: undefined, min_orders: undefined }, config);
  const isAlone = others !== null && Object.values(others).every((condition) => condition === undefined);
  return isAlone && Boolean(min_score) !== Boolean(min_orders);
}
