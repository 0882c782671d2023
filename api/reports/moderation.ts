import { z } from "@hono/zod-openapi";
import { moderationActs } from "../../protocol/settlement/vocabulary.ts";
import type { ModerationRow } from "../../trade/moderation/act.ts";
import { idField, orNull, timeField } from "../http/fields.ts";
import { presentSubject, subjectSchema } from "./report.ts";

export const moderationActField = z.enum(moderationActs).openapi("ModerationAct");

export const moderationSchema = z
  .object({
    id: idField("mod"),
    act: moderationActField,
    subject: subjectSchema,
    reason: z.string().openapi({ example: "The service sells stolen data." }),
    in_force: z.boolean().openapi({ description: "whether the act withholds the subject now" }),
    because_of: idField("mod").nullable().openapi({
      description: "the ban that suspended this agent; null for an act of its own",
    }),
    appeal: orNull(
      z
        .object({ text: z.string().openapi({ example: "We have the rights." }), at: timeField })
        .openapi("Appeal"),
    ),
    created_at: timeField,
  })
  .openapi("Moderation");

/** Presents an act to the owner of its subject. */
export function presentModeration(row: ModerationRow, isInForce: boolean): z.output<typeof moderationSchema> {
  return {
    id: row.id,
    act: row.act,
    subject: presentSubject(row),
    reason: row.reason,
    in_force: isInForce,
    because_of: row.causeId,
    appeal:
      row.appeal === null || row.appealedAt === null
        ? null
        : { text: row.appeal, at: row.appealedAt.toISOString() },
    created_at: row.createdAt.toISOString(),
  };
}
