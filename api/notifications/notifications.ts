import { createRoute, z } from "@hono/zod-openapi";
import { assignPositions } from "../../db/account-events.ts";
import { and, desc, eq, gt, inArray, isNotNull, lt, not, sql } from "../../db/drizzle.ts";
import { event, notificationMark, notificationRead } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { eventBody, retentionDays } from "../../protocol/facts/event-body.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { idField, timeField } from "../http/fields.ts";
import { defaultLimit, limitField } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { cursorParameter, isKept, readFeedPosition, writeCursor } from "../webhooks/event-feed.ts";
import { countUnread, isRead, readUpTo, unreadFields } from "./unread.ts";

/** The most notifications that one request marks by their ids. */
const mostMarked = 100;

const notificationSchema = z
  .object({
    id: idField("evt"),
    type: z.string().openapi({ example: "order.funded" }),
    created_at: timeField,
    read: z.boolean(),
    data: z.record(z.string(), z.unknown()).openapi({ description: "the same as in the event of this id" }),
  })
  .openapi("Notification");

const pageQuery = z.object({
  cursor: cursorParameter.openapi({ description: "`next_cursor` of the previous page" }),
  limit: limitField(defaultLimit),
  unread: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .default(false)
    .openapi({ type: "boolean", default: false, description: "only unread notifications" }),
});

const readRequest = z
  .strictObject({
    ids: z.array(idField("evt")).min(1).max(mostMarked).optional(),
    up_to: idField("evt").optional().openapi({ description: "this notification and all older ones" }),
  })
  .refine(
    ({ ids, up_to }) => (ids === undefined) !== (up_to === undefined),
    "must have either `ids` or `up_to`",
  )
  .openapi("NotificationsToRead", { example: { ids: ["evt_01jd3w8x2mfhz8w9q4t6n5k7ra"] } });

/** Adds the notifications of an account's people: the events that others, the chain or the service caused. */
export function addNotifications(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/notifications",
      operationId: "listNotifications",
      tags: ["notifications"],
      summary: "List what happened to your account, newest first",
      description: `The events of ${retentionDays} days that concern a person: acts of other parties, of the chain and of the service. Your own acts, starts of work and delivery records are in \`GET /events\` alone. Each member of an organisation has a read state. A key has the read state of the person who created the key.`,
      ...accessRule(context, "webhooks:read"),
      request: { query: pageQuery },
      responses: {
        200: jsonResponse(
          "A page of notifications",
          z
            .object({
              items: z.array(notificationSchema),
              ...unreadFields,
              next_cursor: z.string().nullable().openapi({ description: "null on the last page" }),
            })
            .openapi("NotificationPage"),
        ),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { accountId } = caller;
      const { cursor, limit, unread } = c.req.valid("query");
      const before = cursor === undefined ? null : await readFeedPosition(db, accountId, cursor);
      await inTransaction(db, (tx) => assignPositions(tx, [accountId]));
      const { id, type, createdAt, data, position } = event;
      const rows = await db
        .select({ id, type, createdAt, data, position, read: isRead(caller).as("read") })
        .from(event)
        .where(
          and(
            eq(event.accountId, accountId),
            event.notifies,
            isKept,
            before === null ? isNotNull(position) : lt(position, before),
            // With the position, the index is read from the first unread one on.
            ...(unread ? [gt(position, readUpTo(caller)), not(isRead(caller))] : []),
          ),
        )
        .orderBy(desc(position))
        .limit(limit + 1);
      const items = rows.slice(0, limit);
      const last = rows.length > limit ? items.at(-1)?.position : undefined;
      return c.json(
        {
          items: items.map(({ read, ...row }) => {
            const { created_at, data } = eventBody(row);
            return { id: row.id, type: row.type, created_at, read, data };
          }),
          ...(await countUnread(db, caller)),
          next_cursor: last == null ? null : writeCursor(last),
        },
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/notifications/read",
      operationId: "readNotifications",
      tags: ["notifications"],
      summary: "Mark notifications as read",
      description:
        "Marks the notifications of `ids`, or the notification `up_to` and all older ones. The request changes your own read state alone. Ids of other accounts change nothing.",
      ...accessRule(context, "webhooks:read"),
      request: { body: jsonBody(readRequest) },
      responses: {
        200: jsonResponse("The rest", z.object(unreadFields).openapi("UnreadNotifications")),
        ...errorResponses("not_found"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { accountId, memberAccountId } = caller;
      const { ids, up_to } = c.req.valid("json");
      await inTransaction(db, async (tx) => {
        await assignPositions(tx, [accountId]);
        if (ids) {
          const own = and(eq(event.accountId, accountId), inArray(event.id, ids), event.notifies);
          // Rows are locked in one order, and an event that is removed meanwhile gets no mark.
          const found = await tx
            .select({ id: event.id })
            .from(event)
            .where(own)
            .orderBy(event.id)
            .for("key share");
          if (found.length === 0) return;
          await tx
            .insert(notificationMark)
            .values(found.map(({ id }) => ({ eventId: id, memberAccountId })))
            .onConflictDoNothing();
          return;
        }
        const [last] = await tx
          .select({ position: event.position })
          .from(event)
          .where(and(eq(event.accountId, accountId), eq(event.id, up_to ?? "")));
        if (last?.position == null) {
          throw new ApiError("not_found", "Unknown notification. `up_to`: use an id of GET /notifications.");
        }
        await tx
          .insert(notificationRead)
          .values({ accountId, memberAccountId, position: last.position })
          .onConflictDoUpdate({
            target: [notificationRead.accountId, notificationRead.memberAccountId],
            set: { position: sql`greatest(${notificationRead.position}, excluded.position)` },
          });
      });
      return c.json(await countUnread(db, caller), 200);
    },
  );
}
