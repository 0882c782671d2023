import { z } from "@hono/zod-openapi";
import { escrow } from "../../db/chain-index.ts";
import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { and, getTableColumns, type SQL, sql } from "../../db/drizzle.ts";
import { escrowOfOrder } from "../../db/ledger.ts";
import { order, orderCorrespondent } from "../../db/schema.ts";
import type { Caller } from "../http/caller.ts";
import type { Ordering } from "../http/list-order.ts";
import { countedRows, type PageSlice, pageQuery, readPage, totalOf } from "../http/listing.ts";
import { presentOrder } from "./order.ts";

/** The most orders of a page with payloads. Each order may have two, as large as a request's body. */
const mostWithPayloads = 10;

/** The query of lists of orders. */
export const orderPageQuery = pageQuery.extend({
  include: z
    .literal("payloads")
    .optional()
    .openapi({
      description: `\`payloads\` adds \`input_payload\` and \`output_payload\` to each order, and limits pages to ${mostWithPayloads} orders.`,
    }),
});

/** The condition of a list of orders. */
export type OrderSelection = {
  /** the unique name of the condition's prepared statement; null for a condition that varies */
  name: string | null;
  /** uses `sql.placeholder` for its values */
  condition: SQL | undefined;
  values: Record<string, unknown>;
};

// Columns that are not presented are not read.
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

/** Reads one page of orders. Payloads may be large, so they are read only if the query asks for them. */
export function readOrderPage(
  db: Database,
  caller: Pick<Caller, "accountId">,
  selection: OrderSelection,
  ordering: Ordering,
  { include, ...query }: z.output<typeof orderPageQuery>,
) {
  const { name, values } = selection;
  const readerId = caller.accountId;
  const withPayloads = include !== undefined;
  const page = withPayloads ? { ...query, limit: Math.min(query.limit, mostWithPayloads) } : query;
  return readPage(ordering, page, {
    select: (slice) => {
      const { limit, offset } = slice;
      if (slice.after || name === null) {
        return selectOrders(db, selection, slice, withPayloads).execute({ ...values, readerId });
      }
      const prepared = firstPages(`list_orders_${name}${withPayloads ? "_payloads" : ""}`, (on) =>
        selectOrders(on, selection, { ...slice, ...anySlice }, withPayloads),
      );
      return prepared(db).execute({ ...values, readerId, limit, offset });
    },
    count: async (selected) =>
      totalOf(
        (await selected)[0]?.total ??
          (await selectTotal(db, selection.condition).execute(values))[0]?.total ??
          0,
      ),
    // A column that was not selected is undefined, and JSON omits it.
    present: ({ row, escrow: escrowRow, unread }) => presentOrder(row, escrowRow, caller, unread ?? 0),
  });
}

const anySlice = { limit: sql.placeholder("limit"), offset: sql.placeholder("offset") };

/** Reads the rows of a slice without payloads and without a total. */
export function readOrderRows(
  db: Database,
  { accountId: readerId }: Pick<Caller, "accountId">,
  { condition, values }: OrderSelection,
  slice: PageSlice,
) {
  return select(db, condition, slice, {
    total: sql<number | null>`null`,
    row: columns as typeof whole,
  }).execute({ ...values, readerId });
}

/** Selects a page and the total, up to the limit, in one statement. */
function selectOrders(
  db: Database | Transaction,
  { condition }: OrderSelection,
  slice: AnySlice,
  withPayloads: boolean,
) {
  const total = sql<number | null>`(${selectTotal(db, condition)})`;
  return select(db, condition, slice, { total, row: (withPayloads ? whole : columns) as typeof whole });
}

function select(
  db: Database | Transaction,
  condition: SQL | undefined,
  { position, after, order: by, limit, offset }: AnySlice,
  selected: { total: SQL<number | null>; row: typeof whole },
) {
  const { unread: counted, orderId, accountId } = orderCorrespondent;
  const unread = sql<number | null>`(
    select ${counted} from ${orderCorrespondent}
    where ${orderId} = ${order.id} and ${accountId} = ${sql.placeholder("readerId")})`;
  return db
    .select({ ...selected, unread, position, escrow: { status: escrow.status } })
    .from(order)
    .leftJoin(escrow, escrowOfOrder)
    .where(and(condition, after))
    .orderBy(...by)
    .limit(limit)
    .offset(offset);
}
type AnySlice = Omit<PageSlice, "limit" | "offset"> & {
  limit: number | typeof anySlice.limit;
  offset: number | typeof anySlice.offset;
};

function selectTotal(db: Database | Transaction, condition: SQL | undefined) {
  const some = db
    .select({ one: sql`1`.as("one") })
    .from(order)
    .where(condition)
    .limit(countedRows + 1)
    .as("counted_order");
  return db.select({ total: sql<number>`count(*)::int` }).from(some);
}

type Statement = (db: Database | Transaction) => ReturnType<ReturnType<typeof selectOrders>["prepare"]>;
const prepared = new Map<string, Statement>();

/** Prepares the statement for first pages and pages by `offset`, one for each selection. */
function firstPages(name: string, build: (db: Database | Transaction) => ReturnType<typeof selectOrders>) {
  const statement = prepared.get(name) ?? prepareOnce(name, build);
  prepared.set(name, statement);
  return statement;
}
