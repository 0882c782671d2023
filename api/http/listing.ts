import { z } from "@hono/zod-openapi";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "../../db/client.ts";
import { and, type Column, type SQL, sql } from "../../db/drizzle.ts";
import { afterCursor, newestFirst, type Ordering, orderBy, positionOf, writeCursor } from "./list-order.ts";

/** The largest `offset`. The database reads and drops all rows before it, so deeper pages need the cursor. */
const largestOffset = 10_000;

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, "must be a whole number")
  .transform(Number);

/** The parameter `limit`: the most items of a page. */
export const limitField = (usual: number) =>
  wholeNumber.pipe(z.number().min(1).max(100)).default(usual).openapi({
    type: "integer",
    minimum: 1,
    maximum: 100,
    default: usual,
    description: "The most items of a page.",
  });

/** The default of `limit`. */
export const defaultLimit = 20;

/** The query of every list: `limit` with either `offset` or `cursor`. A cursor reaches any depth, and new items do not shift it. */
export const pageQuery = z.object({
  limit: limitField(defaultLimit),
  offset: wholeNumber
    .pipe(z.number().max(largestOffset, `must be at most ${largestOffset}; use next_cursor for later pages`))
    .default(0)
    .openapi({
      type: "integer",
      minimum: 0,
      maximum: largestOffset,
      default: 0,
      description: "The number of items to skip. Not together with `cursor`.",
    }),
  cursor: z.string().max(1000).optional().openapi({
    description: "`next_cursor` of the previous page, with the same query.",
  }),
});
export type PageQuery = z.output<typeof pageQuery>;

/** The most rows that are counted, so that no request waits for a longer count. */
export const countedRows = 10_000;

/** The number of items of a query, exact ("eq") or a lower bound ("gte"). */
export type Total = { total: number; total_relation: "eq" | "gte" };

/** The total of a count that stops one row after the limit. */
export function totalOf(counted: number): Total {
  return counted > countedRows
    ? { total: countedRows, total_relation: "gte" }
    : { total: counted, total_relation: "eq" };
}

/** Counts rows of a table, up to the limit. */
export async function countRows(
  db: Database | Transaction,
  table: PgTable,
  condition: SQL | undefined,
): Promise<Total> {
  const { rows } = await db.execute<{ counted: number }>(sql`
    select count(*)::int as counted from (
      select from ${table} where ${condition ?? sql`true`} limit ${countedRows + 1}) as limited`);
  return totalOf(rows[0]?.counted ?? 0);
}

export const totalFields = {
  total: z.int().openapi({
    description: `The number of all items of the query. Counting stops at ${countedRows}.`,
  }),
  total_relation: z.enum(["eq", "gte"]).openapi("TotalRelation", {
    description: "`eq`: there are exactly `total` items; `gte`: there are at least `total` items.",
  }),
};

/** The schema of a list whose items have this schema. */
export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    ...totalFields,
    limit: z.int(),
    offset: z.int(),
    next_cursor: z
      .string()
      .nullable()
      .openapi({ description: "The cursor of the next page; null on the last page." }),
  });
}

/** Makes the answer of a list. `next` is the cursor from `takePage`. */
export function pageOf<T>(items: T[], total: Total, query: PageQuery, next: string | null) {
  return { items, ...total, limit: query.limit, offset: query.offset, next_cursor: next };
}

/**
 * Cuts the rows of a query for `limit + 1` rows down to one page, and makes the cursor of the next page.
 *
 * @param rows each row has its `position`, as `positionOf` selects it
 */
export function takePage<T extends { position: string }>(rows: T[], query: PageQuery, ordering: Ordering) {
  const page = rows.slice(0, query.limit);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  return { rows: page, next: last ? writeCursor(ordering, last.position) : null };
}

/** The parts of a statement that reads one page of a list. */
export type PageSlice = {
  position: SQL<string>;
  after: SQL | undefined;
  order: SQL[];
  limit: number;
  offset: number;
};

/** A slice whose limits may be SQL, so that the planner knows them. */
export type PageLimits = Omit<PageSlice, "limit" | "offset"> & { limit: number | SQL; offset: number | SQL };

/** Writes the limits of a first page into the statement. */
export const inlineLimits = ({ position, after, order, limit }: PageSlice): PageLimits => ({
  position,
  after,
  order,
  limit: sql.raw(String(limit)),
  offset: sql.raw("0"),
});

export const isDefaultFirstPage = ({ limit, offset, cursor }: PageQuery): boolean =>
  limit === defaultLimit && offset === 0 && cursor === undefined;

export function orderAndLimit({ order, limit, offset }: PageLimits): SQL {
  return sql`order by ${sql.join(order, sql`, `)} limit ${limit} offset ${offset}`;
}

/** Numbers the rows of a page. The page is cut first, so that later joins apply to its rows only. */
export function numberRows(picked: SQL): SQL {
  return sql`select picked.*, row_number() over () as place from (${picked}) as picked`;
}

/**
 * Reads one page of a list, as it is answered.
 *
 * @param parts.select reads the rows of a slice, each with its `position`
 * @param parts.count counts the rows of the query, at the same time or from the selected rows
 * @param parts.present the answer's item for a row
 */
export async function readPage<Row extends { position: string }, Item>(
  ordering: Ordering,
  query: PageQuery,
  parts: {
    select: (slice: PageSlice) => PromiseLike<Row[]>;
    count: (selected: Promise<Row[]>) => PromiseLike<Total>;
    present: (row: Row) => Item;
  },
) {
  const slice: PageSlice = {
    // Getters, because a prepared statement does not need these expressions.
    get position() {
      return positionOf(ordering);
    },
    after: afterCursor(ordering, query),
    get order() {
      return orderBy(ordering);
    },
    limit: query.limit + 1,
    offset: query.offset,
  };
  const selected = Promise.resolve(parts.select(slice));
  const [result, total] = await Promise.all([selected, parts.count(selected)]);
  const { rows, next } = takePage(result, query, ordering);
  return pageOf(rows.map(parts.present), total, query, next);
}

/**
 * Reads one page of a table, newest first, as it is answered.
 *
 * @param wanted the condition of the list's rows
 * @param present the answer's item for a row
 */
export function readNewest<Table extends PgTable & { createdAt: Column; id: Column }, Item>(
  db: Database,
  table: Table,
  condition: SQL | undefined,
  query: PageQuery,
  present: (row: Table["$inferSelect"]) => Item,
) {
  return readPage(newestFirst(table.createdAt, table.id), query, {
    select: ({ position, after, order, limit, offset }) =>
      db
        .select({ row: table as PgTable, position })
        .from(table as PgTable)
        .where(and(condition, after))
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    count: () => countRows(db, table, condition),
    present: ({ row }) => present(row as Table["$inferSelect"]),
  });
}
