import { createRoute, z } from "@hono/zod-openapi";
import { and, eq } from "../../db/drizzle.ts";
import { webhookRecovery } from "../../db/schema.ts";
import { retentionDays } from "../../protocol/facts/event-body.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { type RecoveryRow, startRecovery } from "../../trade/webhooks/deliveries.ts";
import { readEndpoint } from "../../trade/webhooks/endpoints.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { idField, timeField, timeInput } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { endpointParams } from "./webhook.ts";

const recoverySchema = z
  .object({
    id: idField("whr"),
    since: timeField,
    until: timeField,
    status: z.enum(["running", "done", "failed"]).openapi("WebhookRecoveryStatus"),
    queued: z.int().openapi({ description: "the number of queued deliveries so far" }),
    total: z
      .int()
      .openapi({ description: "the number of matching events in the range; 0 until the recovery has begun" }),
    created_at: timeField,
    finished_at: timeField.nullable(),
  })
  .openapi("WebhookRecovery");

const recoveryParams = endpointParams.extend({ recovery: idField("whr") });

/** Adds the routes that send an endpoint everything that it missed in a range of time. */
export function addWebhookRecoveries(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/webhooks/{id}/recover",
      operationId: "recoverWebhook",
      tags: ["webhooks"],
      summary: "Send an endpoint everything that it missed",
      description: `Queues, in the background, the events of the last ${retentionDays} days that the endpoint subscribes to and never acknowledged.`,
      ...accessRule(context, "webhooks:write"),
      request: {
        params: endpointParams,
        body: jsonBody(
          z
            .strictObject({
              since: timeInput,
              until: timeInput.optional().openapi({ description: "the default is now" }),
            })
            .openapi("WebhookRecoveryRequest"),
        ),
      },
      responses: {
        202: jsonResponse("The recovery, with its progress", recoverySchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const endpoint = await readEndpoint(db, callerOf(c), c.req.valid("param").id);
      const body = c.req.valid("json");
      const now = new Date();
      const range = { since: body.since, until: body.until ?? now };
      const started = await startRecovery(db, endpoint, range, now);
      return c.json(presentRecovery(started), 202);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks/{id}/recoveries/{recovery}",
      operationId: "readWebhookRecovery",
      tags: ["webhooks"],
      summary: "Read the progress of a recovery",
      ...accessRule(context, "webhooks:read"),
      request: { params: recoveryParams },
      responses: { 200: jsonResponse("The recovery", recoverySchema) },
    }),
    async (c) => {
      const { id, recovery } = c.req.valid("param");
      const endpoint = await readEndpoint(db, callerOf(c), id);
      const [row] = isId("whr", recovery)
        ? await db
            .select()
            .from(webhookRecovery)
            .where(and(eq(webhookRecovery.id, recovery), eq(webhookRecovery.endpointId, endpoint.id)))
        : [];
      if (!row) throw new ApiError("not_found", "This endpoint has no recovery with this id.");
      return c.json(presentRecovery(row), 200);
    },
  );
}

function presentRecovery(row: RecoveryRow): z.output<typeof recoverySchema> {
  return {
    id: row.id,
    since: row.since.toISOString(),
    until: row.until.toISOString(),
    status: row.status,
    queued: row.queued,
    total: row.total,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}
