import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNull } from "../../db/drizzle.ts";
import { moderation, report } from "../../db/schema.ts";
import type { ModerationSubjectRow } from "../../trade/moderation/subject.ts";
import type { Context } from "../context.ts";
import { idField, timeField } from "../http/fields.ts";
import { moderationSchema, presentModeration } from "../reports/moderation.ts";
import { presentReport, reportSchema, subjectSchema } from "../reports/report.ts";

/** The most reports and acts that the page of a subject shows. */
export const mostShown = 50;

export const moderationSubjectSchema = z
  .object({
    subject: subjectSchema,
    title: z.string().openapi({
      description: "untrusted text by which you recognise the subject",
      example: "Translator",
    }),
    owner_account_id: idField("acc"),
    open_reports: z.int().openapi({ description: "reports without an answer" }),
    open_counted: z.int().openapi({
      description:
        "those of accounts that had a paid order with the owner, and are at arm's length from the owner",
    }),
    reports: z.int().openapi({ description: "all reports that were made" }),
    appealed: z.boolean().openapi({ description: "whether the owner's appeal waits for an answer" }),
    withheld: z.boolean().openapi({ description: "whether the subject is suspended, hidden or banned" }),
    noticed_at: timeField.openapi({ description: "the time of the latest report or appeal" }),
  })
  .openapi("ModerationSubject");

const receivedReportSchema = reportSchema
  .extend({
    account_id: idField("acc").openapi({ description: "the account that reported" }),
    counts: z.boolean().openapi({
      description:
        "whether the account had a paid order with the owner, and is at arm's length from the owner",
    }),
    quoted: z.string().nullable().openapi({
      description: "the text of a review when it was reported; null after the answer, and for other subjects",
    }),
  })
  .openapi("ReceivedReport");

export const operatorModerationSchema = moderationSchema
  .extend({ owner_account_id: idField("acc"), operator_account_id: idField("acc") })
  .openapi("OperatorModeration");

/** Presents a subject of the moderation queue. */
export function presentModerationSubject(
  row: ModerationSubjectRow,
  title: string | undefined,
): z.output<typeof moderationSubjectSchema> {
  return {
    subject: { kind: row.kind, id: row.id },
    title: title ?? row.id,
    owner_account_id: row.ownerAccountId,
    open_reports: row.open,
    open_counted: row.openCounted,
    reports: row.reports,
    appealed: row.appealed,
    withheld: row.heldBy !== null,
    noticed_at: row.noticedAt.toISOString(),
  };
}

/** Presents an act to operators. */
export function presentOperatorModeration(
  row: typeof moderation.$inferSelect,
  isInForce: boolean,
): z.output<typeof operatorModerationSchema> {
  return {
    ...presentModeration(row, isInForce),
    owner_account_id: row.ownerAccountId,
    operator_account_id: row.operatorAccountId,
  };
}

export const subjectDetailSchema = moderationSubjectSchema
  .extend({
    content: z.record(z.string(), z.unknown()).openapi({
      description: "the subject's fields, with untrusted texts; they differ by kind",
    }),
    newest_reports: z.array(receivedReportSchema).openapi({
      description: `the newest ${mostShown} reports, those without an answer first`,
    }),
    acts: z.array(operatorModerationSchema).openapi({ description: `the newest ${mostShown} acts` }),
  })
  .openapi("ModerationSubjectDetail");

/** Reads the newest reports of a subject, those without an answer first. */
export async function readReports({ db }: Context, { kind, id }: Pick<ModerationSubjectRow, "kind" | "id">) {
  const of = and(eq(report.subjectKind, kind), eq(report.subjectId, id));
  const newest = [desc(report.createdAt), desc(report.id)];
  const open = await db
    .select()
    .from(report)
    .where(and(of, isNull(report.answeredAt)))
    .orderBy(desc(report.counts), ...newest)
    .limit(mostShown);
  const rows =
    open.length > 0
      ? open
      : await db
          .select()
          .from(report)
          .where(of)
          .orderBy(...newest)
          .limit(mostShown);
  return rows.map((row) => ({
    ...presentReport(row),
    account_id: row.accountId,
    counts: row.counts,
    quoted: row.quoted,
  }));
}

/** Reads the newest acts on a subject. */
export async function readActs(
  { db }: Context,
  { kind, id, heldBy }: Pick<ModerationSubjectRow, "kind" | "id" | "heldBy">,
) {
  const rows = await db
    .select()
    .from(moderation)
    .where(and(eq(moderation.subjectKind, kind), eq(moderation.subjectId, id)))
    .orderBy(desc(moderation.createdAt), desc(moderation.id))
    .limit(mostShown);
  return rows.map((row) => presentOperatorModeration(row, row.id === heldBy));
}
