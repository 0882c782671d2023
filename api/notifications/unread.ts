import { z } from "@hono/zod-openapi";
import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { event, notificationMark, notificationRead } from "../../db/schema.ts";
import type { Caller } from "../http/caller.ts";
import { totalFields } from "../http/listing.ts";
import { isKept } from "../webhooks/event-feed.ts";

/** The most unread notifications that are counted. */
const mostUnread = 99;

export const unreadFields = {
  unread: z.int().openapi({ description: `The unread notifications. Counting stops at ${mostUnread}.` }),
  unread_relation: totalFields.total_relation.openapi({
    description: "`eq`: exactly `unread` are unread; `gte`: more are unread.",
  }),
};

/** Selects the position up to which the member who is signed in has read everything. */
export function readUpTo({ accountId, memberAccountId }: Caller) {
  const { position, ...of } = notificationRead;
  return sql`coalesce((
    select ${position} from ${notificationRead}
    where ${of.accountId} = ${accountId} and ${of.memberAccountId} = ${memberAccountId}), 0)`;
}

/** The condition that the member who is signed in has read an event: up to the stored position, or by its own mark. */
export function isRead(caller: Caller) {
  return sql<boolean>`(${event.position} <= ${readUpTo(caller)} or exists (
    select from ${notificationMark}
    where ${notificationMark.eventId} = ${event.id} and ${notificationMark.memberAccountId} = ${caller.memberAccountId}))`;
}

/** Counts the caller's unread notifications, up to the limit. */
export async function countUnread(db: Database, caller: Caller) {
  const { rows } = await db.execute<{ counted: number }>(sql`
    select count(*)::int as counted from (
      select from ${event}
      where ${event.accountId} = ${caller.accountId} and ${event.notifies} and ${isKept}
        -- With this condition, the index is read from that position on.
        and ${event.position} > ${readUpTo(caller)} and not ${isRead(caller)}
      limit ${mostUnread + 1}) as limited`);
  const counted = rows[0]?.counted ?? 0;
  return {
    unread: Math.min(counted, mostUnread),
    unread_relation: counted > mostUnread ? ("gte" as const) : ("eq" as const),
  };
}
