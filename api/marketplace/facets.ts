// What a search could be narrowed by, counted: from the tally, or among what is found on the shelves.

import { and, type SQL, sql } from "drizzle-orm";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { offer, offerTally } from "../../db/schema.ts";
import { countOffers, type OffersQuery, tallyConditionsOf } from "./query.ts";
import { stepsReached } from "./repute.ts";
import { type Asked, askedOf, boundOf, type Checked, findOffers, mostCompleted } from "./shelves.ts";

/** So many of those that fit are looked at for what they could be narrowed to. */
export const looked = 2000;

/** So many tags are told, the commonest ones. */
const shownTags = 30;

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
export type Counts = { complete: boolean; items: { value: string; count: number }[] };

/** What a service may have several of. */
const lists = {
  tags: sql`(
    select 'tags' as facet, tag as value, count(*)::int as count from fitting, unnest(tags) as tag group by tag
    order by count desc, value limit ${shownTags})`,
  // What a shelf does not know yet is looked up together, in the order of the index.
  verified: sql`
    select 'verified' as facet, kind as value, count(*)::int as count from (
      select proved from fitting where proved is not null
      union all select ${offer.verified} from ${offer}
        where ${offer.serviceId} = any(array(select service_id from fitting where proved is null))) as known (kinds),
      unnest(kinds) as kind
    group by kind`,
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
const without = (query: OffersQuery, ...names: Facet[]): OffersQuery => {
  const chosen = names.flatMap((name) => choices[name]);
  return Object.fromEntries(
    Object.entries(query).filter(([key]) => !chosen.includes(key as keyof OffersQuery)),
  );
};

/** Counts every facet, each as if nothing were chosen in it: from the tally where that can tell, else among what is found. */
export async function countFacets(db: Database, query: OffersQuery, config: Config) {
  const names = Object.keys(facets) as Facet[];
  const isTallied = (name: Facet) =>
    facets[name].tallied !== null && tallyConditionsOf(without(query, name)) !== null;
  const isChosen = (name: Facet) => choices[name].some((key) => query[key] !== undefined);
  const found = names.filter((name) => !isTallied(name));
  const { checked } = askedOf(query, config);
  const isChecked = (name: Facet): name is Checked => checked.some((one) => one === name);
  const [total, ...counts] = await Promise.all([
    countOffers(db, query, config),
    countFound(db, query, config, {
      names: found.filter((name) => !isChosen(name)),
      listed: ["tags", "verified"],
      around: found.filter(isChosen).filter(isChecked),
    }),
    ...names.filter(isTallied).map((name) => countTallied(db, query, name)),
    ...found
      .filter((name) => isChosen(name) && !isChecked(name))
      .map((name) => countFound(db, without(query, name), config, { names: [name] })),
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

/** What is counted in one look: `around` as if nothing were chosen in it, each of them something that terms do not tell. */
type Look = { names: Facet[]; listed?: List[]; around?: Checked[] };

/** Counts facets of all that fits a query in one look at it, at the most completed ones if there are too many. */
async function countFound(
  db: Database,
  query: OffersQuery,
  config: Config,
  { names, listed = [], around = [] }: Look,
): Promise<Record<string, Counts>> {
  const asked = askedOf(without(query, ...around), config);
  // Most of what is found around fits, or its bounds would be asked for by terms.
  const most = around.length > 0 ? 2 * looked : looked;
  const within = (name?: Checked) =>
    and(
      sql`true`,
      ...around.filter((one) => one !== name).map((one) => boundOf(one, askedOf(query, config))),
    );
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
  const countedAround = around.map(
    (name) => sql`
      select ${name}::text as facet, value::text, count(*)::int as count from (
        select ${facets[name].shelved} as value from wide where ${within(name)} limit ${looked + 1}) as fitting
      group by value`,
  );
  const parts = [
    ...(names.length > 0 ? [counted] : []),
    ...listed.map((name) => lists[name]),
    ...countedAround,
  ];
  const found = asked.terms ? findOffers(asked, most + 1) : mostCompleted(most + 1);
  const looks =
    around.length > 0
      ? sql`${enoughAround(asked, within(), most + 1)}, fitting as materialized`
      : sql`wide as materialized (select * from ${found}), fitting as not materialized`;
  const { rows } = await db.execute<{ facet: string; value: string | null; count: number }>(sql`
    with ${looks} (select * from wide where ${within()} limit ${looked + 1})
    select 'wide' as facet, null as value, count(*)::int as count from wide
    union all select 'seen' as facet, null as value, count(*)::int as count from fitting
    union all (${sql.join(parts, sql` union all `)})
    order by count desc, value`);
  const sumOf = (facet: string) => rows.reduce((sum, row) => sum + (row.facet === facet ? row.count : 0), 0);
  const seen = sumOf("seen");
  if (around.length > 0 && sumOf("wide") > most && seen <= looked) {
    // Too little of it fits: each is looked at for itself.
    const each = around.map((name) => countFound(db, without(query, name), config, { names: [name] }));
    return Object.assign(
      {},
      ...(await Promise.all([countFound(db, query, config, { names, listed }), ...each])),
    );
  }
  const itemsOf = (name: string, isComplete: boolean): Counts => ({
    complete: isComplete,
    items: rows
      .filter(({ facet }) => facet === name)
      .map(({ value, count }) => ({ value, count }))
      .filter(isValued),
  });
  return Object.fromEntries([
    ...[...names, ...listed].map((name) => [name, itemsOf(name, seen <= looked)]),
    ...around.map((name) => [name, itemsOf(name, sumOf(name) <= looked)]),
  ]);
}

/** `wide` of that many at most, which is three quarters of them where enough of those are within bounds. */
function enoughAround(asked: Asked, within: SQL | undefined, most: number): SQL {
  const first = 1.5 * looked;
  const last = { completed: sql`last.completed_orders`, lot: sql`last.lot`, id: sql`last.service_id` };
  return sql`
    near as materialized (select * from ${findOffers(asked, first)}),
    wide as materialized (
      select * from near
      union all
      select rest.* from (
        select * from near order by completed_orders desc, lot desc, service_id desc offset ${first - 1} limit 1) as last,
        ${findOffers(asked, most - first, last)} as rest
      where (select count(*) from near where ${within}) <= ${looked})`;
}

function isValued(row: { value: string | null; count: number }): row is { value: string; count: number } {
  return row.value !== null;
}
