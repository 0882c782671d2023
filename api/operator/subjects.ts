import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, isNotNull, or, sql } from "../../db/drizzle.ts";
import { moderation, moderationSubject } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { act, actsAnHour } from "../../trade/moderation/act.ts";
import {
  isOpenToOperators,
  kindOf,
  type ModerationSubjectRow,
  readSubject,
  readTitles,
  type SubjectName,
} from "../../trade/moderation/subject.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { plainTextField } from "../http/fields.ts";
import { newestFirst, type Ordering } from "../http/list-order.ts";
import { countRows, pageQuery, pageSchema, readPage } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { moderationActField } from "../reports/moderation.ts";
import { selectModerations } from "../reports/moderations.ts";
import { subjectIdField, subjectKindField } from "../reports/report.ts";
import type { App } from "../variables.ts";
import {
  moderationSubjectSchema,
  operatorModerationSchema,
  presentModerationSubject,
  presentOperatorModeration,
  readActs,
  readReports,
  subjectDetailSchema,
} from "./moderation-subject.ts";
import { readContent } from "./subject-content.ts";

const subjectParams = z.object({ subject: subjectIdField });

const actRequest = z
  .strictObject({
    act: moderationActField,
    reason: plainTextField(longest.act).openapi({ description: "which the owner reads" }),
    answer: plainTextField(longest.act).optional().openapi({ description: "which the reporters read" }),
  })
  .openapi("ModerationActRequest", {
    example: { act: "suspend", reason: "The service sells stolen data.", answer: "Thank you. It is gone." },
  });

const isWaiting = or(sql`${moderationSubject.open} > 0`, eq(moderationSubject.appealed, true));

/**
 * Appealed subjects come first: their owners lose by each day. Then come those with the most reports that count. Reports of
 * free accounts move nothing before them.
 */
const byWeight: Ordering = {
  name: "weight",
  direction: "desc",
  keys: [
    { by: sql`(${moderationSubject.appealed}::int)`, type: "count" },
    { by: moderationSubject.openCounted, type: "count" },
    { by: moderationSubject.noticedAt, type: "time" },
    { by: moderationSubject.id, type: "id" },
  ],
};

/** Adds the routes by which operators read reported subjects and act on them. */
export function addModerationSubjects(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/operator/subjects",
      operationId: "listModerationSubjects",
      tags: ["operator"],
      summary:
        "List the subjects that wait for an operator: appealed ones first, then those with the most counted reports",
      description:
        "With `withheld=true`, the subjects that are suspended, hidden or banned, the latest first.",
      ...accessRule(context, "operator"),
      request: {
        query: pageQuery.extend({
          kind: subjectKindField.optional(),
          withheld: z
            .enum(["true", "false"])
            .transform((text) => text === "true")
            .default(false)
            .openapi({ type: "boolean", default: false }),
        }),
      },
      responses: {
        200: jsonResponse(
          "A page of subjects",
          pageSchema(moderationSubjectSchema).openapi("ModerationSubjectPage"),
        ),
      },
    }),
    async (c) => {
      const { kind, withheld, ...query } = c.req.valid("query");
      const ordering = withheld ? newestFirst(moderationSubject.noticedAt, moderationSubject.id) : byWeight;
      const condition = and(
        withheld ? isNotNull(moderationSubject.heldBy) : isWaiting,
        kind === undefined ? undefined : eq(moderationSubject.kind, kind),
      );
      const page = await readPage(ordering, query, {
        select: ({ position, after, order, limit, offset }) =>
          db
            .select({ row: moderationSubject, position })
            .from(moderationSubject)
            .where(and(condition, after))
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: () => countRows(db, moderationSubject, condition),
        present: ({ row }) => row,
      });
      const found = await readTitles(db, page.items);
      const items = page.items.map((row) => presentModerationSubject(row, found.get(row.id)));
      return c.json({ ...page, items }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/operator/subjects/{subject}",
      operationId: "readModerationSubject",
      tags: ["operator"],
      summary: "Read a subject with its reports and the acts on it",
      description: "Of any agent, service, review or account, and of a message or a file that was reported.",
      ...accessRule(context, "operator"),
      request: { params: subjectParams },
      responses: { 200: jsonResponse("The subject", subjectDetailSchema) },
    }),
    async (c) => {
      const name = nameOf(c.req.valid("param").subject);
      const [content, titles, [known]] = await Promise.all([
        readContent(db, name.kind, name.id),
        readTitles(db, [name]),
        db
          .select()
          .from(moderationSubject)
          .where(and(eq(moderationSubject.kind, name.kind), eq(moderationSubject.id, name.id))),
      ]);
      if (!content || !isOpenToOperators(name, known)) throw noSubject();
      const row = known ?? (await unreported(name));
      const [newest_reports, acts] = await Promise.all([readReports(context, row), readActs(context, row)]);
      const shown = presentModerationSubject(row, titles.get(name.id));
      return c.json({ ...shown, content: shownContent(content), newest_reports, acts }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/operator/subjects/{subject}/acts",
      operationId: "actOnSubject",
      tags: ["operator"],
      summary: "Suspend, hide, ban or restore a subject, or dismiss its reports",
      description: `\`suspend\` is for agents and services, \`hide\` for reviews, messages and files, \`ban\` for accounts. \`restore\` ends any of them. \`dismiss\` changes nothing. Each answers the open reports and the appeal. The reason is in the audit log, and the owner reads it. Open orders continue: no act touches an order or its money. An operator acts at most ${actsAnHour} times an hour, and never on a subject of their own account or organisation.`,
      ...accessRule(context, "operator"),
      request: { params: subjectParams, body: jsonBody(actRequest) },
      responses: {
        201: jsonResponse("The act", operatorModerationSchema),
        ...errorResponses("invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const name = nameOf(c.req.valid("param").subject);
      const decision = c.req.valid("json");
      const { memberAccountId } = callerOf(c);
      const row = await inTransaction(db, async (tx) => {
        const written = await act(tx, memberAccountId, name, decision);
        const data = { act: written.act, reason: written.reason, moderation: written.id };
        await recordAudit(tx, c, { action: "operator.acted", target: name.id, data });
        return written;
      });
      return c.json(presentOperatorModeration(row, ["suspend", "hide", "ban"].includes(row.act)), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/operator/acts",
      operationId: "listModerationActs",
      tags: ["operator"],
      summary: "List the acts of all operators, newest first",
      ...accessRule(context, "operator"),
      request: { query: pageQuery },
      responses: {
        200: jsonResponse(
          "A page of acts",
          pageSchema(operatorModerationSchema).openapi("OperatorModerationPage"),
        ),
      },
    }),
    async (c) => {
      const page = await readPage(newestFirst(moderation.createdAt, moderation.id), c.req.valid("query"), {
        select: ({ position, after, order, limit, offset }) =>
          selectModerations(db, position)
            .where(after)
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: () => countRows(db, moderation, undefined),
        present: ({ row, isInForce }) => presentOperatorModeration(row, isInForce),
      });
      return c.json(page, 200);
    },
  );

  /** The row of a subject that nobody reported. */
  async function unreported({ kind, id }: SubjectName): Promise<ModerationSubjectRow> {
    const { ownerAccountId } = await inTransaction(db, (tx) => readSubject(tx, { kind, id }));
    return {
      kind,
      id,
      ownerAccountId,
      open: 0,
      openCounted: 0,
      reports: 0,
      appealed: false,
      noticedAt: new Date(),
      heldBy: null,
    };
  }
}

function nameOf(id: string): SubjectName {
  const kind = kindOf(id);
  if (!kind) throw noSubject();
  return { kind, id };
}

function noSubject(): ApiError {
  return new ApiError("not_found", "There is no subject with this id.");
}

/** Times as texts, as in the rest of the API. */
function shownContent(content: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [
      name,
      value instanceof Date ? value.toISOString() : value,
    ]),
  );
}
