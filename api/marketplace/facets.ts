// Counts what a search can be narrowed by, from the tally or from the matching offers.

import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { and, type SQL, sql } from "../../db/drizzle.ts";
import { offerTally } from "../../db/schema.ts";
import { defaultCurrency, namesOfCurrency } from "../../trade/services/price-currency.ts";
import { stepsReached } from "./figure-filters.ts";
import {
  boundOf,
  type CheckedBound,
  findOffers,
  mostCompleted,
  type OfferFilter,
  offerFilterOf,
} from "./offer-index.ts";
import { countedOffers, tallyConditionsOf } from "./offer-query.ts";
import type { OffersQuery } from "./offer-query-fields.ts";

/** The most matching offers that are counted for a facet. */
export const mostScanned = 2000;

/** The most tags of an answer. The most frequent ones are listed. */
const shownTags = 30;

/** The most tokens of an answer. */
const shownTokens = 300;

/** The value that a service is counted under, in its row of `rankedOffer` and in the tally if the tally has it. */
const facets = {
  category: { column: sql`category`, tallied: sql`nullif(${offerTally.category}, '')` },
  pricing_model: { column: sql`pricing_model`, tallied: offerTally.pricingModel },
  delivery: { column: sql`earnest.delivery_step(delivery_time_hours)`, tallied: offerTally.deliveryStep },
  price: { column: sql`earnest.price_digits(price)`, tallied: offerTally.priceDigits },
  currency: { column: sql`price_currency`, tallied: offerTally.priceCurrency },
  min_score: { column: stepsReached("min_score"), tallied: null },
  min_rating: { column: stepsReached("min_rating"), tallied: null },
  min_orders: { column: stepsReached("min_orders"), tallied: null },
  on_time: { column: stepsReached("on_time"), tallied: null },
} as const;
type Facet = keyof typeof facets;
export type Counts = { complete: boolean; items: { value: string; count: number }[] };

/** Facets of which a service can have several values, counted among the rows `fitting`. */
const lists = {
  tags: sql`(
    select 'tags' as facet, tag as value, count(*)::int as count from (select unnest(tags) as tag from fitting) as tagged
    group by tag order by count desc, value limit ${shownTags})`,
  accepts: sql`(
    select 'accepts' as facet, name as value, count(*)::int as count
    from (select unnest(accepts) as name from fitting) as accepted
    group by name order by count desc, value limit ${shownTokens})`,
  verified: sql`
    select 'verified' as facet, kind as value, count(*)::int as count
    from (select unnest(proved) as kind from fitting) as known group by kind`,
} as const;
type List = keyof typeof lists;

/** The query fields of each facet. */
const choices: Record<Facet, (keyof OffersQuery)[]> = {
  category: ["category"],
  pricing_model: ["pricing_model"],
  delivery: ["max_delivery_hours"],
  price: ["min_price", "max_price"],
  currency: ["currency"],
  min_score: ["min_score"],
  min_rating: ["min_rating"],
  min_orders: ["min_orders"],
  on_time: ["on_time"],
};
const without = (query: OffersQuery, ...names: Facet[]): OffersQuery => {
  const chosen = names.flatMap((name) => choices[name]);
  return Object.fromEntries(
    Object.entries(query).filter(([key]) => !chosen.includes(key as keyof OffersQuery)),
  );
};

/** The query of a facet: without its own choice. Prices are counted in one currency. */
function queryFor(query: OffersQuery, name: Facet, config: Config): OffersQuery {
  const others = without(query, name);
  return name === "price" ? { ...others, currency: priceCurrencyOf(query, config) } : others;
}

/** The currency in which the ranges of prices are counted: the query's, or the default token's. */
export function priceCurrencyOf({ currency }: OffersQuery, config: Config): string | undefined {
  return currency ?? defaultCurrency(config) ?? undefined;
}

/** The column by which a facet counts rows of `rankedOffer`. A price in another currency counts as none. */
function columnOf(name: Facet, query: OffersQuery, config: Config): SQL | SQL[] {
  const { column } = facets[name];
  const currency = priceCurrencyOf(query, config);
  if (name !== "price" || currency === undefined) return column;
  const names = sql.param(namesOfCurrency(config, currency));
  return sql`case when price_currency = any(${names}::text[]) then ${column} else 0 end`;
}

/**
 * Counts every facet as if the query chose nothing in it: from the tally where possible, otherwise among the matches.
 *
 * @param query a query that compares prices in one currency
 */
export async function countFacets(db: Database, query: OffersQuery, config: Config) {
  const names = Object.keys(facets) as Facet[];
  const isTallied = (name: Facet) =>
    facets[name].tallied !== null && tallyConditionsOf(without(query, name), config) !== null;
  const isChosen = (name: Facet) => choices[name].some((key) => query[key] !== undefined);
  const untallied = names.filter((name) => !isTallied(name));
  const { checked } = offerFilterOf(query, config);
  const isChecked = (name: Facet): name is CheckedBound => checked.some((item) => item === name);
  const { counted, totalFrom } = countedOffers(query, config);
  // The largest scan has one connection. The others share a second one, and take about as long together.
  const [largest, rows] = await Promise.all([
    countMatches(db, query, config, {
      names: untallied.filter((name) => !isChosen(name)),
      around: untallied.filter(isChosen).filter(isChecked),
    }),
    readCounts(db, [
      sql`select 'total' as facet, null as value, ${counted} as count`,
      ...names.filter(isTallied).map((name) => talliedFor(query, name, config)),
      ...untallied
        .filter((name) => isChosen(name) && !isChecked(name))
        .map((name) => scannedFor(query, name, config)),
    ]),
  ]);
  const total = totalFrom(rows.find(({ facet }) => facet === "total")?.count);
  const apart = names
    .filter((name) => !(name in largest))
    .map((name) => [name, countsOf(rows, name, isTallied(name) || isWhole(rows, name))]);
  const all: Record<Facet | List, Counts> = { ...largest, ...Object.fromEntries(apart) };
  return { total, facets: all };
}

type Counted = { facet: string; value: string | null; count: number };

async function readCounts(db: Database, parts: SQL[], withClause = sql``): Promise<Counted[]> {
  const { rows } = await db.execute<Counted>(
    sql`${withClause} ${sql.join(parts, sql` union all `)} order by count desc, value`,
  );
  return rows;
}

const sumOf = (rows: Counted[], name: string) =>
  rows.reduce((sum, { facet, count }) => sum + (facet === name ? count : 0), 0);

/** Whether the scan for a facet covered all matches. */
const isWhole = (rows: Counted[], name: string) => sumOf(rows, name) <= mostScanned;

function countsOf(rows: Counted[], name: string, isComplete = isWhole(rows, name)): Counts {
  const items = rows.flatMap(({ facet, value, count }) =>
    facet === name && value !== null && count > 0 ? { value, count } : [],
  );
  return { complete: isComplete, items };
}

/** Counts a facet by the tally, without the query's own choice in it. */
function talliedFor(query: OffersQuery, name: Facet, config: Config): SQL {
  const cells = tallyConditionsOf(queryFor(query, name, config), config) ?? {};
  return sql`
    select ${name}::text as facet, ${facets[name].tallied}::text as value, sum(${offerTally.services})::int as count
    from ${offerTally} where ${and(sql`true`, ...Object.values(cells))} group by 2`;
}

/** Counts a facet by a scan of its own, without the query's own choice in it. */
function scannedFor(query: OffersQuery, name: Facet, config: Config): SQL {
  return sql.join(
    countsAmong(
      matchesOf(offerFilterOf(queryFor(query, name, config), config), mostScanned + 1),
      [name],
      query,
      config,
    ),
    sql``,
  );
}

function matchesOf(filter: OfferFilter, most: number): SQL {
  return filter.terms ? findOffers(filter, most) : mostCompleted(most);
}

/** Counts facets among rows of `rankedOffer`: those with steps in one pass, the others in a second pass. */
function countsAmong(rows: SQL, names: Facet[], query: OffersQuery, config: Config): SQL[] {
  const steps = names.flatMap((name) => {
    const column = columnOf(name, query, config);
    return Array.isArray(column) ? column.map((step: SQL, at) => ({ name, value: String(at), step })) : [];
  });
  const others = names.filter((name) => !steps.some((step) => step.name === name));
  const of = others.map((name) => sql.identifier(`of_${name}`));
  const columns = others.map((name, at) => sql`${columnOf(name, query, config)} as ${of[at]}`);
  const list = (parts: SQL[]) => sql.join(parts, sql`, `);
  return [
    ...(steps.length > 0
      ? [
          sql`
            select unnest(${sql.param(steps.map(({ name }) => name))}::text[]) as facet,
              unnest(${sql.param(steps.map(({ value }) => value))}::text[]) as value,
              unnest(array[${list(steps.map(({ step }) => sql`count(*) filter (where ${step})`))}])::int as count
            from ${rows}`,
        ]
      : []),
    ...(others.length > 0
      ? [
          sql`
            select (${sql.param(others)}::text[])[array_position(array[${list(of.map((name) => sql`grouping(${name})`))}], 0)]
              as facet, coalesce(${list(of.map((name) => sql`${name}::text`))}) as value, count(*)::int as count
            from (select ${list(columns)} from ${rows}) as services
            group by grouping sets (${list(of.map((name) => sql`(${name})`))})`,
        ]
      : []),
  ];
}

/** The facets of one scan. Those in `around` are counted without the query's own choice; none of them has index terms. */
type Scan = { names: Facet[]; around?: CheckedBound[] };

/** Counts facets and lists in one scan of the matches. If there are too many, the matches with the most completed orders count. */
async function countMatches(
  db: Database,
  query: OffersQuery,
  config: Config,
  { names, around = [] }: Scan,
): Promise<Record<string, Counts>> {
  const filter = offerFilterOf(without(query, ...around), config);
  // Most rows around match, because narrow bounds would be searched by terms.
  const most = around.length > 0 ? 2 * mostScanned : mostScanned;
  const within = (name?: CheckedBound) =>
    and(
      sql`true`,
      ...around.filter((item) => item !== name).map((item) => boundOf(item, offerFilterOf(query, config))),
    );
  const wide = around.length > 0 ? enoughAround(filter, within(), most + 1) : null;
  const fitting = wide
    ? sql`(select * from wide where ${within()} limit ${mostScanned + 1})`
    : sql`(select * from ${matchesOf(filter, most + 1)})`;
  const rows = await readCounts(
    db,
    [
      ...(wide ? [sql`select 'wide' as facet, null as value, count(*)::int as count from wide`] : []),
      sql`select 'seen' as facet, null as value, count(*)::int as count from fitting`,
      ...countsAmong(sql`fitting`, names, query, config),
      ...Object.values(lists),
      ...around.flatMap((name) =>
        countsAmong(
          sql`(select * from wide where ${within(name)} limit ${mostScanned + 1}) as around`,
          [name],
          query,
          config,
        ),
      ),
    ],
    sql`with ${wide ? sql`${wide}, ` : sql``}fitting as materialized ${fitting}`,
  );
  const seen = sumOf(rows, "seen");
  if (sumOf(rows, "wide") > most && seen <= mostScanned) {
    // Too few of the scanned rows match, so each facet needs a scan of its own.
    const [fits, each] = await Promise.all([
      countMatches(db, query, config, { names }),
      readCounts(
        db,
        around.map((name) => scannedFor(query, name, config)),
      ),
    ]);
    return {
      ...fits,
      ...Object.fromEntries(around.map((name) => [name, countsOf(each, name)])),
    };
  }
  const whole = [...names, ...Object.keys(lists)].map((name) => [
    name,
    countsOf(rows, name, seen <= mostScanned),
  ]);
  return Object.fromEntries([...whole, ...around.map((name) => [name, countsOf(rows, name)])]);
}

/** The rows `wide`: at most `most`, or three quarters of that if enough of those are within bounds. */
function enoughAround(filter: OfferFilter, within: SQL | undefined, most: number): SQL {
  const first = 1.5 * mostScanned;
  const last = {
    completed: sql`last.completed_orders`,
    tiebreak: sql`last.tiebreak`,
    id: sql`last.service_id`,
  };
  return sql`
    near as materialized (select * from ${findOffers(filter, first)}),
    rest as materialized (
      select found.* from (
        select * from near order by completed_orders desc, tiebreak desc, service_id desc offset ${first - 1} limit 1) as last,
        ${findOffers(filter, most - first, last)} as found
      where (select count(*) from near where ${within}) <= ${mostScanned}),
    wide as not materialized (select * from near union all select * from rest)`;
}
