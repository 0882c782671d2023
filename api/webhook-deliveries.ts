import { createRoute, z } from "@hono/zod-openapi";
import { and, asc, eq, gte, lt } from "drizzle-orm";
import { queueTest, resend, startRecovery } from "../db/deliveries.ts";
import { webhookAttempt, webhookDelivery, webhookRecovery } from "../db/schema.ts";
import { type EventType, eventTypes } from "../settlement/events.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError, refuseField } from "./errors.ts";
import { isId, timeField } from "./fields.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { pageQuery, pageSchema, readNewest } from "./page.ts";
import { endpointParams, readOwnEndpoint } from "./webhook.ts";

const typeField = z.enum(Object.keys(eventTypes) as [EventType, ...EventType[]]);
/** How far back deliveries are kept and recovered, in days. */
const keptDays = 30;

const deliverySchema = z
  .object({
    id: z.string().openapi({ example: "whd_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    event_id: z.string().nullable().openapi({
      description: "the `id` of the body and of `X-Service-Delivery`; null for a test event",
    }),
    type: z.string(),
    status: z.enum(["pending", "succeeded", "failed", "cancelled"]),
    attempts: z.int(),
    next_attempt_at: timeField.nullable(),
    last_status_code: z.int().nullable(),
    last_error: z.string().nullable(),
    created_at: timeField,
    finished_at: timeField.nullable(),
  })
  .openapi("WebhookDelivery");

const attemptSchema = z
  .object({
    number: z.int(),
    started_at: timeField,
    latency_ms: z.int().nullable(),
    status_code: z.int().nullable(),
    error: z.string().nullable(),
    request_headers: z.record(z.string(), z.string()),
    response_body: z.string().nullable().openapi({ description: "its first 4 kB" }),
  })
  .openapi("WebhookAttempt");

const recoverySchema = z
  .object({
    id: z.string(),
    since: timeField,
    until: timeField,
    status: z.enum(["running", "done", "failed"]),
    queued: z.int().openapi({ description: "deliveries queued so far" }),
    total: z
      .int()
      .openapi({ description: "events of the range that the endpoint subscribes to; 0 until it has begun" }),
    created_at: timeField,
    finished_at: timeField.nullable(),
  })
  .openapi("WebhookRecovery");

const deliveryParams = endpointParams.extend({ delivery: z.string() });
const recoveryParams = endpointParams.extend({ recovery: z.string() });

/** What was delivered to an endpoint, what was not, and how to get that. */
export function addWebhookDeliveries(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/webhooks/{id}/test",
      operationId: "testWebhook",
      tags: ["webhooks"],
      summary: "Send a test event to an endpoint",
      description:
        "Tried once, to a paused or disabled endpoint too. Its data is `{test: true}`, and it is in no feed. How it went is in the delivery.",
      ...guarded(context, "webhooks:write"),
      request: {
        params: endpointParams,
        body: jsonBody(z.strictObject({ type: typeField.default("order.created") })),
      },
      responses: { 202: answer("The delivery", deliverySchema) },
    }),
    async (c) => {
      const endpoint = await readOwnEndpoint(db, callerOf(c), c.req.valid("param").id);
      const { type } = c.req.valid("json");
      const queued = await queueTest(db, { endpointId: endpoint.id, type, data: { test: true } });
      return c.json(presentDelivery(queued), 202);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks/{id}/deliveries",
      operationId: "listWebhookDeliveries",
      tags: ["webhooks"],
      summary: "The deliveries to an endpoint, newest first",
      description: `Kept for ${keptDays} days.`,
      ...guarded(context, "webhooks:read"),
      request: {
        params: endpointParams,
        query: pageQuery.extend({
          status: deliverySchema.shape.status.optional(),
          type: typeField.optional(),
          since: timeField.optional(),
          until: timeField.optional(),
        }),
      },
      responses: {
        200: answer("A page of deliveries", pageSchema(deliverySchema).openapi("WebhookDeliveryPage")),
      },
    }),
    async (c) => {
      const endpoint = await readOwnEndpoint(db, callerOf(c), c.req.valid("param").id);
      const query = c.req.valid("query");
      const { status, type, since, until } = query;
      const wanted = and(
        eq(webhookDelivery.endpointId, endpoint.id),
        status && eq(webhookDelivery.status, status),
        type && eq(webhookDelivery.type, type),
        since ? gte(webhookDelivery.createdAt, new Date(since)) : undefined,
        until ? lt(webhookDelivery.createdAt, new Date(until)) : undefined,
      );
      return c.json(await readNewest(db, webhookDelivery, wanted, query, presentDelivery), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks/{id}/deliveries/{delivery}",
      operationId: "readWebhookDelivery",
      tags: ["webhooks"],
      summary: "A delivery with each of its attempts",
      ...guarded(context, "webhooks:read"),
      request: { params: deliveryParams },
      responses: {
        200: answer(
          "The delivery",
          deliverySchema.extend({ attempt_list: z.array(attemptSchema) }).openapi("WebhookDeliveryDetail"),
        ),
      },
    }),
    async (c) => {
      const { row } = await readOwnDelivery(callerOf(c), c.req.valid("param"));
      const attempts = await db
        .select()
        .from(webhookAttempt)
        .where(eq(webhookAttempt.deliveryId, row.id))
        .orderBy(asc(webhookAttempt.startedAt));
      return c.json({ ...presentDelivery(row), attempt_list: attempts.map(presentAttempt) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/webhooks/{id}/deliveries/{delivery}/resend",
      operationId: "resendWebhookDelivery",
      tags: ["webhooks"],
      summary: "Send a delivery again",
      description:
        "The same event with the same id. A finished one begins its schedule anew; one that waits for its next attempt is tried at once.",
      ...guarded(context, "webhooks:write"),
      request: { params: deliveryParams },
      responses: { 202: answer("The delivery, queued", deliverySchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const { row, endpoint } = await readOwnDelivery(callerOf(c), c.req.valid("param"));
      requireActive(endpoint.status);
      return c.json(presentDelivery((await resend(db, row.id)) ?? row), 202);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/webhooks/{id}/recover",
      operationId: "recoverWebhook",
      tags: ["webhooks"],
      summary: "Send everything that an endpoint missed in a time",
      description: `Events of the last ${keptDays} days that the endpoint subscribes to and never acknowledged are queued, in the background.`,
      ...guarded(context, "webhooks:write"),
      request: {
        params: endpointParams,
        body: jsonBody(
          z.strictObject({
            since: timeField,
            until: timeField.optional().openapi({ description: "now unless given" }),
          }),
        ),
      },
      responses: {
        202: answer("The recovery, with its progress", recoverySchema),
        ...refusals("invalid_state"),
      },
    }),
    async (c) => {
      const endpoint = await readOwnEndpoint(db, callerOf(c), c.req.valid("param").id);
      const body = c.req.valid("json");
      requireActive(endpoint.status);
      const now = new Date();
      const [since, until] = [new Date(body.since), body.until ? new Date(body.until) : now];
      if (since >= until) throw refuseField("since", "order", "must be before `until`, and in the past.");
      if (since.getTime() < now.getTime() - keptDays * 86_400_000) {
        throw refuseField("since", "minimum", `Events are kept for ${keptDays} days; ask for less.`);
      }
      const started = await startRecovery(db, { endpointId: endpoint.id, since, until });
      return c.json(presentRecovery(started), 202);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks/{id}/recoveries/{recovery}",
      operationId: "readWebhookRecovery",
      tags: ["webhooks"],
      summary: "How far a recovery has come",
      ...guarded(context, "webhooks:read"),
      request: { params: recoveryParams },
      responses: { 200: answer("The recovery", recoverySchema) },
    }),
    async (c) => {
      const { id, recovery } = c.req.valid("param");
      const endpoint = await readOwnEndpoint(db, callerOf(c), id);
      const [row] = isId("whr", recovery)
        ? await db
            .select()
            .from(webhookRecovery)
            .where(and(eq(webhookRecovery.id, recovery), eq(webhookRecovery.endpointId, endpoint.id)))
        : [];
      if (!row) throw new ApiError("not_found", "This endpoint has no such recovery.");
      return c.json(presentRecovery(row), 200);
    },
  );

  async function readOwnDelivery(
    caller: ReturnType<typeof callerOf>,
    { id, delivery }: z.output<typeof deliveryParams>,
  ) {
    const endpoint = await readOwnEndpoint(db, caller, id);
    const [row] = isId("whd", delivery)
      ? await db
          .select()
          .from(webhookDelivery)
          .where(and(eq(webhookDelivery.id, delivery), eq(webhookDelivery.endpointId, endpoint.id)))
      : [];
    if (!row) throw new ApiError("not_found", "This endpoint has no such delivery.");
    return { endpoint, row };
  }
}

function requireActive(status: string): void {
  if (status === "active") return;
  throw new ApiError(
    "invalid_state",
    `The endpoint is ${status}: set its \`status\` to active first, then what it missed can be sent.`,
  );
}

function presentDelivery(row: typeof webhookDelivery.$inferSelect): z.output<typeof deliverySchema> {
  return {
    id: row.id,
    event_id: row.eventId,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: row.status === "pending" ? row.nextAttemptAt.toISOString() : null,
    last_status_code: row.lastStatusCode,
    last_error: row.lastError,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

function presentAttempt(row: typeof webhookAttempt.$inferSelect): z.output<typeof attemptSchema> {
  return {
    number: row.number,
    started_at: row.startedAt.toISOString(),
    latency_ms: row.latencyMs,
    status_code: row.statusCode,
    error: row.error,
    request_headers: row.requestHeaders,
    response_body: row.responseBody,
  };
}

function presentRecovery(row: typeof webhookRecovery.$inferSelect): z.output<typeof recoverySchema> {
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
