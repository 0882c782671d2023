import { createRoute, z } from "@hono/zod-openapi";
import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { placeEvents } from "../db/events.ts";
import { event } from "../db/schema.ts";
import { type EventType, eventBody, eventTypes } from "../settlement/events.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { refuseField } from "./errors.ts";
import { timeField } from "./fields.ts";
import { answer, guarded } from "./openapi.ts";

const bodySchema = z
  .object({
    id: z.string().openapi({ example: "evt_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    type: z.string().openapi({ example: "order.funded" }),
    created_at: timeField,
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("Event");

/** How long events stay in the feed, in days. */
const keptDays = 30;

/** The feed: the events of an account by pull, the same that webhooks deliver, with the same ids. */
export function addEvents(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/events",
      operationId: "listEvents",
      tags: ["webhooks"],
      summary: "Your events, oldest first, by pull",
      description: `The same events that webhooks deliver, with the same ids, for ${keptDays} days. Keep \`next_cursor\` and ask with it again: it is there even when nothing is new, and no event is ever given before it that was not given already.`,
      ...guarded(context, "webhooks:read"),
      request: {
        query: z.object({
          cursor: z
            .string()
            .max(32)
            .optional()
            .openapi({ description: "`next_cursor` of the answer before" }),
          limit: z
            .string()
            .regex(/^\d{1,3}$/, "must be a whole number")
            .transform(Number)
            .pipe(z.number().min(1).max(100))
            .default(100)
            .openapi({ type: "integer", minimum: 1, maximum: 100, default: 100 }),
          type: z
            .enum(Object.keys(eventTypes) as [EventType, ...EventType[]])
            .array()
            .or(z.enum(Object.keys(eventTypes) as [EventType, ...EventType[]]).transform((one) => [one]))
            .optional()
            .openapi({ description: "only these types; may be given several times" }),
        }),
      },
      responses: {
        200: answer(
          "Events after the cursor",
          z
            .object({ items: z.array(bodySchema), next_cursor: z.string(), has_more: z.boolean() })
            .openapi("EventFeed"),
        ),
      },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      const { cursor, limit, type } = c.req.valid("query");
      const after = readCursor(cursor);
      await db.transaction((tx) => placeEvents(tx, accountId));
      const found = await db
        .select()
        .from(event)
        .where(
          and(
            eq(event.accountId, accountId),
            gt(event.position, after),
            gt(event.createdAt, sql`now() - make_interval(days => ${keptDays})`),
            type === undefined ? undefined : inArray(event.type, type),
          ),
        )
        .orderBy(asc(event.position))
        .limit(limit + 1);
      const items = found.slice(0, limit);
      const last = items.at(-1)?.position ?? after;
      return c.json(
        { items: items.map(eventBody), next_cursor: writeCursor(last), has_more: found.length > limit },
        200,
      );
    },
  );
}

/** A cursor is opaque to callers: the place of the last event that they were given. */
function writeCursor(position: number): string {
  return Buffer.from(`p${position}`).toString("base64url");
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, "base64url").toString();
  const place = /^p(\d{1,15})$/.exec(text)?.[1];
  if (place === undefined) {
    throw refuseField("cursor", "cursor", "This cursor was not given out here: leave it out to start anew.");
  }
  return Number(place);
}
