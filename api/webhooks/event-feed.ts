import { z } from "@hono/zod-openapi";
import { assignPositions } from "../../db/account-events.ts";
import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { event } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { retentionDays } from "../../protocol/facts/event-body.ts";
import { eventTypes } from "../../protocol/settlement/vocabulary.ts";
import { refuseField } from "../http/api-error.ts";
import { idField, timeField } from "../http/fields.ts";
import { eventTypeField } from "./webhook.ts";

/** The schema of an event in the feed. */
export const feedEvent = z
  .object({
    id: idField("evt"),
    event_id: z.string().openapi({
      description: "the same as `id`; a delivery of this event has it beside the delivery's own id",
      example: "evt_01jd3w8x2mfhz8w9q4t6n5k7ra",
    }),
    type: z.string().openapi({ example: "order.funded" }),
    created_at: timeField,
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("Event");

export const typesParameter = z
  .array(eventTypeField)
  .max(Object.keys(eventTypes).length)
  .or(eventTypeField.transform((item) => [item]))
  .optional()
  .openapi({
    type: "array",
    maxItems: Object.keys(eventTypes).length,
    items: { $ref: "#/components/schemas/EventType" },
    description: "only events of these types; may be repeated",
  });

/** The cursor for future events. */
const nowCursor = "now";

export const cursorParameter = z
  .string()
  .max(32)
  .optional()
  .openapi({
    description: `\`next_cursor\` of the previous answer, or the \`id\` of a stream's event; \`${nowCursor}\` for future events only`,
  });

/** Writes a cursor, which is opaque to callers: the position of the last event that they got. */
export function writeCursor(position: number): string {
  return Buffer.from(`p${position}`).toString("base64url");
}

/**
 * Reads the position of a cursor in an account's feed.
 *
 * @param name the parameter's name in a refusal
 * @throws Refusal `invalid_request`
 */
export async function readFeedPosition(
  db: Database,
  accountId: string,
  cursor: string | undefined,
  name = "cursor",
): Promise<number> {
  if (cursor === undefined) return 0;
  if (cursor === nowCursor) return readLast(db, accountId);
  const text = Buffer.from(cursor, "base64url").toString();
  const start = /^p(\d{1,15})$/.exec(text)?.[1];
  if (start === undefined) {
    throw refuseField(name, name, "This cursor is invalid: omit it to start from the beginning.");
  }
  return Number(start);
}

async function readLast(db: Database, accountId: string): Promise<number> {
  await inTransaction(db, (tx) => assignPositions(tx, [accountId]));
  const { rows } = await db.execute<{ last: string | null }>(
    sql`select max(position) as last from ${event} where account_id = ${accountId}`,
  );
  return Number(rows[0]?.last ?? 0);
}

/** A page to read: the events of an account after a position. */
export type FeedPageRequest = { accountId: string; after: number };

/** An event with its position. */
export type FeedRow = {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
  position: number;
};

/** The condition for events that the feed still has. */
export const isKept = sql`${event.createdAt} > now() - make_interval(days => ${retentionDays})`;

/**
 * Reads pages of several feeds at once, each in its order. New events of these feeds get their positions first.
 *
 * @returns the events of each page, at most `limit`
 */
export async function readPages(
  db: Database,
  requested: readonly FeedPageRequest[],
  limit: number,
): Promise<FeedRow[][]> {
  await inTransaction(db, (tx) =>
    assignPositions(tx, [...new Set(requested.map(({ accountId }) => accountId))]),
  );
  const { rows } = await db.execute<Omit<FeedRow, "createdAt"> & { page: number; milliseconds: number }>(sql`
    select asked.page::int, page_event.id, page_event.type, page_event.data, page_event.position::float8,
      floor(extract(epoch from page_event.created_at) * 1000)::float8 as milliseconds
    from unnest(
      ${sql.param(requested.map(({ accountId }) => accountId))}::text[],
      ${sql.param(requested.map(({ after }) => after))}::bigint[]
    ) with ordinality as asked (account_id, after, page)
    cross join lateral (
      select * from ${event}
      where event.account_id = asked.account_id and event.position > asked.after
        and event.created_at > now() - make_interval(days => ${retentionDays})
      order by event.position limit ${limit}) as page_event
    order by asked.page, page_event.position`);
  const pages: FeedRow[][] = requested.map(() => []);
  for (const { page, milliseconds, ...row } of rows) {
    pages[page - 1]?.push({ ...row, createdAt: new Date(milliseconds) });
  }
  return pages;
}
