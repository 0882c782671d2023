// Orders services by price. Prices are compared within one currency only.

import type { Config } from "../../config/config.ts";
import { and, notInArray, type SQL, sql } from "../../db/drizzle.ts";
import { offer } from "../../db/schema.ts";
import { defaultCurrency, namesOfCurrency } from "../../trade/services/price-currency.ts";
import { afterPosition, type Ordering, orderBy, readCursor } from "../http/list-order.ts";
import type { PageSlice } from "../http/listing.ts";

/** An order by price. */
export type PriceOrder = {
  ordering: Ordering;
  /** the order within one currency */
  within: Ordering;
  /** the names of the currency whose services come first */
  names: string[];
  /** whether services of other currencies follow */
  hasOthers: boolean;
};

const byPrice: Ordering["keys"] = [
  { by: offer.price, type: "number" },
  { by: offer.serviceId, type: "id" },
];

/**
 * Returns an order by price. Without a currency, the default token's currency comes first. Each other name of a currency follows
 * as a group of its own.
 *
 * @param currency the one currency of the query, if it has one
 */
export function priceOrder(
  name: "price_low" | "price_high",
  currency: string | undefined,
  config: Config,
): PriceOrder {
  const direction = name === "price_low" ? "asc" : "desc";
  const within: Ordering = { name, direction, keys: byPrice };
  const first = currency ?? defaultCurrency(config);
  const names = first === null ? [] : namesOfCurrency(config, first);
  if (currency !== undefined) return { ordering: within, within, names, hasOthers: false };
  // All keys have one direction, so the first one is reversed with the others.
  const isFirst = sql`price_currency = any(${sql.param(names)}::text[])`;
  const place = direction === "asc" ? sql`(not ${isFirst})::integer` : sql`(${isFirst})::integer`;
  const group = sql`case when ${isFirst} then '' else price_currency end`;
  const keys: Ordering["keys"] = [{ by: place, type: "count" }, { by: group, type: "text" }, ...byPrice];
  return { ordering: { name: `${name}_of_all`, direction, keys }, within, names, hasOthers: true };
}

/**
 * Returns the part of a page that has services of the first currency; null if the cursor is beyond them. The rows have the
 * position of the whole order.
 */
export function firstCurrencySlice(
  order: PriceOrder,
  slice: PageSlice,
  cursor: string | undefined,
): PageSlice | null {
  const { ordering, within, hasOthers } = order;
  if (!hasOthers) return slice;
  const position = cursor === undefined ? undefined : readCursor(ordering, cursor);
  if (position && !isFirst(order, position)) return null;
  const after = position && afterPosition(within, position.slice(2));
  return {
    ...slice,
    get position() {
      return slice.position;
    },
    after,
    order: orderBy(within),
  };
}

/** Whether a position is of the first currency. */
function isFirst({ ordering }: PriceOrder, [place]: string[]): boolean {
  return place === (ordering.direction === "asc" ? "0" : "1");
}

/** The condition for offers in a name of a currency. */
export const isPricedIn = (name: string) => sql`${offer.priceCurrency} = ${name}`;

/**
 * Selects the ids of the offers that a page may have. Each name of the first currency, and all others together, are read in the
 * order of the index `offer_price`, at most as far as the page needs.
 *
 * @param hasOthers whether the page may have offers of other currencies
 */
export function pricedIds(
  order: PriceOrder,
  wanted: SQL | undefined,
  slice: PageSlice,
  { cursor, hasOthers }: { cursor: string | undefined; hasOthers: boolean },
): SQL {
  const { ordering, within, names } = order;
  const most = slice.limit + slice.offset;
  const first = firstCurrencySlice(order, slice, cursor);
  const read = (condition: SQL | undefined, by: SQL[]) =>
    sql`(select ${offer.serviceId} from ${offer} where ${condition ?? sql`true`} order by ${sql.join(by, sql`, `)} limit ${most})`;
  const parts = first
    ? names.map((name) => read(and(isPricedIn(name), wanted, first.after), orderBy(within)))
    : [];
  if (hasOthers) {
    const others: Ordering = { ...within, keys: [{ by: offer.priceCurrency, type: "text" }, ...byPrice] };
    const after =
      first || cursor === undefined
        ? undefined
        : afterPosition(others, readCursor(ordering, cursor).slice(1));
    const isOther = names.length > 0 ? notInArray(offer.priceCurrency, names) : undefined;
    parts.push(read(and(isOther, wanted, after), orderBy(others)));
  }
  return sql.join(parts, sql` union all `);
}
