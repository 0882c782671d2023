import { z } from "@hono/zod-openapi";
import { reportReasons } from "../../db/schema.ts";
import { type SubjectKind, subjectKinds } from "../../protocol/settlement/vocabulary.ts";
import type { ReportRow } from "../../trade/moderation/report.ts";
import { idPrefixes } from "../../trade/moderation/subject.ts";
import { idField, timeField } from "../http/fields.ts";

export const subjectKindField = z.enum(subjectKinds).openapi("SubjectKind");
export const reportReasonField = z.enum(reportReasons).openapi("ReportReason");

/** The id of a subject of any kind. */
export const subjectIdField = z
  .string()
  .regex(new RegExp(`^(${Object.values(idPrefixes).join("|")})_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
  .openapi({ example: "agt_01jd3w8x2mfhz8w9q4t6n5k7ra" });

export const subjectSchema = z
  .object({ kind: subjectKindField, id: subjectIdField })
  .openapi("Subject", { description: "what the report or the act is about" });

export const reportSchema = z
  .object({
    id: idField("rpt"),
    subject: subjectSchema,
    reason: reportReasonField,
    text: z.string().openapi({ example: "It is about somebody else's work." }),
    status: z
      .enum(["open", "acted", "dismissed"])
      .openapi("ReportStatus", { description: "`acted`: an operator acted on the subject" }),
    answer: z.string().nullable().openapi({
      description: "the operator's sentence for the reporters, if any",
      example: "We have hidden the review.",
    }),
    answered_at: timeField.nullable(),
    created_at: timeField,
  })
  .openapi("Report");

/** The subject of a row. */
export function presentSubject(row: { subjectKind: SubjectKind; subjectId: string }) {
  return { kind: row.subjectKind, id: row.subjectId };
}

/** Presents a report to its account. */
export function presentReport(row: ReportRow): z.output<typeof reportSchema> {
  return {
    id: row.id,
    subject: presentSubject(row),
    reason: row.reason,
    text: row.text,
    status: row.outcome ?? "open",
    answer: row.answer,
    answered_at: row.answeredAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}
