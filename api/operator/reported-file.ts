import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { readReportedFile } from "../../trade/moderation/reported-file.ts";
import type { Context } from "../context.ts";
import { type Downloads, linkSchema } from "../files/file-link.ts";
import { callerOf } from "../http/access.ts";
import { recordAudit } from "../http/audit-log.ts";
import { idField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";

/** Adds the route by which an operator loads a reported file. */
export function addReportedFiles(app: App, context: Context, downloads: Downloads): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/operator/files/{id}/link",
      operationId: "createReportedFileLink",
      tags: ["operator"],
      summary: "Make a short-lived link to a reported file",
      description:
        "Of a file that was reported, or that a reported message names: while the report waits for an answer, and while an act withholds the file or the message. Each link is in the audit log with the report. The bytes are a stranger's: do not run them.",
      ...accessRule(context, "operator"),
      request: { params: z.object({ id: idField("fil") }) },
      responses: {
        201: jsonResponse("The link", linkSchema),
        ...errorResponses("file_not_found", "file_erased", "invalid_state"),
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const { memberAccountId } = callerOf(c);
      const { reportId, heldBy } = await readReportedFile(db, id);
      const link = await downloads.linkForOperator(memberAccountId, id);
      await inTransaction(db, (tx) =>
        recordAudit(tx, c, {
          action: "operator.file_linked",
          target: id,
          data: { report: reportId, moderation: heldBy },
        }),
      );
      return c.json({ url: link.url, expires_at: link.expiresAt.toISOString() }, 201);
    },
  );
}
