import { createRoute, z } from "@hono/zod-openapi";
import type { SubjectKind } from "../../protocol/settlement/vocabulary.ts";
import { readMonths, shownMonths } from "../../trade/moderation/monthly-counts.ts";
import type { Context } from "../context.ts";
import { jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { subjectKindField } from "./report.ts";

const countsSchema = z
  .object({
    kind: subjectKindField,
    reported: z.int().openapi({ description: "reports that were made" }),
    acted: z.int().openapi({ description: "reports that were answered by an act" }),
    dismissed: z.int().openapi({ description: "reports that were answered without an act" }),
    withheld: z.int().openapi({ description: "subjects that were suspended, hidden or banned" }),
    restored: z.int().openapi({ description: "subjects that were restored" }),
    appealed: z.int().openapi({ description: "appeals that were made" }),
  })
  .openapi("TransparencyCounts");

const transparencySchema = z
  .object({
    months: z.array(
      z
        .object({ month: z.string().openapi({ example: "2026-11" }), kinds: z.array(countsSchema) })
        .openapi("TransparencyMonth"),
    ),
  })
  .openapi("Transparency");

/** Adds the public counts of reports and of the operators' acts. */
export function addTransparency(app: App, { answers }: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/transparency",
      operationId: "readTransparency",
      tags: ["reports"],
      middleware: answers.serve,
      summary: "Count the reports and the operators' acts by month",
      description: `Open to everybody. The last ${shownMonths} months (UTC) with a count, newest first. No count names anybody.`,
      responses: { 200: jsonResponse("The counts", transparencySchema) },
    }),
    (c) =>
      answers.give(c, async (db) => {
        const rows = await readMonths(db);
        const months = [...Map.groupBy(rows, ({ month }) => month.slice(0, 7))].map(([month, ofMonth]) => ({
          month,
          kinds: [...Map.groupBy(ofMonth, ({ kind }) => kind)].map(([kind, ofKind]) =>
            countsOf(kind, ofKind),
          ),
        }));
        return { shown: { months } };
      }),
  );
}

function countsOf(
  kind: SubjectKind,
  rows: Awaited<ReturnType<typeof readMonths>>,
): z.output<typeof countsSchema> {
  const countOf = (what: string) => rows.find((row) => row.what === what)?.count ?? 0;
  return {
    kind,
    reported: countOf("reported"),
    acted: countOf("acted"),
    dismissed: countOf("dismissed"),
    withheld: countOf("withheld"),
    restored: countOf("restored"),
    appealed: countOf("appealed"),
  };
}
