import { createRoute, z } from "@hono/zod-openapi";
import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { order, orderCorrespondent } from "../../db/schema.ts";
import { ownsArbiter } from "../../db/wallets.ts";
import { type Role, roles } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";

/** The most unread messages that are counted for each role. Each order with unread messages has at least one. */
const mostCounted = 99;

const unreadOfRole = (whose: string) =>
  z.int().openapi({ description: `the unread messages on ${whose}. Counting stops at ${mostCounted}.` });

const unreadSchema = z
  .object({
    buyer: unreadOfRole("your purchases"),
    provider: unreadOfRole("your sales"),
    arbiter: unreadOfRole("disputes that you decide"),
  } satisfies Record<Role, z.ZodType>)
  .openapi("UnreadMessages");

/** Adds the route that counts the unread messages on all orders of an account. */
export function addUnreadMessages(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/messages/unread",
      operationId: "countUnreadMessages",
      tags: ["messages"],
      summary: "Count the unread messages on all your orders",
      description: "By your role on the order. Each order has its own count as `unread_messages`.",
      ...accessRule(context, "orders:read"),
      responses: { 200: jsonResponse("The counts", unreadSchema) },
    }),
    async (c) => c.json(await countUnreadByRole(context.db, callerOf(c)), 200),
  );
}

/** An arbiter whose wallet has moved to another account, or whose dispute a reorganisation removed, reads nothing. */
async function countUnreadByRole(db: Database, { accountId }: Caller): Promise<Record<Role, number>> {
  const { rows } = await db.execute<{ role: Role; counted: number }>(sql`
    select asked.role, (
      select coalesce(sum(unread), 0)::int from (
        select unread from ${orderCorrespondent} as own
        where own.account_id = ${accountId} and own.unread > 0 and own.role = asked.role
          and (own.role <> 'arbiter' or exists (
            select from ${order}
            where ${order.id} = own.order_id and ${order.disputedAt} is not null and ${ownsArbiter(db, accountId)}))
        limit ${mostCounted}) as first_orders) as counted
    from unnest(${sql.param([...roles])}::text[]) as asked (role)`);
  const count = (role: Role) => Math.min(mostCounted, rows.find((row) => row.role === role)?.counted ?? 0);
  return { buyer: count("buyer"), provider: count("provider"), arbiter: count("arbiter") };
}
