// The order of a search by relevance.

import { type SQL, sql } from "../../db/drizzle.ts";
import { afterPosition, type Ordering, readCursor } from "../http/list-order.ts";
import {
  numberRows,
  orderAndLimit,
  type PageLimits,
  type PageQuery,
  type PageSlice,
} from "../http/listing.ts";
import { countFitting, findOffers, type OfferFilter, rankOffers } from "./offer-index.ts";
import type { OffersQuery } from "./offer-query-fields.ts";
import { mostRanked } from "./search-words.ts";

/** The order by relevance. Equally relevant offers are ordered as in `rankedOffer`. */
export const byRelevance: Ordering = {
  name: "relevance",
  direction: "desc",
  keys: [
    { by: sql`candidate.rank`, type: "number" },
    { by: sql`candidate.completed`, type: "number" },
    { by: sql`candidate.tiebreak`, type: "number" },
    { by: sql`candidate.id`, type: "id" },
  ],
};

/** The order of matches without a rank. */
const tierOrder: Ordering = { ...byRelevance, keys: byRelevance.keys.slice(1) };

/**
 * Ranks the matches with the most completed orders, however many match. The other matches follow in the order of
 * `rankedOffer`, as far as the page needs.
 */
export function pickRelevant(
  { q = "", cursor }: PageQuery & OffersQuery,
  filter: OfferFilter,
  slice: PageSlice,
  page: PageLimits = slice,
): SQL {
  const [rank, ...position] = cursor === undefined ? [] : readCursor(byRelevance, cursor);
  const most = slice.offset + slice.limit;
  const after = slice.after ?? sql`true`;
  const columns = sql`candidate.id, ${slice.position} as position`;
  if (rank === "0") {
    const [completed = "0", tiebreak = "0", id = ""] = position;
    const place = { completed: wholeNumber(completed), tiebreak: wholeNumber(tiebreak), id: sql`${id}` };
    return numberRows(sql`
      select ${columns}, (select ${countFitting(filter)}) as counted from (
        select service_id as id, completed_orders as completed, tiebreak, 0 as rank
        from ${findOffers(filter, slice.limit, place)}) as candidate
      where ${afterPosition(tierOrder, position)} ${orderAndLimit(slice)}`);
  }
  const last = { completed: sql`last.completed`, tiebreak: sql`last.tiebreak`, id: sql`last.id` };
  const rest = sql`
    union all
    select service_id, completed_orders, rest.tiebreak, 0 from (
      select * from found order by completed desc, tiebreak desc, id desc offset ${mostRanked - 1} limit 1) as last,
      ${findOffers(filter, most, last)} as rest`;
  const reachesRest = cursor !== undefined || most > mostRanked;
  return numberRows(sql`
    with found as materialized (select id, completed, tiebreak, rank from ${rankOffers(filter, q, mostRanked)}),
    candidate as (select * from found ${reachesRest ? rest : sql``}),
    counted as materialized (
      select case when count(*) < ${mostRanked} then count(*)::integer else ${countFitting(filter)} end as offers from found)
    select ${columns}, (select offers from counted) as counted
    from (select * from candidate where ${after} ${orderAndLimit(page)}) as candidate`);
}

/** Reads a number of a cursor. Anybody can forge a cursor, so its value is capped. */
function wholeNumber(digits: string): SQL {
  return sql`least(${digits}::numeric, 2147483647)::integer`;
}
