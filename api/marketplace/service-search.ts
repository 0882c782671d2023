// Reads one page of the services that match a search.

import type { Config } from "../../config/config.ts";
import { type Database, preparedName, prepareOnce, type Transaction } from "../../db/client.ts";
import { and, Column, eq, is, type SQL, sql } from "../../db/drizzle.ts";
import { agent, offer, service } from "../../db/schema.ts";
import { afterPosition, newestFirst, type Ordering, orderBy, readCursor } from "../http/list-order.ts";
import {
  countedRows,
  inlineLimits,
  isDefaultFirstPage,
  numberRows,
  orderAndLimit,
  type PageLimits,
  type PageQuery,
  type PageSlice,
  readPage,
  type Total,
  totalOf,
} from "../http/listing.ts";
import { listedServiceSelection, presentListedService } from "../services/service.ts";
import { findOffers, type OfferFilter, offerFilterOf } from "./offer-index.ts";
import { conditionsOf, countOffers, isByOneFigure, joinConditions } from "./offer-query.ts";
import { inOneCurrency, type OffersQuery } from "./offer-query-fields.ts";
import { firstCurrencySlice, isPricedIn, type PriceOrder, pricedIds, priceOrder } from "./price-order.ts";
import { byRelevance, pickRelevant } from "./relevance-order.ts";
import { preparedSearchName } from "./search-words.ts";

export type ServicesQuery = PageQuery &
  OffersQuery & { sort?: "relevance" | "price_low" | "price_high" | keyof typeof orders | undefined };

/**
 * The most rows of an index that are scanned for one page. Words cost more, because they are checked in each service's text.
 * Services of similar prices lie apart on the disk, so a longer scan by price would be slower than a sort.
 */
const mostScanned = { withWords: 5000, withoutWords: 30_000, byPrice: 2000 };

/** The filters that are checked by scanning rows of an order's index. The most expensive is last. */
const scannedFilters = ["currency", "figures", "verified", "accepts", "tags", "q"] as const;

/**
 * The number of matches up to which all of them are fetched and sorted. With more matches, a scan of the order's index fills
 * the page sooner. Offers with the highest scores and the most orders match most often. The newest offers may have no orders.
 */
const fewOf = ({ name }: Ordering) => (name === "score" || name === "most_completed" ? 1000 : countedRows);

/**
 * Reads a page of services. The default order is by relevance with words, and newest first without.
 *
 * @throws ApiError `invalid_request` for an invalid price or cursor
 */
export function readServicePage(db: Database, asked: ServicesQuery, config: Config) {
  const query = inOneCurrency(asked, config);
  const { cursor } = query;
  const { ordering, priced } = orderOf(query, config);
  const filter = offerFilterOf(query, config);
  const conditions = conditionsOf(query, config);
  // The index of an order by price has the currency.
  const sought = scannedFilters.filter((name) => !(priced && name === "currency"));
  const isSought = sought.some((name) => conditions[name]);
  let counting: Promise<Total> | undefined;
  const count = () => {
    counting ??= countOffers(db, query, config);
    return counting;
  };
  const areFew = async () => {
    const { total, total_relation } = await count();
    return total_relation === "eq" && total <= fewOf(ordering);
  };
  const pickFromMatches = (slice: PageSlice) => {
    const position = cursor === undefined ? undefined : readCursor(ordering, cursor);
    const result = isByOneFigure(query, config) ? withFigure(conditions.figures) : inTiers(filter, ordering);
    return pickAmong(result, ordering, position, slice);
  };
  const select = (page: SQL) => selectPage(db, page);
  const isPlain = Object.values(conditions).every((condition) => condition === undefined);
  return readPage(ordering, query, {
    select: async (slice) => {
      if (ordering === byRelevance) {
        const shape = preparedSearchName(query);
        if (!shape) return select(pickRelevant(query, filter, slice));
        const page = pickRelevant(query, filter, slice, inlineLimits(slice));
        return selectPage(db, page)
          .prepare(preparedName(db, `search_services_${shape}`))
          .execute();
      }
      if (!isSought && priced) return selectPriced(priced, slice);
      if (isPlain && isDefaultFirstPage(query)) return defaultFirstPage(ordering, slice)(db).execute();
      if (!isSought) return select(cutPage(sql`${offer}`, joinConditions(conditions), slice));
      if (await areFew()) return select(pickFromMatches(slice));
      const fits = and(...sought.map((name) => conditions[name])) ?? sql`true`;
      const most = mostScanned[priced ? "byPrice" : query.q ? "withWords" : "withoutWords"];
      const scanned = priced
        ? scannedByPrice(priced, slice)
        : { slice, parts: [undefined], within: ordering };
      // A scan cannot reach so deep a page.
      if (!scanned || slice.offset + slice.limit > most) return select(pickFromMatches(slice));
      const wanted = joinConditions(conditions, scannedFilters);
      const parts = scanned.parts.map((part) => and(part, wanted));
      const rows = await select(scan(parts, fits, most, scanned));
      // An incomplete page: matches are rare in this order, or there are no more.
      return rows.length === slice.limit ? rows : select(pickFromMatches(slice));
    },
    count: async (selected) => {
      if (ordering === byRelevance) {
        const counted = (await selected)[0]?.counted ?? null;
        return counted === null ? count() : totalOf(counted);
      }
      return count();
    },
    present: (row) => presentListedService(row, config),
  });

  /** Selects a page of an order by price. Other currencies are read only if the first one does not fill the page. */
  async function selectPriced(order: PriceOrder, slice: PageSlice) {
    const wanted = joinConditions(conditions, ["currency"]);
    const first = firstCurrencySlice(order, slice, cursor);
    const among = (hasOthers: boolean) =>
      sql`${offer.serviceId} in (${pricedIds(order, wanted, slice, { cursor, hasOthers })})`;
    if (first && order.names.length > 0) {
      const [name = "", ...others] = order.names;
      const condition = others.length === 0 ? and(isPricedIn(name), wanted) : among(false);
      const rows = await select(cutPage(sql`${offer}`, condition, first));
      if (!order.hasOthers || rows.length === slice.limit) return rows;
    }
    return select(cutPage(sql`${offer}`, among(true), slice));
  }

  /**
   * Returns the parts of an order by price whose index can be scanned: each name of the first currency. Null if the page is
   * beyond them.
   */
  function scannedByPrice(order: PriceOrder, slice: PageSlice) {
    const first = firstCurrencySlice(order, slice, cursor);
    return first && order.names.length > 0
      ? { slice: first, parts: order.names.map(isPricedIn), within: order.within }
      : null;
  }
}

function selectPage(db: Database | Transaction, page: SQL) {
  return db
    .select({
      ...listedServiceSelection,
      position: sql<string>`page.position`,
      counted: sql<number | null>`page.counted`,
    })
    .from(service)
    .innerJoin(sql`(${page}) as page`, sql`page.id = ${service.id}`)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .orderBy(sql`page.place`);
}

type Prepared = ReturnType<ReturnType<typeof selectPage>["prepare"]>;
const defaultFirstPages = new Map<string, (db: Database | Transaction) => Prepared>();

/** Prepares the first page of the whole market, the most frequent request. Each order has one statement. */
function defaultFirstPage(ordering: Ordering, slice: PageSlice) {
  const name = `list_services_${ordering.name}`;
  const known = defaultFirstPages.get(name);
  if (known) return known;
  const page = cutPage(sql`${offer}`, undefined, inlineLimits(slice));
  const statement = prepareOnce(name, (on) => selectPage(on, page));
  defaultFirstPages.set(name, statement);
  return statement;
}

/** The order of a search: by relevance with words, newest first without, unless the query names another order. */
function orderOf(
  { q, currency, sort = "relevance" }: ServicesQuery,
  config: Config,
): { ordering: Ordering; priced: PriceOrder | null } {
  if (sort === "price_low" || sort === "price_high") {
    const priced = priceOrder(sort, currency, config);
    return { ordering: priced.ordering, priced };
  }
  if (sort !== "relevance") return { ordering: orders[sort], priced: null };
  return { ordering: q ? byRelevance : orders.newest, priced: null };
}

const id = { by: offer.serviceId, type: "id" } as const;
const completed = { by: offer.completedOrders, type: "count" } as const;
const orders = {
  newest: newestFirst(offer.createdAt, offer.serviceId),
  most_completed: { name: "most_completed", direction: "desc", keys: [completed, id] },
  score: { name: "score", direction: "desc", keys: [{ by: offer.score, type: "count" }, completed, id] },
} as const satisfies Record<string, Ordering>;

function cutPage(from: SQL, wanted: SQL | undefined, slice: PageLimits): SQL {
  return numberRows(sql`
    select ${offer.serviceId} as id, ${slice.position} as position, null::integer as counted from ${from}
    where ${and(wanted, slice.after) ?? sql`true`} ${orderAndLimit(slice)}`);
}

/** The source of every offer with this figure. The figure's index also has the order's columns. */
function withFigure(figure: SQL | undefined): SQL {
  return sql`${offer} where ${figure}`;
}

/** The source of every matching offer. `rankedOffer` lacks only the time of creation. */
function inTiers(filter: OfferFilter, { name }: Ordering): SQL {
  const result = findOffers(filter, 2 ** 31 - 1);
  return name === "newest" ? sql`${result} join ${offer} using (service_id)` : result;
}

/** Cuts a page out of these offers. Only the offers of the page are then read whole. */
function pickAmong(offers: SQL, ordering: Ordering, position: string[] | undefined, slice: PageSlice): SQL {
  const keys = ordering.keys.map(({ by, type }) => ({ by: is(by, Column) ? nameOf(by) : by, type }));
  const among: Ordering = { ...ordering, keys };
  const after = position ? afterPosition(among, position) : sql`true`;
  const read = ordering.keys.flatMap(({ by }) => (is(by, Column) ? nameOf(by) : []));
  // An order by the prices of all currencies compares expressions of the currency.
  if (read.length < keys.length) read.push(nameOf(offer.priceCurrency));
  const columns = sql.join(read, sql`, `);
  // `offset 0` separates the filter from the order. Otherwise PostgreSQL would scan the order's whole index for a few offers.
  const ids = sql`
    select service_id from (select ${columns} from ${offers} offset 0) as found where ${after}
    order by ${sql.join(orderBy(among), sql`, `)} limit ${slice.limit + slice.offset}`;
  return cutPage(sql`${offer}`, sql`${offer.serviceId} in (${ids})`, slice);
}

const nameOf = ({ name }: Column): SQL => sql`${sql.identifier(name)}`;

/**
 * Scans the index of an order until the page is full or `most` rows were scanned. Several parts of the index are read side by
 * side, and merged in the order.
 */
function scan(
  parts: readonly (SQL | undefined)[],
  fits: SQL,
  most: number,
  { slice, within }: { slice: PageSlice; within: Ordering },
): SQL {
  const { position, after, order, limit, offset } = slice;
  const keys = within.keys.map(({ by, type }, at) => ({ by: sql.identifier(`key_${at}`), of: by, type }));
  const columns = keys.map(({ by, of }) => sql`${of} as ${by}`);
  const read = parts.map(
    (wanted) => sql`(
      select ${offer.serviceId} as id, ${position} as position, (${fits}) as fits, ${sql.join(columns, sql`, `)} from ${offer}
      where ${and(wanted, after) ?? sql`true`} order by ${sql.join(order, sql`, `)} limit ${most})`,
  );
  const merged = orderBy({ ...within, keys: keys.map(({ by, type }) => ({ by: sql`${by}`, type })) });
  const scanned =
    read.length === 1
      ? sql`${read[0]} as scanned`
      : sql`(select * from (${sql.join(read, sql` union all `)}) as parts order by ${sql.join(merged, sql`, `)} limit ${most}) as scanned`;
  return numberRows(sql`
    select id, position, null::integer as counted from ${scanned}
    where fits limit ${limit} offset ${offset}`);
}
