import { z } from "@hono/zod-openapi";
import type { Database } from "../../db/client.ts";
import { and, eq, inArray, type SQL, sql } from "../../db/drizzle.ts";
import { order } from "../../db/schema.ts";
import { orderStatuses } from "../../protocol/settlement/vocabulary.ts";
import { countedRows, type Total, totalFields, totalOf } from "../http/listing.ts";
import { orderStatusField } from "./order-fields.ts";
import {
  filterOrders,
  type OrderFilters,
  type OrderSort,
  type OwnOrders,
  orderFilters,
  orderingBy,
  ownerColumns,
  requireOneToken,
  sortField,
  statusesFilter,
} from "./order-filters.ts";
import { type OrderSelection, orderPageQuery } from "./order-list.ts";
import { findMatchingOrders } from "./order-search.ts";

const approvalFilter = z
  .literal("pending")
  .optional()
  .openapi({ description: "`pending`: only orders that wait for an owner or admin." });

/** The filters and the order of an account's orders, by its side. */
export const sideFilters = {
  provider: orderFilters.extend({ status: statusesFilter, sort: sortField }),
  buyer: orderFilters.extend({ status: statusesFilter, sort: sortField, approval: approvalFilter }),
};

/** The queries of lists of an account's orders, by its side. */
export const sideQueries = {
  provider: orderPageQuery.extend(sideFilters.provider.shape),
  buyer: orderPageQuery.extend(sideFilters.buyer.shape),
};

export type OwnQuery = OrderFilters & {
  status?: z.output<typeof statusesFilter>;
  sort: OrderSort;
  approval?: "pending" | undefined;
};

/** Selects filtered orders of an account, and their order. */
export async function selectOwnOrders(
  db: Database,
  own: OwnOrders,
  query: OwnQuery,
): Promise<{ selection: OrderSelection; ordering: ReturnType<typeof orderingBy> }> {
  requireOneToken(query);
  const ordering = orderingBy(query.sort);
  return { selection: selectCommon(own, query) ?? (await selectFiltered(db, own, query)), ordering };
}

/** The selection of the most frequent queries, whose statements are prepared. Null for other queries. */
function selectCommon(
  { accountId, side }: OwnOrders,
  { status, sort, approval, ...filters }: OwnQuery,
): OrderSelection | null {
  const hasFilters = Object.keys(orderFilters.shape).some((name) => filters[name as keyof OrderFilters]);
  if (hasFilters || sort !== "newest" || (status && status.length > 1)) return null;
  return {
    name: [side, ...(status ? ["status"] : []), ...(approval ? ["approval"] : [])].join("_"),
    // A getter, because only the first use of the name builds the statement.
    get condition() {
      return and(
        eq(ownerColumns[side], sql.placeholder("accountId")),
        status && eq(order.status, sql.placeholder("status")),
        isPending(approval),
      );
    },
    values: { accountId, status: status?.[0] },
  };
}

async function selectFiltered(db: Database, own: OwnOrders, query: OwnQuery): Promise<OrderSelection> {
  const { status, approval } = query;
  const found = query.q === undefined ? undefined : await findMatchingOrders(db, own, query.q);
  const condition = and(
    filterOrders(own, query, found),
    status && inArray(order.status, status),
    isPending(approval),
  );
  return { name: null, condition, values: {} };
}

const isPending = (approval: "pending" | undefined): SQL | undefined =>
  approval && sql`${order.approvalStatus} = 'pending'`;

export const statusCountsSchema = z
  .object({
    items: z.array(z.object({ status: orderStatusField, ...totalFields }).openapi("StatusCount")),
  })
  .openapi("StatusCounts");

/** Counts filtered orders of an account by status. Each count has a limit of its own, and an index has its rows together. */
export async function countByStatus(db: Database, own: OwnOrders, filters: OrderFilters) {
  requireOneToken(filters);
  const found = filters.q === undefined ? undefined : await findMatchingOrders(db, own, filters.q);
  const { rows } = await db.execute<{ status: (typeof orderStatuses)[number]; counted: number }>(sql`
    select status, (
      select count(*)::int from (
        select from ${order} where ${filterOrders(own, filters, found)} and ${order.status} = asked.status
        limit ${countedRows + 1}) as limited) as counted
    from unnest(${sql.param([...orderStatuses])}::text[]) with ordinality as asked (status, place) order by place`);
  const items = rows.map(({ status, counted }): { status: typeof status } & Total => ({
    status,
    ...totalOf(counted),
  }));
  return { items };
}
