// Translates a query into the terms that index offers in the tiers of `earnest.ranked_offer`.

import type { Config } from "../../config/config.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { agent, rankedOffer } from "../../db/schema.ts";
import { acceptedNames, defaultCurrency, namesOfCurrency } from "../../trade/services/price-currency.ts";
import { pricingModels, readAmount } from "../../trade/services/pricing.ts";
import { countedRows } from "../http/listing.ts";
import { withSubcategories } from "../services/category-tree.ts";
import { minimumFigures } from "./figure-filters.ts";
import { allOf, oneOf } from "./index-terms.ts";
import type { OffersQuery } from "./offer-query-fields.ts";
import { searchOf, searchTermsOf } from "./search-words.ts";

/**
 * The demands of a query on an offer. `terms` is null if there are none. `also` has further terms, each with alternatives.
 * The other fields are bounds that terms cannot express exactly.
 */
export type OfferFilter = {
  terms: SQL | null;
  also: SQL | null;
  verified: SQL;
  from: bigint;
  to: bigint;
  hours: number;
  /** the names of the currency of prices; null for all */
  currencies: string[] | null;
  least: Least;
  /** bounds that are checked for each offer, because other terms find the candidates */
  checked: CheckedBound[];
};
export type CheckedBound = "delivery" | "price" | "min_orders" | "currency";
type Least = NonNullable<ReturnType<typeof minimumFigures>> & { orders: number };

/** The tallied delivery times in hours, as in `earnest.delivery_step`. */
export const deliverySteps = [1, 6, 24, 72, 168, 720, 8760] as const;

const highestPrice = 10n ** 78n - 1n;
const longestDelivery = 2 ** 31 - 1;

/** @throws ApiError `invalid_request` for an invalid price */
export function offerFilterOf(query: OffersQuery, config: Config): OfferFilter {
  const { q, category, tags, agent: slug, max_delivery_hours: hours } = query;
  const prices = priceRange(query, config);
  const filter = q ? searchOf(q) : undefined;
  const currencies = query.currency ? namesOfCurrency(config, query.currency) : null;
  const least = minimumFigures(query);
  const broad: { name: CheckedBound; isBroad: boolean; term: SQL }[] = [];
  if (hours && hours < 8760) {
    const term = oneOf(stepsWithin(hours).map((step) => `d${step}`));
    broad.push({ name: "delivery", isBroad: hours >= 24, term });
  }
  if (prices) {
    const term = oneOf(priceTerms(prices.from, prices.to));
    broad.push({ name: "price", isBroad: isBroad(prices), term });
  }
  if (currencies) {
    const most = defaultCurrency(config);
    const isBroad = most !== null && currencies.includes(most);
    broad.push({ name: "currency", isBroad, term: oneOf(currencies.map((name) => `u${name}`)) });
  }
  if (query.min_orders) {
    // This bound selects tiers, so the terms may match every offer.
    const term = oneOf(pricingModels.map((model) => `m${model}`));
    broad.push({ name: "min_orders", isBroad: true, term });
  }
  const single = [
    q && searchTermsOf(q),
    slug &&
      sql`(select ('''' || chr(2) || 'a' || ${agent.id} || '''')::tsquery from ${agent} where ${agent.slug} = ${slug})`,
    ...(tags ?? []).map((tag) => oneOf([`t${tag}`])),
    ...(query.verified ?? []).map((kind) => oneOf([`v${kind}`])),
    query.pricing_model && oneOf([`m${query.pricing_model}`]),
  ].filter((term): term is SQL => Boolean(term));
  const accepted = acceptedNames(config, query);
  const choices = [
    accepted && oneOf(accepted.map((name) => `k${name}`)),
    category && oneOf(withSubcategories(category).map((name) => `c${name}`)),
    least?.score && oneOf(stepsFrom("s", least.score, 100, 1000)),
    least?.rating && oneOf(stepsFrom("r", least.rating, 50, 500)),
    least?.onTime && oneOf(stepsFrom("o", least.onTime, 5, 100)),
    ...broad.filter((item) => !item.isBroad).map(({ term }) => term),
  ].filter((term): term is SQL => Boolean(term));
  const narrow = [...(single.length > 0 ? [allOf(single)] : []), ...choices];
  // Terms that most offers have are checked for each candidate. An intersection of index entries would be slower.
  const [terms = null, ...others] = narrow.length > 0 ? narrow : broad.map(({ term }) => term);
  return {
    terms,
    also: others.length > 0 ? allOf(others) : null,
    // The index finds the words of a phrase in any order, so a phrase is checked in the text.
    verified: filter ? sql`case when (${filter})::text ~ '<' then ${filter} end` : sql`null::tsquery`,
    from: prices?.from ?? 0n,
    to: prices?.to ?? highestPrice,
    hours: hours ?? longestDelivery,
    currencies,
    checked: narrow.length > 0 ? broad.filter((item) => item.isBroad).map(({ name }) => name) : [],
    least: { score: 0, rating: 0, onTime: 0, ...least, orders: query.min_orders ?? 0 },
  };
}

/** The terms of `earnest.figure_terms` for `least` and all higher values. */
function stepsFrom(letter: string, least: number, step: number, most: number): string[] {
  const [first, last] = [Math.floor(least / step), most / step];
  return Array.from({ length: last - first + 1 }, (_, at) => `${letter}${first + at}`);
}

/** The steps of all delivery times up to `hours`. */
function stepsWithin(hours: number): number[] {
  return deliverySteps.filter((_, at) => (deliverySteps[at - 1] ?? 0) < hours);
}

/**
 * The range of prices in a query. Offers without a price are stored as 0, and are in no range.
 *
 * @throws ApiError `invalid_request` for an invalid price
 */
export function priceRange({ min_price: min, max_price: max }: OffersQuery, config: Config) {
  if (!min && !max) return undefined;
  const from = min ? readAmount("min_price", min, config) : 1n;
  const to = max ? readAmount("max_price", max, config) : highestPrice;
  return { from: from < 1n ? 1n : from, to };
}

/** Whether a range includes three of the powers of ten that most prices lie in. */
function isBroad({ from, to }: { from: bigint; to: bigint }): boolean {
  const usual = [5, 9] as const;
  const lowest = Math.max(String(from).length, usual[0]);
  return Math.min(String(to).length, usual[1]) - lowest >= 2;
}

/** Prices with this many digits or more share one term. */
const mostDigits = 16;

/**
 * The terms of the prices in a range. `p5` stands for all prices with five digits, `p5:3` for those that begin with 3. No
 * range needs more than about thirty terms. At its ends, the terms cover slightly more than the range.
 */
export function priceTerms(from: bigint, to: bigint): string[] {
  const terms: string[] = [];
  for (let digits = String(from).length; digits <= Math.min(String(to).length, mostDigits); digits += 1) {
    const first = 10n ** BigInt(digits - 1);
    const isWhole = digits === mostDigits || (from <= first && to >= first * 10n - 1n);
    if (isWhole) terms.push(`p${digits}`);
    else {
      for (let lead = 1n; lead <= 9n; lead += 1n) {
        if ((lead + 1n) * first > from && lead * first <= to) terms.push(`p${digits}:${lead}`);
      }
    }
  }
  if (String(from).length > mostDigits) terms.push(`p${mostDigits}`);
  return terms;
}

/** The position of an offer, after which a page begins: completed orders, tiebreak and id. */
export type OfferPosition = { completed: SQL; tiebreak: SQL; id: SQL };

/** Selects matching offers, those with the most completed orders first, with the columns of `rankedOffer`. */
export function findOffers(filter: OfferFilter, most: number | SQL, after?: OfferPosition): SQL {
  const { terms, also, verified, from, to, hours, currencies, least } = filter;
  const place = after
    ? sql`${after.completed}, ${after.tiebreak}, ${after.id}`
    : sql`null::integer, null::integer, null::text`;
  return sql`earnest.find_offers(${terms}, ${verified}, ${String(from)}::numeric, ${String(to)}::numeric, ${hours}::integer,
    ${place}, ${most}::integer, ${bounds(least)}, ${also}, ${list(currencies)})`;
}

/** Selects the matching offers with the most completed orders: `id`, `completed`, `tiebreak` and their `rank`, from 1 on. */
export function rankOffers(
  { terms, also, from, to, hours, currencies, least }: OfferFilter,
  q: string,
  most: number,
): SQL {
  return sql`earnest.rank_offers(${searchOf(q)}, ${terms}, ${also}, ${String(from)}::numeric, ${String(to)}::numeric,
    ${hours}::integer, ${most}::integer, ${bounds(least)}, ${list(currencies)})`;
}

/** A bound that is checked for each offer, as a condition on the columns of `rankedOffer`. */
export function boundOf(name: CheckedBound, { from, to, hours, currencies, least }: OfferFilter): SQL {
  if (name === "delivery") return sql`delivery_time_hours <= ${hours}::integer`;
  if (name === "price") return sql`price between ${String(from)}::numeric and ${String(to)}::numeric`;
  if (name === "currency") return sql`price_currency = any(${list(currencies)})`;
  return sql`completed_orders >= ${least.orders}::integer`;
}

/** Selects the offers with the most completed orders, like `findOffers` without demands. */
export function mostCompleted(most: number): SQL {
  return sql`(
    select found.* from unnest(earnest.tiers()) as place (number) cross join lateral (
      select * from ${rankedOffer} where tier = place.number
      order by completed_orders desc, tiebreak desc, service_id desc) as found
    limit ${most}) as found`;
}

/** Counts the matching offers, up to one above the limit. */
export function countFitting(filter: OfferFilter): SQL<number> {
  const { terms, also, verified, from, to, hours, currencies, least } = filter;
  return sql`earnest.count_offers(${terms}, ${verified}, ${String(from)}::numeric, ${String(to)}::numeric,
    ${hours}::integer, ${countedRows + 1}::integer, ${bounds(least)}, ${also}, ${list(currencies)})`;
}

function list(names: string[] | null): SQL {
  return sql`${sql.param(names)}::text[]`;
}

function bounds({ orders, score, rating, onTime }: Least): SQL {
  return sql`${orders}::integer, ${score}::integer, ${rating}::integer, ${onTime}::integer`;
}
