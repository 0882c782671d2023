import { createRoute, z } from "@hono/zod-openapi";
import { eq } from "../../db/drizzle.ts";
import { auditEntry } from "../../db/schema.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { type AuditAction, auditActions } from "../http/audit-log.ts";
import { idField, timeField } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";

const entrySchema = z
  .object({
    id: z.string().openapi({ example: "aud_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    action: z.enum(Object.keys(auditActions) as [AuditAction, ...AuditAction[]]).openapi("AuditAction", {
      description: Object.entries(auditActions)
        .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
        .join("; "),
    }),
    target: z.string().openapi({
      description: "the id of the object that was changed",
      example: "key_01jd3w8x2mfhz8w9q4t6n5k7ra",
    }),
    actor: z
      .object({
        account_id: idField("acc"),
        credential_id: z.string().nullable().openapi({ description: "the session or API key of the actor" }),
      })
      .openapi("AuditActor"),
    data: z.record(z.string(), z.unknown()).openapi({ description: "the change, without secrets" }),
    client_address: z.string().nullable().openapi({ example: "203.0.113.7" }),
    request_id: z.string(),
    created_at: timeField,
  })
  .openapi("AuditEntry");

function presentEntry(row: typeof auditEntry.$inferSelect) {
  return {
    id: row.id,
    action: row.action as AuditAction,
    target: row.target,
    actor: { account_id: row.actorAccountId, credential_id: row.credentialId },
    data: row.data,
    client_address: row.clientAddress,
    request_id: row.requestId,
    created_at: row.createdAt.toISOString(),
  };
}

/** Adds the route of an account's audit log. */
export function addAudit(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/audit",
      operationId: "listAudit",
      tags: ["identity"],
      summary: "List changes of your credentials and wallets",
      description:
        "Newest first: sessions, API keys, wallets, payout wallets, webhook secrets and members. An entry is written in the transaction of its change, and never changes.",
      ...accessRule(context, "session"),
      request: { query: pageQuery },
      responses: { 200: jsonResponse("A page of entries", pageSchema(entrySchema).openapi("AuditPage")) },
    }),
    async (c) => {
      const own = eq(auditEntry.accountId, callerOf(c).accountId);
      return c.json(await readNewest(context.db, auditEntry, own, c.req.valid("query"), presentEntry), 200);
    },
  );
}
