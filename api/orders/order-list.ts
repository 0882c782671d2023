import { z } from "@hono/zod-openapi";
import { and, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Context as HonoContext, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import { escrow } from "../../db/chain.ts";
import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { UnreadRow } from "../../db/data-rows.ts";
import { escrowOfOrder } from "../../db/ledger.ts";
import { leaveUnread } from "../../db/rows.ts";
import { order } from "../../db/schema.ts";
import type { Caller } from "../http/access.ts";
import type { KeptRows } from "../http/kept-rows.ts";
import { countedRows, type Ordering, type PageSlice, pageQuery, readPage, totalOf } from "../http/listing.ts";
import { presentOrder } from "./order.ts";

/** A page with payloads has so many orders at most: each may hold two as large as a request's body. */
const mostWithPayloads = 10;

/** The query of every list of orders. */
export const orderPageQuery = pageQuery.extend({
  include: z
    .literal("payloads")
    .optional()
    .openapi({
      description: `\`payloads\` gives each order's \`input_payload\` and \`output_payload\`, and pages of at most ${mostWithPayloads}.`,
    }),
});

/** Which orders a list is of. */
export type OrderSelection = {
  /** one for each condition in the whole program: the statement is prepared under it; null for a condition that varies */
  name: string | null;
  /** its values by `sql.placeholder` */
  condition: SQL | undefined;
  values: Record<string, unknown>;
  /** where what is shown of them is kept, if it is */
  kept: KeptRows | undefined;
};

// What is not shown is not read.
const {
  agreement: _agreement,
  inputSchema: _inputSchema,
  outputSchema: _outputSchema,
  token: _token,
  orderHash: _orderHash,
  deliveryWindow: _deliveryWindow,
  acceptanceWindow: _acceptanceWindow,
  disputeWindow: _disputeWindow,
  appealWindow: _appealWindow,
  providerAccountId: _providerAccountId,
  ...whole
} = getTableColumns(order);
const { inputPayload: _inputPayload, outputPayload: _outputPayload, ...columns } = whole;

/** One page of orders, to be answered by `answerOrders`: without their payloads, which may be large, unless they are asked for. */
export function readOrderPage(
  db: Database,
  caller: Pick<Caller, "accountId">,
  selection: OrderSelection,
  ordering: Ordering,
  { include, ...query }: z.output<typeof orderPageQuery>,
) {
  const { name, values, kept } = selection;
  const page = include ? { ...query, limit: Math.min(query.limit, mostWithPayloads) } : query;
  // What was not selected is undefined, and JSON has no member for it.
  const show = ({ row, escrow: escrowRow }: SelectedOrder) => presentOrder(row, escrowRow, caller);
  const list = (selected: SelectedOrder): ListedOrder => ({
    position: selected.position,
    total: selected.total,
    show: () => show(selected),
  });
  return readPage<ListedOrder, ShownOrder>(ordering, page, {
    select: async (slice) => {
      const { limit, offset } = slice;
      if (slice.after || name === null) {
        const rows = await selectOrders(db, selection, slice, include !== undefined).execute(values);
        return rows.map(list);
      }
      const { rows, read } = await firstPages(
        `list_orders_${name}${include ? "_payloads" : ""}`,
        (on, named) =>
          selectOrders(on, selection, { ...slice, ...anySlice }, include !== undefined).prepare(named),
      )(db).execute({ ...values, limit, offset });
      const jsonOf = include ? undefined : kept?.of(caller.accountId);
      return rows.map((unread): ListedOrder => {
        if (!jsonOf) return list(read(unread));
        const write = () => JSON.stringify(show(read(unread)));
        // Too long to be left unread.
        if (!(unread instanceof UnreadRow)) return { ...list(read(unread)), show: write };
        return {
          // What is shown of an order does not change with the number of all.
          show: () => jsonOf(unread.valueAt(place.id) ?? "", unread.textFrom(place.position), write),
          get position() {
            return unread.valueAt(place.position) ?? "";
          },
          get total() {
            return Number(unread.valueAt(place.total));
          },
        };
      });
    },
    count: async (selected) =>
      totalOf(
        (await selected)[0]?.total ??
          (await selectTotal(db, selection.condition).execute(values))[0]?.total ??
          0,
      ),
    present: (listed) => listed.show(),
  });
}

type ListedOrder = { position: string; total: number; show: () => ShownOrder };
/** As JSON where it is kept so: all of a page, or none. */
type ShownOrder = string | ReturnType<typeof presentOrder>;
type SelectedOrder = Awaited<ReturnType<typeof selectOrders>>[number];

type ReadPage = Awaited<ReturnType<typeof readOrderPage>>;
type ShownPage = Omit<ReadPage, "items"> & { items: ReturnType<typeof presentOrder>[] };

/** The answer of a page. */
export function answerOrders(c: HonoContext, page: ReadPage) {
  const { items, ...rest } = page;
  const isJson = typeof items[0] === "string";
  const body = isJson ? `{"items":[${items.join()}],${JSON.stringify(rest).slice(1)}` : JSON.stringify(page);
  const answer: Response = c.body(body, 200, { "Content-Type": "application/json" });
  return answer as Response & TypedResponse<JSONParsed<ShownPage>, 200, "json">;
}

const anySlice = { limit: sql.placeholder("limit"), offset: sql.placeholder("offset") };

/** Where `selectOrders` has them. */
const place = { total: 0, position: 1, id: 2 };

/** A page with the number of all that there are, as far as rows are counted, in one statement. */
function selectOrders(
  db: Database | Transaction,
  { condition }: OrderSelection,
  { position, after, order: by, limit, offset }: Omit<PageSlice, "limit" | "offset"> & Slice,
  withPayloads: boolean,
) {
  return db
    .select({
      total: sql<number>`(${selectTotal(db, condition)})`,
      position,
      row: (withPayloads ? whole : columns) as typeof whole,
      escrow: { status: escrow.status },
    })
    .from(order)
    .leftJoin(escrow, escrowOfOrder)
    .where(and(condition, after))
    .orderBy(...by)
    .limit(limit)
    .offset(offset);
}
type Slice = { limit: number | typeof anySlice.limit; offset: number | typeof anySlice.offset };

function selectTotal(db: Database | Transaction, condition: SQL | undefined) {
  const some = db
    .select({ one: sql`1`.as("one") })
    .from(order)
    .where(condition)
    .limit(countedRows + 1)
    .as("counted_order");
  return db.select({ total: sql<number>`count(*)::int` }).from(some);
}

type Prepared = ReturnType<typeof leaveUnread<SelectedOrder>>;
type Build = (
  db: Database | Transaction,
  name: string,
) => ReturnType<ReturnType<typeof selectOrders>["prepare"]>;
const prepared = new Map<string, (db: Database | Transaction) => Prepared>();

/** The first page, and those by `offset`, are one statement for each selection. */
function firstPages(name: string, build: Build) {
  const statement = prepared.get(name) ?? prepareOnce((db): Prepared => leaveUnread(build(db, name)));
  prepared.set(name, statement);
  return statement;
}
