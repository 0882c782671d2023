import { createRoute, z } from "@hono/zod-openapi";
import { and, asc, eq, gte, lt } from "../../db/drizzle.ts";
import { webhookAttempt, webhookDelivery } from "../../db/schema.ts";
import { retentionDays } from "../../protocol/facts/event-body.ts";
import { isId } from "../../protocol/facts/ids.ts";
import type { EventType } from "../../protocol/settlement/vocabulary.ts";
import { headersOf, queueTest, readDeliveryBody, resendDelivery } from "../../trade/webhooks/deliveries.ts";
import { readEndpoint } from "../../trade/webhooks/endpoints.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { idField, jsonObjectField, timeField, timeInput } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { exampleData } from "./event-types.ts";
import { endpointParams, eventTypeField } from "./webhook.ts";

const deliveryStatusField = z
  .enum(["pending", "succeeded", "failed", "cancelled"])
  .openapi("WebhookDeliveryStatus");

const deliverySchema = z
  .object({
    id: z.string().openapi({
      description: "the delivery's id, as in the body's `id`, `X-Service-Delivery` and `webhook-id`",
      example: "whd_01jd3w8x2mfhz8w9q4t6n5k7ra",
    }),
    event_id: z.string().nullable().openapi({
      description:
        "the event's id, as in the feed and in the body's `event_id`; null for a test event, which is in no feed",
    }),
    type: eventTypeField,
    status: deliveryStatusField,
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
    response_body: z.string().nullable().openapi({ description: "the first 4 kB of the answer" }),
  })
  .openapi("WebhookAttempt");

const deliveryParams = endpointParams.extend({ delivery: idField("whd") });

/** Adds the routes that read an endpoint's deliveries, resend them, and send a test event. */
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
        "Sent once, also to a paused or disabled endpoint. The data have the form of the type, with `test: true`, for an order that does not exist. The event is in no feed. The delivery shows the result.",
      ...accessRule(context, "webhooks:write"),
      request: {
        params: endpointParams,
        body: jsonBody(
          z.strictObject({ type: eventTypeField.default("order.created") }).openapi("WebhookTestRequest"),
        ),
      },
      responses: { 202: jsonResponse("The delivery", deliverySchema) },
    }),
    async (c) => {
      const endpoint = await readEndpoint(db, callerOf(c), c.req.valid("param").id);
      const { type } = c.req.valid("json");
      const queued = await queueTest(db, { endpointId: endpoint.id, type, data: exampleData(type) });
      return c.json(presentDelivery(queued), 202);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks/{id}/deliveries",
      operationId: "listWebhookDeliveries",
      tags: ["webhooks"],
      summary: "List the deliveries to an endpoint, newest first",
      description: `Deliveries are stored for ${retentionDays} days.`,
      ...accessRule(context, "webhooks:read"),
      request: {
        params: endpointParams,
        query: pageQuery.extend({
          status: deliverySchema.shape.status.optional(),
          type: eventTypeField.optional(),
          since: timeInput.optional(),
          until: timeInput.optional(),
        }),
      },
      responses: {
        200: jsonResponse("A page of deliveries", pageSchema(deliverySchema).openapi("WebhookDeliveryPage")),
      },
    }),
    async (c) => {
      const endpoint = await readEndpoint(db, callerOf(c), c.req.valid("param").id);
      const query = c.req.valid("query");
      const { status, type, since, until } = query;
      const condition = and(
        eq(webhookDelivery.endpointId, endpoint.id),
        status && eq(webhookDelivery.status, status),
        type && eq(webhookDelivery.type, type),
        since ? gte(webhookDelivery.createdAt, since) : undefined,
        until ? lt(webhookDelivery.createdAt, until) : undefined,
      );
      return c.json(await readNewest(db, webhookDelivery, condition, query, presentDelivery), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks/{id}/deliveries/{delivery}",
      operationId: "readWebhookDelivery",
      tags: ["webhooks"],
      summary: "Read a delivery with its body and attempts",
      ...accessRule(context, "webhooks:read"),
      request: { params: deliveryParams },
      responses: {
        200: jsonResponse(
          "The delivery",
          deliverySchema
            .extend({
              body: jsonObjectField.openapi({
                description: "the body of each attempt, sent as JSON without spaces",
              }),
              attempt_list: z.array(attemptSchema),
            })
            .openapi("WebhookDeliveryDetail"),
        ),
      },
    }),
    async (c) => {
      const { row } = await readOwnDelivery(callerOf(c), c.req.valid("param"));
      const [body, attempts] = await Promise.all([
        readDeliveryBody(db, row),
        db
          .select()
          .from(webhookAttempt)
          .where(eq(webhookAttempt.deliveryId, row.id))
          .orderBy(asc(webhookAttempt.startedAt)),
      ]);
      return c.json(
        { ...presentDelivery(row), body, attempt_list: attempts.map((item) => presentAttempt(row, item)) },
        200,
      );
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
        "Sends the same body with the same ids. A finished delivery starts its schedule again. A waiting delivery is attempted at once.",
      ...accessRule(context, "webhooks:write"),
      request: { params: deliveryParams },
      responses: {
        202: jsonResponse("The queued delivery", deliverySchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const { row, endpoint } = await readOwnDelivery(callerOf(c), c.req.valid("param"));
      return c.json(presentDelivery((await resendDelivery(db, endpoint, row.id)) ?? row), 202);
    },
  );

  async function readOwnDelivery(
    caller: ReturnType<typeof callerOf>,
    { id, delivery }: z.output<typeof deliveryParams>,
  ) {
    const endpoint = await readEndpoint(db, caller, id);
    const [row] = isId("whd", delivery)
      ? await db
          .select()
          .from(webhookDelivery)
          .where(and(eq(webhookDelivery.id, delivery), eq(webhookDelivery.endpointId, endpoint.id)))
      : [];
    if (!row) throw new ApiError("not_found", "This endpoint has no delivery with this id.");
    return { endpoint, row };
  }
}

function presentDelivery(row: typeof webhookDelivery.$inferSelect): z.output<typeof deliverySchema> {
  return {
    id: row.id,
    event_id: row.eventId,
    type: row.type as EventType,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: row.status === "pending" ? row.nextAttemptAt.toISOString() : null,
    last_status_code: row.lastStatusCode,
    last_error: row.lastError,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

function presentAttempt(
  delivery: typeof webhookDelivery.$inferSelect,
  row: typeof webhookAttempt.$inferSelect,
): z.output<typeof attemptSchema> {
  return {
    number: row.number,
    started_at: row.startedAt.toISOString(),
    latency_ms: row.latencyMs,
    status_code: row.statusCode,
    error: row.error,
    request_headers: { ...headersOf(delivery, row.startedAt), ...row.requestHeaders },
    response_body: row.responseBody,
  };
}
