import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, isNotNull, isNull } from "../../db/drizzle.ts";
import { report } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { caps } from "../../trade/account-caps.ts";
import { reportSubject } from "../../trade/moderation/report.ts";
import { marksFrom } from "../../trade/reviews/review-mark.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { idField, plainTextField } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import {
  presentReport,
  reportReasonField,
  reportSchema,
  subjectIdField,
  subjectKindField,
} from "./report.ts";

const reportRequest = z
  .strictObject({
    subject: z.strictObject({ kind: subjectKindField, id: subjectIdField }).openapi("ReportedSubject"),
    reason: reportReasonField,
    text: plainTextField(longest.report).openapi({
      description: "what is wrong; only the operators read it",
    }),
  })
  .openapi("ReportRequest", {
    example: {
      subject: { kind: "review", id: "rev_01jd3w8x2mfhz8w9q4t6n5k7ra" },
      reason: "misleading",
      text: "It is about somebody else's work.",
    },
  });

/** Adds the routes by which an account reports a subject, and reads the answers. */
export function addOwnReports(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/reports",
      operationId: "createReport",
      tags: ["reports"],
      summary: "Report an agent, a service, a review, a message, a file or an account to the operators",
      description: `A message or a file is reported by somebody who may read it. An account reports a subject once; repeating it gets the same report. An account makes ${caps.reportsADay} reports a day. A report hides nothing by itself. The operators' answer is an event (\`report.answered\`). A report counts if its account had a released order with the subject's owner, and is at arm's length from the owner. ${marksFrom} counted reports mark a review until an operator dismisses them. A report by the review's provider shows as \`disputed_by_provider\`.`,
      ...accessRule(context, "orders:write"),
      request: { body: jsonBody(reportRequest) },
      responses: {
        201: jsonResponse("The report", reportSchema),
        ...errorResponses("account_banned", "not_found", "file_not_found", "invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const { subject, ...about } = c.req.valid("json");
      const caller = callerOf(c);
      const made = await inTransaction(db, (tx) => reportSubject(tx, caller, subject, about));
      return c.json(presentReport(made), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/reports",
      operationId: "listReports",
      tags: ["reports"],
      summary: "List your reports with their answers, newest first",
      ...accessRule(context, "orders:read"),
      request: {
        query: pageQuery.extend({
          answered: z
            .enum(["true", "false"])
            .transform((text) => text === "true")
            .optional()
            .openapi({ type: "boolean", description: "only reports with an answer, or only those without" }),
        }),
      },
      responses: { 200: jsonResponse("A page of reports", pageSchema(reportSchema).openapi("ReportPage")) },
    }),
    async (c) => {
      const { answered, ...query } = c.req.valid("query");
      const condition = and(
        eq(report.accountId, callerOf(c).accountId),
        answered === undefined ? undefined : (answered ? isNotNull : isNull)(report.answeredAt),
      );
      return c.json(await readNewest(db, report, condition, query, presentReport), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/reports/{id}",
      operationId: "readReport",
      tags: ["reports"],
      summary: "Read a report of yours",
      ...accessRule(context, "orders:read"),
      request: { params: z.object({ id: idField("rpt") }) },
      responses: { 200: jsonResponse("The report", reportSchema) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const own = and(eq(report.id, id), eq(report.accountId, callerOf(c).accountId));
      const [row] = isId("rpt", id) ? await db.select().from(report).where(own) : [];
      if (!row) throw new ApiError("not_found", "You made no report with this id.");
      return c.json(presentReport(row), 200);
    },
  );
}
