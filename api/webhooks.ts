import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, ne, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { cancelPending } from "../db/deliveries.ts";
import { webhookEndpoint } from "../db/schema.ts";
import { checkUrl, policyOf } from "../outbound/guard.ts";
import { readWebhookKey } from "../webhook-key.ts";
import { deriveSecret } from "../webhooks/signature.ts";
import { callerOf } from "./access.ts";
import { recordAudit } from "./audit.ts";
import type { App, Context } from "./context.ts";
import { ApiError, refuseField } from "./errors.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { pageQuery, pageSchema, readNewest } from "./page.ts";
import {
  endpointChanges,
  endpointParams,
  endpointRequest,
  endpointSchema,
  newEndpointSchema,
  presentEndpoint,
  readOwnEndpoint,
} from "./webhook.ts";
import { describeEventTypes } from "./webhook-events.ts";

/** The most endpoints of an account that are not revoked. */
const mostEndpoints = 50;
/** How long the secret before a rotation signs too, in hours. */
const overlapHours = 24;

/** Webhook endpoints of an account: where it is told of its events. */
export function addWebhooks(app: App, context: Context): void {
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
          z.object({
            items: z.array(
              z.object({
                type: z.string(),
                description: z.string(),
                data_schema: z.record(z.string(), z.unknown()),
              }),
            ),
          }),
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
      const { accountId } = callerOf(c);
      const { url, events, description } = c.req.valid("json");
      requirePublic(url);
      const key = readKey();
      const row = await db.transaction(async (tx) => {
        // Two at once must not both be the last that fits.
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${accountId}`}, 0))`);
        const standing = await tx.$count(
          webhookEndpoint,
          and(eq(webhookEndpoint.accountId, accountId), ne(webhookEndpoint.status, "revoked")),
        );
        if (standing >= mostEndpoints) {
          throw new ApiError(
            "conflict",
            `An account has at most ${mostEndpoints} endpoints: revoke one that is not used.`,
          );
        }
        const [created] = await tx
          .insert(webhookEndpoint)
          .values({ id: typeid("whe").toString(), accountId, url, events, description: description ?? null })
          .returning();
        if (!created) throw new Error("The database returned no endpoint.");
        return created;
      });
      const secret = deriveSecret(key, row.id, row.secretVersion);
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
      const own = and(
        eq(webhookEndpoint.accountId, callerOf(c).accountId),
        ne(webhookEndpoint.status, "revoked"),
      );
      return c.json(await readNewest(db, webhookEndpoint, own, query, presentEndpoint), 200);
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
      const row = await readOwnEndpoint(db, callerOf(c), c.req.valid("param").id);
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
        "`status` paused stops deliveries; active lets a paused or disabled endpoint go on. What happened meanwhile is sent by `recover`.",
      ...guarded(context, "webhooks:write"),
      request: { params: endpointParams, body: jsonBody(endpointChanges) },
      responses: { 200: answer("The endpoint as it is now", endpointSchema) },
    }),
    async (c) => {
      const row = await readOwnEndpoint(db, callerOf(c), c.req.valid("param").id);
      const { status, ...changes } = c.req.valid("json");
      if (changes.url !== undefined) requirePublic(changes.url);
      const goesOn = status === "active" ? { disabledReason: null, failingSince: null } : {};
      const [changed] = await db
        .update(webhookEndpoint)
        .set({ ...changes, ...(status === undefined ? {} : { status }), ...goesOn, updatedAt: sql`now()` })
        .where(and(eq(webhookEndpoint.id, row.id), ne(webhookEndpoint.status, "revoked")))
        .returning();
      if (!changed) throw new ApiError("not_found", "You have no such endpoint.");
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
      const row = await readOwnEndpoint(db, callerOf(c), c.req.valid("param").id);
      const revoked = await db.transaction(async (tx) => {
        await cancelPending(tx, row.id, "The endpoint was revoked.");
        const [changed] = await tx
          .update(webhookEndpoint)
          .set({ status: "revoked", updatedAt: sql`now()` })
          .where(eq(webhookEndpoint.id, row.id))
          .returning();
        return changed ?? row;
      });
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
      description: `The new secret is shown this once. For ${overlapHours} hours deliveries are signed with both. Rotate again only after that.`,
      ...guarded(context, "webhooks:write"),
      request: { params: endpointParams },
      responses: {
        200: answer("The endpoint with its new secret", newEndpointSchema),
        ...refusals("invalid_state"),
      },
    }),
    async (c) => {
      const row = await readOwnEndpoint(db, callerOf(c), c.req.valid("param").id);
      const key = readKey();
      // A third secret within the overlap would cut off whoever still has the first.
      const rotated = await db.transaction(async (tx) => {
        const [changed] = await tx
          .update(webhookEndpoint)
          .set({
            secretVersion: sql`${webhookEndpoint.secretVersion} + 1`,
            previousSecretUntil: sql`now() + make_interval(hours => ${overlapHours})`,
            updatedAt: sql`now()`,
          })
          .where(
            and(
              eq(webhookEndpoint.id, row.id),
              ne(webhookEndpoint.status, "revoked"),
              sql`coalesce(${webhookEndpoint.previousSecretUntil}, '-infinity') <= now()`,
            ),
          )
          .returning();
        if (changed) await recordAudit(tx, c, { action: "webhook.secret_rotated", target: changed.id });
        return changed;
      });
      if (!rotated) {
        const until = row.previousSecretUntil?.toISOString() ?? "a moment";
        throw new ApiError(
          "invalid_state",
          `The secret was rotated already, and the one before still signs until ${until}. Rotate again after that.`,
        );
      }
      const secret = deriveSecret(key, rotated.id, rotated.secretVersion);
      return c.json({ ...presentEndpoint(rotated), secret }, 200);
    },
  );

  function readKey(): Uint8Array {
    try {
      return readWebhookKey(config);
    } catch (error) {
      context.log.error({ err: error }, "no secret of a webhook can be made");
      throw new ApiError("dependency_unavailable", "Webhooks cannot be set up here at the moment.");
    }
  }

  function requirePublic(url: string): void {
    const check = checkUrl(url, policy);
    if (!check.allowed) throw refuseField("url", check.code, check.message);
  }
}
