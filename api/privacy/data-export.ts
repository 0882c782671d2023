import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { exportsPath } from "../../protocol/settlement/vocabulary.ts";
import {
  type DataExport,
  exportDays,
  openExportStore,
  readExport,
  requestExport,
} from "../../trade/privacy/data-export.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import type { SendBytes } from "../http/byte-sender.ts";
import { orNull, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";

const exportSchema = z
  .object({
    status: z.enum(["waiting", "ready", "failed"]).openapi("DataExportStatus"),
    failure: orNull(z.enum(["too_large", "no_space", "error"]).openapi("DataExportFailure")),
    size: z.int().nullable().openapi({ description: "bytes of the file" }),
    requested_at: timeField,
    finished_at: timeField.nullable(),
    expires_at: timeField.openapi({ description: "the file is removed after this time" }),
  })
  .openapi("DataExport");

const fileSchema = z.string().openapi({ format: "binary" });

/** Adds the export of all data of an account. docs/privacy.md describes it. */
export function addDataExport(api: App, root: App, context: Context, sendBytes: SendBytes): void {
  const { db } = context;
  let store: ReturnType<typeof openExportStore> | undefined;

  api.openapi(
    createRoute({
      method: "post",
      path: "/me/export",
      operationId: "requestDataExport",
      tags: ["identity"],
      summary: "Request an export of all data of your account",
      description: `A worker makes the file, once a day for an account. It is stored for ${exportDays} days.`,
      ...accessRule(context, "self"),
      responses: {
        202: jsonResponse("The export is being made", exportSchema),
        ...errorResponses("conflict"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const row = await inTransaction(db, async (tx) => {
        const requested = await requestExport(tx, caller);
        await recordAudit(tx, c, { action: "data.export_requested", target: caller.accountId });
        return requested;
      });
      return c.json(present(row), 202);
    },
  );

  api.openapi(
    createRoute({
      method: "get",
      path: "/me/export",
      operationId: "readDataExport",
      tags: ["identity"],
      summary: "Read the state of the newest export of your data",
      ...accessRule(context, "self"),
      responses: { 200: jsonResponse("The export", exportSchema), ...errorResponses("not_found") },
    }),
    async (c) => c.json(present(await requireExport(callerOf(c).accountId)), 200),
  );

  root.openapi(
    createRoute({
      method: "get",
      path: `${exportsPath}/account.zip`,
      operationId: "downloadDataExport",
      tags: ["identity"],
      summary: "Download the newest export of your data",
      description:
        "A zip file with one JSON file for each kind of data. Only a session of the account gets it.",
      ...accessRule(context, "self"),
      responses: {
        200: { description: "The file", content: { "application/zip": { schema: fileSchema } } },
        ...errorResponses("not_found", "invalid_state"),
      },
    }),
    async (c) => {
      const { accountId, status, stored, size } = await requireExport(callerOf(c).accountId);
      if (status !== "ready" || size === null) {
        throw new ApiError("invalid_state", `The export is ${status}. GET /me/export shows its state.`);
      }
      return sendBytes(c, {
        accountId,
        size,
        status: 200,
        headers: {
          "Content-Type": "application/zip",
          "Content-Disposition": 'attachment; filename="account.zip"',
          "Cache-Control": "private, no-store",
        },
        open: async () => {
          store ??= openExportStore(context);
          return (await store).read(stored, { start: 0, end: size - 1 });
        },
      });
    },
  );

  async function requireExport(accountId: string): Promise<DataExport> {
    const row = await readExport(db, accountId);
    if (row) return row;
    throw new ApiError("not_found", "There is no export of your data. Request one with POST /me/export.");
  }
}

function present({ status, failure, size, createdAt, finishedAt }: DataExport) {
  return {
    status,
    failure,
    size,
    requested_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    expires_at: new Date(createdAt.getTime() + exportDays * 86_400_000).toISOString(),
  };
}
