import { createRoute, z } from "@hono/zod-openapi";
import { assignPositions } from "../../db/account-events.ts";
import { and, asc, desc, eq, gt, inArray, isNotNull, lt } from "../../db/drizzle.ts";
import { event } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { eventBody, retentionDays } from "../../protocol/facts/event-body.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import {
  cursorParameter,
  feedEvent,
  isKept,
  readFeedPosition,
  typesParameter,
  writeCursor,
} from "./event-feed.ts";

const eventOrder = z.enum(["oldest", "newest"]).openapi("EventOrder");

/** Adds the feed of an account's events: the same events that webhooks deliver, with the same `event_id`. */
export function addEvents(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/events",
      operationId: "listEvents",
      tags: ["webhooks"],
      summary: "List your events",
      description: `The same events that webhooks deliver, with the same \`event_id\`, for ${retentionDays} days. Store \`next_cursor\` and use it for the next request. It is present even without new events, and no later event is placed before it. The order \`newest\` is for people, who read back from the last event.`,
      ...accessRule(context, "webhooks:read"),
      request: {
        query: z.object({
          cursor: cursorParameter,
          limit: z
            .string()
            .regex(/^\d{1,3}$/, "must be a whole number")
            .transform(Number)
            .pipe(z.number().min(1).max(100))
            .default(100)
            .openapi({ type: "integer", minimum: 1, maximum: 100, default: 100 }),
          type: typesParameter,
          order: eventOrder.default("oldest").openapi({
            description: "`newest` reads back from the newest event, or from the cursor of such a page",
          }),
        }),
      },
      responses: {
        200: jsonResponse(
          "Events after the cursor, or before the cursor if the order is `newest`",
          z
            .object({ items: z.array(feedEvent), next_cursor: z.string(), has_more: z.boolean() })
            .openapi("EventFeed"),
        ),
      },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      const { cursor, limit, type, order } = c.req.valid("query");
      const isNewest = order === "newest";
      const isFromEnd = isNewest && cursor === undefined;
      const position = await readFeedPosition(db, accountId, cursor);
      const side = isNewest ? lt(event.position, position) : gt(event.position, position);
      await inTransaction(db, (tx) => assignPositions(tx, [accountId]));
      const result = await db
        .select()
        .from(event)
        .where(
          and(
            eq(event.accountId, accountId),
            isFromEnd ? isNotNull(event.position) : side,
            isKept,
            type === undefined ? undefined : inArray(event.type, type),
          ),
        )
        .orderBy(isNewest ? desc(event.position) : asc(event.position))
        .limit(limit + 1);
      const items = result.slice(0, limit);
      const last = items.at(-1)?.position ?? position;
      return c.json(
        {
          items: items.map((row) => eventBody(row)),
          next_cursor: writeCursor(last),
          has_more: result.length > limit,
        },
        200,
      );
    },
  );
}
