// The shelves of `earnest.shelved_offer`: what a query asks of them, as the terms that each offer is indexed under.

import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../../config/config.ts";
import { agent, shelvedOffer } from "../../db/schema.ts";
import { pricingModels, readAmount } from "../../trade/services/pricing.ts";
import { countedRows } from "../http/listing.ts";
import { withBelow } from "../services/category-tree.ts";
import { leastOf } from "./figure-filters.ts";
import { allOf, oneOf } from "./index-terms.ts";
import type { OffersQuery } from "./offer-query-fields.ts";
import { searchOf, termsOf } from "./search.ts";

/**
 * What an offer on a shelf must have: terms, null where all are asked for; `also` others, which stand apart since any of
 * several fulfils them; and what terms cannot tell exactly.
 */
export type Asked = {
  terms: SQL | null;
  also: SQL | null;
  verified: SQL;
  from: bigint;
  to: bigint;
  hours: number;
  least: Least;
  /** what is checked of each offer alone, since other terms find what fits */
  checked: Checked[];
};
export type Checked = "delivery" | "price" | "min_orders";
type Least = NonNullable<ReturnType<typeof leastOf>> & { orders: number };

/** The steps of delivery times that are tallied, in hours: those of `earnest.delivery_step`. */
export const deliverySteps = [1, 6, 24, 72, 168, 720, 8760] as const;

const highestPrice = 10n ** 78n - 1n;
const longestDelivery = 2 ** 31 - 1;

/** @throws ApiError `invalid_request` for a price that is none */
export function askedOf(query: OffersQuery, config: Config): Asked {
  const { q, category, tags, agent: slug, max_delivery_hours: hours } = query;
  const prices = priceRange(query, config);
  const asked = q ? searchOf(q) : undefined;
  const least = leastOf(query);
  const broad: { name: Checked; isBroad: boolean; term: SQL }[] = [];
  if (hours && hours < 8760) {
    const term = oneOf(stepsWithin(hours).map((step) => `d${step}`));
    broad.push({ name: "delivery", isBroad: hours >= 24, term });
  }
  if (prices) {
    const term = oneOf(priceTerms(prices.from, prices.to));
    broad.push({ name: "price", isBroad: isBroad(prices), term });
  }
  if (query.min_orders) {
    // It says on which shelves to look, so any term will do.
    const term = oneOf(pricingModels.map((model) => `m${model}`));
    broad.push({ name: "min_orders", isBroad: true, term });
  }
  const single = [
    q && termsOf(q),
    slug &&
      sql`(select ('''' || chr(2) || 'a' || ${agent.id} || '''')::tsquery from ${agent} where ${agent.slug} = ${slug})`,
    ...(tags ?? []).map((tag) => oneOf([`t${tag}`])),
    ...(query.verified ?? []).map((kind) => oneOf([`v${kind}`])),
    query.pricing_model && oneOf([`m${query.pricing_model}`]),
  ].filter((term): term is SQL => Boolean(term));
  const choices = [
    category && oneOf(withBelow(category).map((name) => `c${name}`)),
    least?.score && oneOf(stepsFrom("s", least.score, 100, 1000)),
    least?.rating && oneOf(stepsFrom("r", least.rating, 50, 500)),
    least?.onTime && oneOf(stepsFrom("o", least.onTime, 5, 100)),
    ...broad.filter((one) => !one.isBroad).map(({ term }) => term),
  ].filter((term): term is SQL => Boolean(term));
  const narrow = [...(single.length > 0 ? [allOf(single)] : []), ...choices];
  // What most offers have is sooner checked of each than intersected, where there is anything else to find them by.
  const [terms = null, ...others] = narrow.length > 0 ? narrow : broad.map(({ term }) => term);
  return {
    terms,
    also: others.length > 0 ? allOf(others) : null,
    // Words that stand side by side are only likely to where their terms say so.
    verified: asked ? sql`case when (${asked})::text ~ '<' then ${asked} end` : sql`null::tsquery`,
    from: prices?.from ?? 0n,
    to: prices?.to ?? highestPrice,
    hours: hours ?? longestDelivery,
    checked: narrow.length > 0 ? broad.filter((one) => one.isBroad).map(({ name }) => name) : [],
    least: { score: 0, rating: 0, onTime: 0, ...least, orders: query.min_orders ?? 0 },
  };
}

/** The terms of `earnest.repute_terms` that hold so much and more. */
function stepsFrom(letter: string, least: number, step: number, most: number): string[] {
  const [first, last] = [Math.floor(least / step), most / step];
  return Array.from({ length: last - first + 1 }, (_, at) => `${letter}${first + at}`);
}

/** The steps that hold delivery times of so many hours and less. */
function stepsWithin(hours: number): number[] {
  return deliverySteps.filter((_, at) => (deliverySteps[at - 1] ?? 0) < hours);
}

/**
 * What has no price of its own, stored as 0, is in no range.
 *
 * @throws ApiError `invalid_request` for a price that is none
 */
export function priceRange({ min_price: min, max_price: max }: OffersQuery, config: Config) {
  if (!min && !max) return undefined;
  const from = min ? readAmount("min_price", min, config) : 1n;
  const to = max ? readAmount("max_price", max, config) : highestPrice;
  return { from: from < 1n ? 1n : from, to };
}

/** Whether a range holds three of the decades that most prices lie in. */
function isBroad({ from, to }: { from: bigint; to: bigint }): boolean {
  const usual = [5, 9] as const;
  const lowest = Math.max(String(from).length, usual[0]);
  return Math.min(String(to).length, usual[1]) - lowest >= 2;
}

/** Prices of so many digits and more have one term together. */
const mostDigits = 16;

/**
 * The terms of the prices within a range: `p5` of all with five digits, `p5:3` of those that begin with 3. At most some
 * thirty, whatever the range; at its ends they hold a little more than it.
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

/** Where a page begins that follows an offer: after this many completed orders, this lot and this id. */
export type Place = { completed: SQL; lot: SQL; id: SQL };

/** The offers that fit, from the most completed on, to be selected from; they have the columns of `shelvedOffer`. */
export function findOffers(asked: Asked, most: number | SQL, after?: Place): SQL {
  const { terms, also, verified, from, to, hours, least } = asked;
  const place = after
    ? sql`${after.completed}, ${after.lot}, ${after.id}`
    : sql`null::integer, null::integer, null::text`;
  return sql`earnest.find_offers(${terms}, ${verified}, ${String(from)}::numeric, ${String(to)}::numeric, ${hours}::integer,
    ${place}, ${most}::integer, ${bounds(least)}, ${also})`;
}

/** The most completed of the offers that fit: `id`, `completed`, `lot`, and as `rank` how well each fits the words, from 1 on. */
export function rankOffers({ terms, also, from, to, hours, least }: Asked, q: string, most: number): SQL {
  return sql`earnest.rank_offers(${searchOf(q)}, ${terms}, ${also}, ${String(from)}::numeric, ${String(to)}::numeric,
    ${hours}::integer, ${most}::integer, ${bounds(least)})`;
}

/** What is checked of each offer, as a condition on the columns of `shelvedOffer`. */
export function boundOf(name: Checked, { from, to, hours, least }: Asked): SQL {
  if (name === "delivery") return sql`delivery_time_hours <= ${hours}::integer`;
  if (name === "price") return sql`price between ${String(from)}::numeric and ${String(to)}::numeric`;
  return sql`completed_orders >= ${least.orders}::integer`;
}

/** The most completed of all offers, as `findOffers` has those that fit. */
export function mostCompleted(most: number): SQL {
  return sql`(
    select found.* from unnest(earnest.shelves()) as place (number) cross join lateral (
      select * from ${shelvedOffer} where shelf = place.number
      order by completed_orders desc, lot desc, service_id desc) as found
    limit ${most}) as found`;
}

/** How many offers fit, as far as they are counted and one more. */
export function countFitting({ terms, also, verified, from, to, hours, least }: Asked): SQL<number> {
  return sql`earnest.count_offers(${terms}, ${verified}, ${String(from)}::numeric, ${String(to)}::numeric,
    ${hours}::integer, ${countedRows + 1}::integer, ${bounds(least)}, ${also})`;
}

function bounds({ orders, score, rating, onTime }: Least): SQL {
  return sql`${orders}::integer, ${score}::integer, ${rating}::integer, ${onTime}::integer`;
}
