import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { and, eq, gt, isNull, ne, type SQL, sql } from "../../db/drizzle.ts";
import { auditEntry, session } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { auditValues } from "../http/audit-log.ts";
import { idField } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import type { App, Variables } from "../variables.ts";
import { presentSession, sessionSchema } from "./session.ts";

const sessionParams = z.object({ id: idField("ses") });

/** Ends the caller's sessions that a condition names and that are valid, with an audit entry for each. */
export async function endSessions(
  { db }: Pick<Context, "db">,
  c: HonoContext<{ Variables: Variables }>,
  condition: SQL,
) {
  return inTransaction(db, async (tx) => {
    const ended = await tx
      .update(session)
      .set({ revokedAt: new Date() })
      .where(and(isOwn(c), condition))
      .returning({ id: session.id, revokedAt: session.revokedAt });
    if (ended.length > 0) {
      const entries = ended.map(({ id }) => auditValues(c, { action: "session.ended", target: id }));
      await tx.insert(auditEntry).values(entries);
    }
    return ended;
  });
}

/** The condition for the valid sessions of the caller's own account. */
function isOwn(c: HonoContext<{ Variables: Variables }>): SQL | undefined {
  return and(
    eq(session.accountId, callerOf(c).accountId),
    isNull(session.revokedAt),
    gt(session.expiresAt, sql`now()`),
  );
}

/** Adds the routes that list and end a person's sessions. */
export function addSessions(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/sessions",
      operationId: "listSessions",
      tags: ["identity"],
      summary: "List your sessions",
      description: "The valid sessions of your own account, newest first.",
      ...accessRule(context, "self"),
      request: { query: pageQuery },
      responses: {
        200: jsonResponse("A page of sessions", pageSchema(sessionSchema).openapi("SessionPage")),
      },
    }),
    async (c) => {
      const { credentialId } = callerOf(c);
      const present = (row: typeof session.$inferSelect) => presentSession(row, credentialId);
      return c.json(await readNewest(context.db, session, isOwn(c), c.req.valid("query"), present), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/sessions/{id}",
      operationId: "endSession",
      tags: ["identity"],
      summary: "End one of your sessions",
      description: "The next request of the session is refused, and its streams end.",
      ...accessRule(context, "self"),
      request: { params: sessionParams },
      responses: { 200: jsonResponse("The id of the ended session", sessionParams.openapi("EndedSession")) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const ended = await endSessions(context, c, eq(session.id, id));
      if (ended.length === 0) throw new ApiError("not_found", "You have no valid session with this id.");
      return c.json({ id }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/sessions",
      operationId: "endOtherSessions",
      tags: ["identity"],
      summary: "End all your other sessions",
      ...accessRule(context, "self"),
      responses: {
        200: jsonResponse(
          "The number of ended sessions",
          z.object({ ended: z.int().openapi({ example: 3 }) }).openapi("EndedSessions"),
        ),
      },
    }),
    async (c) => {
      const ended = await endSessions(context, c, ne(session.id, callerOf(c).credentialId));
      return c.json({ ended: ended.length }, 200);
    },
  );
}
