import { createRoute, z } from "@hono/zod-openapi";
import { readWebhookKey } from "../../config/keys/webhook-key.ts";
import { webhookEndpoint } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { deriveSecret } from "../../protocol/webhooks/secret.ts";
import {
  changeEndpoint,
  createEndpoint,
  type EndpointRow,
  isOwn,
  overlapHours,
  readEndpoint,
  revokeEndpoint,
  rotateSecret,
} from "../../trade/webhooks/endpoints.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { jsonObjectField } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { lockActing } from "../organisations/membership.ts";
import type { App } from "../variables.ts";
import { describeEventTypes } from "./event-types.ts";
import {
  endpointChanges,
  endpointParams,
  endpointRequest,
  endpointSchema,
  eventTypeField,
  newEndpointSchema,
  presentEndpoint,
} from "./webhook.ts";

/** Adds the routes of an account's webhook endpoints. */
export function addWebhookEndpoints(app: App, context: Context): void {
  const { db, config } = context;
  const policy = policyOf(config.publicUrl);

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks/events",
      operationId: "listEventTypes",
      tags: ["webhooks"],
      summary: "List the types of events with the JSON Schema of their data",
      ...accessRule(context, "webhooks:read"),
      responses: {
        200: jsonResponse(
          "Every type",
          z
            .object({
              items: z.array(
                z
                  .object({
                    type: eventTypeField,
                    description: z.string(),
                    data_schema: jsonObjectField,
                  })
                  .openapi("EventDescription"),
              ),
            })
            .openapi("EventTypes"),
        ),
      },
    }),
    (c) => c.json({ items: describeEventTypes() }, 200),
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/webhooks",
      operationId: "createWebhook",
      tags: ["webhooks"],
      summary: "Register an endpoint",
      description:
        "The endpoint gets events from now on. The signing secret is shown only once. The URL must be https and reach a public address; see docs/webhooks.md.",
      ...accessRule(context, "webhooks:write"),
      request: { body: jsonBody(endpointRequest) },
      responses: {
        201: jsonResponse("The endpoint with its secret", newEndpointSchema),
        ...errorResponses("conflict"),
      },
    }),
    async (c) => {
      const { description = null, ...fields } = c.req.valid("json");
      const caller = callerOf(c);
      const { row, secret } = await inTransaction(db, async (tx) => {
        await lockActing(tx, caller, "webhooks:write");
        const row = await createEndpoint(tx, caller, { ...fields, description }, policy);
        return { row, secret: secretOf(row) };
      });
      return c.json({ ...presentEndpoint(row), secret }, 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks",
      operationId: "listWebhooks",
      tags: ["webhooks"],
      summary: "List your endpoints",
      description: "Newest first, without revoked endpoints.",
      ...accessRule(context, "webhooks:read"),
      request: { query: pageQuery },
      responses: {
        200: jsonResponse("A page of endpoints", pageSchema(endpointSchema).openapi("WebhookPage")),
      },
    }),
    async (c) => {
      const query = c.req.valid("query");
      return c.json(await readNewest(db, webhookEndpoint, isOwn(callerOf(c)), query, presentEndpoint), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks/{id}",
      operationId: "readWebhook",
      tags: ["webhooks"],
      summary: "Read an endpoint",
      ...accessRule(context, "webhooks:read"),
      request: { params: endpointParams },
      responses: { 200: jsonResponse("The endpoint", endpointSchema) },
    }),
    async (c) => {
      const row = await readEndpoint(db, callerOf(c), c.req.valid("param").id);
      return c.json(presentEndpoint(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "patch",
      path: "/webhooks/{id}",
      operationId: "changeWebhook",
      tags: ["webhooks"],
      summary: "Change, pause or resume an endpoint",
      description:
        "The `status` paused stops deliveries; active resumes a paused or disabled endpoint. Use `recover` to send the events of the pause. An endpoint that is disabled because its member left needs `rotate-secret` before its `status` can change.",
      ...accessRule(context, "webhooks:write"),
      request: { params: endpointParams, body: jsonBody(endpointChanges) },
      responses: {
        200: jsonResponse("The changed endpoint", endpointSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const caller = callerOf(c);
      const changed = await inTransaction(db, async (tx) => {
        await lockActing(tx, caller, "webhooks:write");
        return changeEndpoint(tx, caller, id, c.req.valid("json"), policy);
      });
      return c.json(presentEndpoint(changed), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/webhooks/{id}",
      operationId: "revokeWebhook",
      tags: ["webhooks"],
      summary: "Revoke an endpoint",
      description: "Nothing more is sent to the endpoint, not even pending deliveries.",
      ...accessRule(context, "webhooks:write"),
      request: { params: endpointParams },
      responses: { 200: jsonResponse("The revoked endpoint", endpointSchema) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const revoked = await inTransaction(db, (tx) => revokeEndpoint(tx, callerOf(c), id));
      return c.json(presentEndpoint(revoked), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/webhooks/{id}/rotate-secret",
      operationId: "rotateWebhookSecret",
      tags: ["webhooks"],
      summary: "Replace the signing secret",
      description: `The new secret is shown only once. For ${overlapHours} hours, deliveries are signed with both secrets. The next rotation is possible after that. If the endpoint is disabled because its member left, the old secret stops at once.`,
      ...accessRule(context, "webhooks:write"),
      request: { params: endpointParams },
      responses: {
        200: jsonResponse("The endpoint with its new secret", newEndpointSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const caller = callerOf(c);
      const { row, secret } = await inTransaction(db, async (tx) => {
        await lockActing(tx, caller, "webhooks:write");
        const row = await rotateSecret(tx, caller, id);
        await recordAudit(tx, c, { action: "webhook.secret_rotated", target: row.id });
        return { row, secret: secretOf(row) };
      });
      return c.json({ ...presentEndpoint(row), secret }, 200);
    },
  );

  function secretOf({ id, secretVersion }: EndpointRow): string {
    let key: Uint8Array;
    try {
      key = readWebhookKey(config);
    } catch (error) {
      context.log.error({ err: error }, "webhook key unusable, endpoint refused");
      throw new ApiError(
        "dependency_unavailable",
        "Webhook endpoints cannot be set up at the moment. Try again later.",
      );
    }
    return deriveSecret(key, id, secretVersion);
  }
}
