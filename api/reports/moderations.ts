import { createRoute, z } from "@hono/zod-openapi";
import type { Database } from "../../db/client.ts";
import { and, eq, ne, type SQL, sql } from "../../db/drizzle.ts";
import { moderation, moderationSubject } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { appeal } from "../../trade/moderation/appeal.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { idField, plainTextField } from "../http/fields.ts";
import { newestFirst } from "../http/list-order.ts";
import { countRows, pageQuery, pageSchema, readPage } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { moderationSchema, presentModeration } from "./moderation.ts";
import { subjectIdField } from "./report.ts";

const moderationParams = z.object({ id: idField("mod") });
const appealRequest = z
  .strictObject({ text: plainTextField(longest.appeal) })
  .openapi("AppealRequest", { example: { text: "We have the rights." } });

/** Whether an act of a statement's `moderation` withholds its subject now. */
const isInForce = sql<boolean>`exists (
  select from ${moderationSubject} as held where held.kind = moderation.subject_kind and held.id = moderation.subject_id
    and held.held_by = moderation.id)`;

/** Selects acts with whether they are in force, and their position in a list. */
export function selectModerations(db: Database, position = sql<string>`null`) {
  return db.select({ row: moderation, isInForce, position }).from(moderation);
}

/** Adds the routes by which an owner reads the acts that concern them, and appeals. */
export function addModerations(app: App, context: Context): void {
  const { db } = context;
  // A dismissal concerns the reporters alone.
  const concerning = (accountId: string, more?: SQL) =>
    and(eq(moderation.ownerAccountId, accountId), ne(moderation.act, "dismiss"), more);

  app.openapi(
    createRoute({
      method: "get",
      path: "/moderations",
      operationId: "listModerations",
      tags: ["reports"],
      summary: "List the operators' acts on your agents, services, reviews and account, newest first",
      description: "Each has its reason. An act that withholds something takes one appeal.",
      ...accessRule(context, "orders:read"),
      request: {
        query: pageQuery.extend({
          subject: subjectIdField.optional().openapi({ description: "the id of one subject" }),
        }),
      },
      responses: {
        200: jsonResponse("A page of acts", pageSchema(moderationSchema).openapi("ModerationPage")),
      },
    }),
    async (c) => {
      const { subject, ...query } = c.req.valid("query");
      const condition = concerning(
        callerOf(c).accountId,
        subject === undefined ? undefined : eq(moderation.subjectId, subject),
      );
      const page = await readPage(newestFirst(moderation.createdAt, moderation.id), query, {
        select: ({ position, after, order, limit, offset }) =>
          selectModerations(db, position)
            .where(and(condition, after))
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: () => countRows(db, moderation, condition),
        present: ({ row, isInForce }) => presentModeration(row, isInForce),
      });
      return c.json(page, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/moderations/{id}",
      operationId: "readModeration",
      tags: ["reports"],
      summary: "Read an act of the operators that concerns you",
      ...accessRule(context, "orders:read"),
      request: { params: moderationParams },
      responses: { 200: jsonResponse("The act", moderationSchema) },
    }),
    async (c) => c.json(await readOwn(c.req.valid("param").id, callerOf(c).accountId), 200),
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/moderations/{id}/appeal",
      operationId: "appealModeration",
      tags: ["reports"],
      summary: "Appeal against an act of the operators",
      description:
        "Possible once for an act that is in force. An operator answers by restoring the subject, or by an event (`moderation.acted`) whose act is `dismiss`. A repeated request changes nothing.",
      ...accessRule(context, "orders:write"),
      request: { params: moderationParams, body: jsonBody(appealRequest) },
      responses: {
        201: jsonResponse("The act with its appeal", moderationSchema),
        ...errorResponses("invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      await inTransaction(db, (tx) => appeal(tx, caller, id, c.req.valid("json").text));
      return c.json(await readOwn(id, caller.accountId), 201);
    },
  );

  async function readOwn(id: string, accountId: string) {
    const [found] = isId("mod", id)
      ? await selectModerations(db).where(concerning(accountId, eq(moderation.id, id)))
      : [];
    if (!found) throw new ApiError("not_found", "No act with this id concerns you.");
    return presentModeration(found.row, found.isInForce);
  }
}
