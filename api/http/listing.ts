import { z } from "@hono/zod-openapi";
import { and, asc, type Column, desc, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "../../db/client.ts";
import { ApiError } from "./api-error.ts";

/** How far `offset` reaches; the database would read and drop all of it, so deeper pages take the cursor. */
const largestOffset = 10_000;

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, "must be a whole number")
  .transform(Number);

/** How many items a page has at most. */
export const limitField = (usual: number) =>
  wholeNumber.pipe(z.number().min(1).max(100)).default(usual).openapi({
    type: "integer",
    minimum: 1,
    maximum: 100,
    default: usual,
    description: "Items on a page.",
  });

/** How many items a page has unless another number is asked for. */
export const usualLimit = 20;

/** The query of every list: `limit` with either `offset` or, for deep and steady pages, `cursor`. */
export const pageQuery = z.object({
  limit: limitField(usualLimit),
  offset: wholeNumber
    .pipe(z.number().max(largestOffset, `goes to ${largestOffset}; page on with next_cursor`))
    .default(0)
    .openapi({
      type: "integer",
      minimum: 0,
      maximum: largestOffset,
      default: 0,
      description: "Items to leave out from the start. Not together with cursor.",
    }),
  cursor: z.string().max(1000).optional().openapi({
    description: "`next_cursor` of the page before, under the same query.",
  }),
});
export type PageQuery = z.output<typeof pageQuery>;

/** Rows are counted so far: nobody waits for the database to count more. */
export const countedRows = 10_000;

/** How many items a query has: exactly, or at least so many where counting stopped. */
export type Total = { total: number; total_relation: "eq" | "gte" };

/** Of a count that went on to as many as are counted and one more. */
export function totalOf(counted: number): Total {
  return counted > countedRows
    ? { total: countedRows, total_relation: "gte" }
    : { total: counted, total_relation: "eq" };
}

/** Counts the rows of a table, as far as rows are counted. */
export async function countRows(
  db: Database | Transaction,
  table: PgTable,
  wanted: SQL | undefined,
): Promise<Total> {
  const { rows } = await db.execute<{ counted: number }>(sql`
    select count(*)::int as counted from (
      select from ${table} where ${wanted ?? sql`true`} limit ${countedRows + 1}) as limited`);
  return totalOf(rows[0]?.counted ?? 0);
}

export const totalFields = {
  total: z.int().openapi({
    description: `All items of the query, on whatever page; they are counted up to ${countedRows}.`,
  }),
  total_relation: z.enum(["eq", "gte"]).openapi("TotalRelation", {
    description: "`eq`: there are `total`; `gte`: there are at least so many.",
  }),
};

/** The answer of a list whose items have this shape. */
export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    ...totalFields,
    limit: z.int(),
    offset: z.int(),
    next_cursor: z.string().nullable().openapi({ description: "For the next page; null on the last." }),
  });
}

/** A page as it is answered; `next` is what `takePage` found. */
export function pageOf<T>(items: T[], total: Total, query: PageQuery, next: string | null) {
  return { items, ...total, limit: query.limit, offset: query.offset, next_cursor: next };
}

/**
 * The order of a list. Its keys together are unique (the last is an id) and all run in one direction, so that a page
 * is "what comes after this row", which an index answers at any depth.
 */
export type Ordering = {
  /** names the order within the cursor: a cursor of one order is refused by another */
  name: string;
  direction: "asc" | "desc";
  keys: readonly { by: Column | SQL; type: KeyType }[];
};

type KeyType = "time" | "number" | "count" | "id";

/**
 * How a key travels in a cursor: as text that cannot fail in the database however it is forged. A time is its
 * microseconds since 1970; a Date would lose the last three digits.
 */
const keyTypes: Record<KeyType, { shape: RegExp; write: (by: SQL) => SQL; read: (text: string) => SQL }> = {
  time: {
    shape: /^\d{1,16}$/,
    write: (by) => sql`(extract(epoch from ${by}) * 1000000)::bigint::text`,
    read: (text) => sql`('epoch'::timestamptz + ${text}::bigint * interval '1 microsecond')`,
  },
  number: {
    shape: /^\d{1,78}$/,
    write: (by) => sql`(${by})::text`,
    read: (text) => sql`${text}::numeric`,
  },
  // Of a column of integers: compared with a numeric, no index would find the place.
  count: {
    shape: /^\d{1,10}$/,
    write: (by) => sql`(${by})::text`,
    read: (text) => sql`least(${text}::bigint, 2147483647)::integer`,
  },
  id: {
    shape: /^[a-z]{3}_[0-9a-z]{26}$/,
    write: (by) => sql`(${by})::text`,
    read: (text) => sql`${text}::text`,
  },
};

/** Newest first: the order of every list that offers no other. */
export function newestFirst(createdAt: Column, id: Column): Ordering {
  return {
    name: "newest",
    direction: "desc",
    keys: [
      { by: createdAt, type: "time" },
      { by: id, type: "id" },
    ],
  };
}

/** For `orderBy(...)`. */
export function orderBy(ordering: Ordering): SQL[] {
  return ordering.keys.map(({ by }) => (ordering.direction === "asc" ? asc(by) : desc(by)));
}

/** To be selected with each row as `position`: where it stands, its keys with a space between them, as none holds one. */
export function positionOf(ordering: Ordering): SQL<string> {
  const keys = ordering.keys.map(({ by, type }) => keyTypes[type].write(sql`${by}`));
  return sql<string>`concat_ws(' ', ${sql.join(keys, sql`, `)})`;
}

/**
 * The condition of the rows after a cursor; none without one.
 *
 * @throws ApiError `invalid_request` for a cursor that was not given out for this order
 */
export function afterCursor(ordering: Ordering, query: PageQuery): SQL | undefined {
  if (query.cursor === undefined) return undefined;
  if (query.offset > 0) throw refuseQuery("offset", "cannot stand beside cursor");
  return afterPosition(ordering, readCursor(ordering, query.cursor));
}

/** The condition of the rows after a position that a cursor holds. */
export function afterPosition(ordering: Ordering, position: string[]): SQL {
  const keys = ordering.keys.map(({ by }) => sql`${by}`);
  const values = ordering.keys.map(({ type }, at) => keyTypes[type].read(position[at] ?? ""));
  const comparison = sql.raw(ordering.direction === "asc" ? ">" : "<");
  return sql`(${sql.join(keys, sql`, `)}) ${comparison} (${sql.join(values, sql`, `)})`;
}

/**
 * Cuts the rows of a query that asked for `limit + 1` down to the page, and tells where the next one starts.
 *
 * @param rows each with its `position` as `positionOf` selected it
 */
export function takePage<T extends { position: string }>(rows: T[], query: PageQuery, ordering: Ordering) {
  const page = rows.slice(0, query.limit);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  return { rows: page, next: last ? writeCursor(ordering, last.position) : null };
}

function writeCursor(ordering: Ordering, position: string): string {
  return Buffer.from(JSON.stringify([ordering.name, ...position.split(" ")])).toString("base64url");
}

/**
 * The position that a cursor holds.
 *
 * @throws ApiError `invalid_request` for a cursor that was not given out for this order
 */
export function readCursor(ordering: Ordering, cursor: string): string[] {
  const shape = z.tuple([
    z.literal(ordering.name),
    ...ordering.keys.map(({ type }) => z.string().regex(keyTypes[type].shape)),
  ]);
  try {
    const [, ...position] = shape.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
    return position as string[];
  } catch {
    throw refuseQuery("cursor", "was not given out for this list and order; start without one");
  }
}

export function refuseQuery(parameter: string, message: string): ApiError {
  return new ApiError("invalid_request", `The query's ${parameter} ${message}.`, [
    { path: `/${parameter}`, keyword: parameter, message },
  ]);
}

/** What a list's query needs to say to read one page. */
export type PageSlice = {
  position: SQL<string>;
  after: SQL | undefined;
  order: SQL[];
  limit: number;
  offset: number;
};

/** A slice whose limits may stand in the statement itself, which is planned for them then. */
export type Cut = Omit<PageSlice, "limit" | "offset"> & { limit: number | SQL; offset: number | SQL };

/** The limits of a first page as a part of its statement. */
export const withinStatement = ({ position, after, order, limit }: PageSlice): Cut => ({
  ...{ position, after, order },
  ...{ limit: sql.raw(String(limit)), offset: sql.raw("0") },
});

export const isUsualPage = ({ limit, offset, cursor }: PageQuery): boolean =>
  limit === usualLimit && offset === 0 && cursor === undefined;

export function cut({ order, limit, offset }: Cut): SQL {
  return sql`order by ${sql.join(order, sql`, `)} limit ${limit} offset ${offset}`;
}

/** The page has its place before anything is joined to it, or all that fits would be joined. */
export function placed(picked: SQL): SQL {
  return sql`select picked.*, row_number() over () as place from (${picked}) as picked`;
}

/**
 * Reads one page of a list, as it is answered.
 *
 * @param parts.select reads the rows of a slice, each with its `position`
 * @param parts.count counts the rows of the query, at the same time, or tells it by the rows that were selected
 * @param parts.present a row as its reader sees it
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
    // Written only where they are asked for: a statement that is prepared has them already.
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
  const [found, total] = await Promise.all([selected, parts.count(selected)]);
  const { rows, next } = takePage(found, query, ordering);
  return pageOf(rows.map(parts.present), total, query, next);
}

/**
 * Reads one page of a table, newest first, as it is answered.
 *
 * @param wanted which rows the list is of
 * @param present a row as its reader sees it
 */
export function readNewest<Table extends PgTable & { createdAt: Column; id: Column }, Item>(
  db: Database,
  table: Table,
  wanted: SQL | undefined,
  query: PageQuery,
  present: (row: Table["$inferSelect"]) => Item,
) {
  return readPage(newestFirst(table.createdAt, table.id), query, {
    select: ({ position, after, order, limit, offset }) =>
      db
        .select({ row: table as PgTable, position })
        .from(table as PgTable)
        .where(and(wanted, after))
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    count: () => countRows(db, table, wanted),
    present: ({ row }) => present(row as Table["$inferSelect"]),
  });
}
