import { createRoute, z } from "@hono/zod-openapi";
import { readWebhookKey } from "../../config/keys/webhook-key.ts";
import { webhookEndpoint } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { deriveSecret } from "../../protocol/webhooks/signature.ts";
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
import { answer, guarded, jsonBody, refusals } from "../http/openapi.ts";
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

/** Webhook endpoints of an account: where it is told of its events. */
export function addWebhookEndpoints(app: App, context: Context): void {
  const { db, config } = context;
  const policy = policyOf(config.publicUrl);

  app.openapi(
    createRoute({
      method: "get",
      path: "/webhooks/events",
      operationId: "listEventTypes",
      tags: ["webhooks"],
      summary: "The types of events, with what each means and the JSON Schema of its data",
      ...guarded(context, "webhooks:read"),
      responses: {
        200: answer(
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
        "Events that happen from now on are sent to it. The signing secret is shown this once. The URL must be https and reach a public address; see docs/webhooks.md.",
      ...guarded(context, "webhooks:write"),
      request: { body: jsonBody(endpointRequest) },
      responses: { 201: answer("The endpoint with its secret", newEndpointSchema), ...refusals("conflict") },
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
      description: "Newest first, without the revoked ones.",
      ...guarded(context, "webhooks:read"),
      request: { query: pageQuery },
      responses: { 200: answer("A page of endpoints", pageSchema(endpointSchema).openapi("WebhookPage")) },
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
      ...guarded(context, "webhooks:read"),
      request: { params: endpointParams },
      responses: { 200: answer("The endpoint", endpointSchema) },
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
      summary: "Change an endpoint, pause it, or let it go on",
      description:
        "`status` paused stops deliveries; active lets a paused or disabled endpoint go on. What happened meanwhile is sent by `recover`. An endpoint that is disabled because its member left takes no `status` before `rotate-secret` has replaced its secret.",
      ...guarded(context, "webhooks:write"),
      request: { params: endpointParams, body: jsonBody(endpointChanges) },
      responses: {
        200: answer("The endpoint as it is now", endpointSchema),
        ...refusals("invalid_state"),
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
      description: "Nothing more is sent to it, ever, not even what was on its way.",
      ...guarded(context, "webhooks:write"),
      request: { params: endpointParams },
      responses: { 200: answer("The endpoint, revoked", endpointSchema) },
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
      description: `The new secret is shown this once. For ${overlapHours} hours deliveries are signed with both. Rotate again only after that. The secret of a member who left signs nothing more.`,
      ...guarded(context, "webhooks:write"),
      request: { params: endpointParams },
      responses: {
        200: answer("The endpoint with its new secret", newEndpointSchema),
        ...refusals("invalid_state"),
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
      context.log.error({ err: error }, "no secret of a webhook can be made");
      throw new ApiError("dependency_unavailable", "Webhooks cannot be set up here at the moment.");
    }
    return deriveSecret(key, id, secretVersion);
  }
}
