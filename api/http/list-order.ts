// The order of a list, and the cursors that mark a place in it.

import { z } from "@hono/zod-openapi";
import { asc, type Column, desc, type SQL, sql } from "../../db/drizzle.ts";
import { ApiError } from "./api-error.ts";

/**
 * The order of a list. The keys together are unique (the last key is an id), and all have one direction. So a page is the
 * rows after a given row, which an index finds at any depth.
 */
export type Ordering = {
  /** the name in the cursor: a cursor is refused for a list of another order */
  name: string;
  direction: "asc" | "desc";
  keys: readonly { by: Column | SQL; type: KeyType }[];
};

type KeyType = "time" | "number" | "decimal" | "count" | "text" | "id";

/**
 * The form of a key in a cursor. Its text cannot make a statement fail, even if it is forged. A time is written in
 * microseconds since 1970, because a Date would lose the last three digits.
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
  decimal: {
    shape: /^\d{1,78}(\.\d{1,255})?$/,
    write: (by) => sql`(${by})::text`,
    read: (text) => sql`${text}::numeric`,
  },
  // A column of integers: with a numeric value the planner would not use its index.
  count: {
    shape: /^\d{1,10}$/,
    write: (by) => sql`(${by})::text`,
    read: (text) => sql`least(${text}::bigint, 2147483647)::integer`,
  },
  // In hexadecimal, so that it has no space. PostgreSQL has no text with a zero byte.
  text: {
    shape: /^(?!(?:..)*00)(?:[0-9a-f]{2}){0,400}$/,
    write: (by) => sql`encode(convert_to(${by}, 'UTF8'), 'hex')`,
    read: (text) => sql`${Buffer.from(text, "hex").toString("utf8")}::text`,
  },
  id: {
    shape: /^[a-z]{3}_[0-9a-z]{26}$/,
    write: (by) => sql`(${by})::text`,
    read: (text) => sql`${text}::text`,
  },
};

/** The default order of lists: newest first. */
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

/** The arguments of `orderBy(...)`. */
export function orderBy(ordering: Ordering): SQL[] {
  return ordering.keys.map(({ by }) => (ordering.direction === "asc" ? asc(by) : desc(by)));
}

/** The expression `position` of a row: the text of its keys, joined by spaces. No key contains a space. */
export function positionOf(ordering: Ordering): SQL<string> {
  const keys = ordering.keys.map(({ by, type }) => keyTypes[type].write(sql`${by}`));
  return sql<string>`concat_ws(' ', ${sql.join(keys, sql`, `)})`;
}

/**
 * The condition for the rows after the query's cursor; undefined without a cursor.
 *
 * @throws ApiError `invalid_request` for a cursor of another list or order
 */
export function afterCursor(
  ordering: Ordering,
  query: { cursor?: string | undefined; offset: number },
): SQL | undefined {
  if (query.cursor === undefined) return undefined;
  if (query.offset > 0) throw refuseQuery("offset", "cannot be combined with cursor");
  return afterPosition(ordering, readCursor(ordering, query.cursor));
}

/** The condition for the rows after a position of a cursor. */
export function afterPosition(ordering: Ordering, position: string[]): SQL {
  const keys = ordering.keys.map(({ by }) => sql`${by}`);
  const values = ordering.keys.map(({ type }, at) => keyTypes[type].read(position[at] ?? ""));
  const comparison = sql.raw(ordering.direction === "asc" ? ">" : "<");
  return sql`(${sql.join(keys, sql`, `)}) ${comparison} (${sql.join(values, sql`, `)})`;
}

/** Makes the cursor of the rows after a position. */
export function writeCursor(ordering: Ordering, position: string): string {
  return Buffer.from(JSON.stringify([ordering.name, ...position.split(" ")])).toString("base64url");
}

/**
 * Reads the position in a cursor.
 *
 * @throws ApiError `invalid_request` for a cursor of another list or order
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
    throw refuseQuery("cursor", "does not belong to this list and order; start without a cursor");
  }
}

export function refuseQuery(parameter: string, message: string): ApiError {
  return new ApiError("invalid_request", `The query parameter \`${parameter}\` ${message}.`, [
    { path: `/${parameter}`, keyword: parameter, message },
  ]);
}
