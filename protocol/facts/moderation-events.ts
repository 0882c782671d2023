import { z } from "zod";
import {
  apiPath,
  type ModerationAct,
  moderationActs,
  type ReportOutcome,
  reportOutcomes,
  type SubjectKind,
  subjectKinds,
} from "../settlement/vocabulary.ts";
import { id, test, time } from "./event-fields.ts";

const subject = z
  .object({
    kind: z.enum(subjectKinds).meta({ id: "SubjectKind" }),
    id: z.string().meta({ examples: ["agt_01jd3w8x2mfhz8w9q4t6n5k7ra"] }),
  })
  .meta({ id: "Subject", description: "what the report or the act is about" });

export const reportAnsweredDataSchema = z.object({
  test,
  report_id: id("rpt"),
  subject,
  outcome: z
    .enum(reportOutcomes)
    .meta({ id: "ReportOutcome", description: "`acted`: an operator acted on the subject" }),
  links: z
    .object({ report: z.string() })
    .meta({ id: "ReportEventLinks", description: "paths under the service's address" }),
});

export const moderationActedDataSchema = z.object({
  test,
  moderation_id: id("mod"),
  act: z.enum(moderationActs).meta({ id: "ModerationAct" }),
  subject,
  reason: z.string().describe("the operator's reason"),
  acted_at: time,
  links: z
    .object({ moderation: z.string() })
    .meta({ id: "ModerationEventLinks", description: "paths under the service's address" }),
});

type Subject = z.output<typeof subject>;

/** Builds the data of the event by which a reporter learns of the answer. */
export function reportAnsweredData(answered: {
  reportId: string;
  subject: Subject;
  outcome: ReportOutcome;
}): z.output<typeof reportAnsweredDataSchema> {
  return {
    report_id: answered.reportId,
    subject: answered.subject,
    outcome: answered.outcome,
    links: { report: `${apiPath}/reports/${answered.reportId}` },
  };
}

/** Builds the data of the event by which an owner learns of an operator's act. */
export function moderationActedData(row: {
  id: string;
  act: ModerationAct;
  subjectKind: SubjectKind;
  subjectId: string;
  reason: string;
  createdAt: Date;
}): z.output<typeof moderationActedDataSchema> {
  return {
    moderation_id: row.id,
    act: row.act,
    subject: { kind: row.subjectKind, id: row.subjectId },
    reason: row.reason,
    acted_at: row.createdAt.toISOString(),
    links: { moderation: `${apiPath}/moderations/${row.id}` },
  };
}
