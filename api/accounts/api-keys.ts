import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, isNull } from "../../db/drizzle.ts";
import { apiKey } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { defaultToken } from "../../trade/services/payment-token.ts";
import { isActiveKey } from "../../trade/spending/key-limit-checks.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { createToken } from "../http/access-tokens.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { type Scope, scopes } from "../http/caller.ts";
import { idField, textField } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { lockActing } from "../organisations/membership.ts";
import type { App } from "../variables.ts";
import { keySchema, presentKey, scopeField } from "./api-key.ts";
import { keyBounds } from "./key-bounds.ts";
import { applyLimits } from "./key-limits.ts";
import { insertKey, keyBoundsOf } from "./new-key.ts";

const keyRequest = z
  .strictObject({ name: textField(longest.name).openapi({ example: "nightly batch" }), ...keyBounds })
  .openapi("KeyRequest");

const keyChanges = keyRequest
  .omit({ scopes: true })
  .partial()
  .openapi("KeyChanges", { description: "Fields that you omit keep their value, also within `limits`." });

/** Adds the routes of API keys. They need a session: no key can change a key. */
export function addKeys(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/api-keys",
      operationId: "createKey",
      tags: ["identity"],
      summary: "Create an API key",
      ...accessRule(context, "session"),
      request: { body: jsonBody(keyRequest) },
      responses: {
        201: jsonResponse(
          "The key with its token, which is shown only once",
          keySchema.extend({ token: z.string() }).openapi("NewKey"),
        ),
        ...errorResponses("conflict"),
      },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const { token, tokenHash } = createToken("key");
      const tokenHint = token.slice(-4);
      const row = await inTransaction(db, (tx) =>
        insertKey(tx, context, c, request, { tokenHash, tokenHint }),
      );
      return c.json({ ...presentKey(row), token }, 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/api-keys",
      operationId: "listKeys",
      tags: ["identity"],
      summary: "List your API keys",
      description: "Newest first. Expired keys are listed, revoked keys are not.",
      ...accessRule(context, "session"),
      request: {
        query: pageQuery.extend({
          created_by: z.string().max(100).optional().openapi({ description: "the account of the creator" }),
        }),
      },
      responses: { 200: jsonResponse("A page of keys", pageSchema(keySchema).openapi("KeyPage")) },
    }),
    async (c) => {
      const { created_by, ...query } = c.req.valid("query");
      const own = and(
        eq(apiKey.accountId, callerOf(c).accountId),
        isNull(apiKey.revokedAt),
        created_by === undefined ? undefined : eq(apiKey.createdBy, created_by),
      );
      return c.json(await readNewest(db, apiKey, own, query, presentKey), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/api-keys/scopes",
      operationId: "listScopes",
      tags: ["identity"],
      summary: "List the scopes of API keys",
      ...accessRule(context, "any"),
      responses: {
        200: jsonResponse(
          "Every scope and what it grants",
          z
            .object({
              items: z.array(z.object({ scope: scopeField, grants: z.string() }).openapi("ScopeMeaning")),
            })
            .openapi("Scopes"),
        ),
      },
    }),
    (c) => {
      const items = Object.entries(scopes).map(([scope, grants]) => ({ scope: scope as Scope, grants }));
      return c.json({ items }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "patch",
      path: "/api-keys/{id}",
      operationId: "changeKey",
      tags: ["identity"],
      summary: "Change the limits, expiry or networks of an API key",
      description:
        "Applies from the next order on. Amounts that the key has spent still count. An expired or revoked key cannot be changed: create another.",
      ...accessRule(context, "session"),
      request: { params: z.object({ id: idField("key") }), body: jsonBody(keyChanges) },
      responses: { 200: jsonResponse("The changed key", keySchema) },
    }),
    async (c) => {
      const { name, limits, allowed_ips, expires_at } = c.req.valid("json");
      const caller = callerOf(c);
      const row = await inTransaction(db, async (tx) => {
        await lockActing(tx, caller, "session");
        const [before] = await tx
          .select()
          .from(apiKey)
          .where(
            and(
              eq(apiKey.id, c.req.valid("param").id),
              eq(apiKey.accountId, caller.accountId),
              isActiveKey(),
            ),
          )
          .for("no key update");
        if (!before) throw new ApiError("not_found", "Your account has no active key with this id.");
        const [changed] = await tx
          .update(apiKey)
          .set({
            name: name ?? before.name,
            limits:
              limits === undefined ? before.limits : applyLimits(limits, before.limits, defaultToken(config)),
            allowedIps: allowed_ips === undefined ? before.allowedIps : allowed_ips,
            expiresAt: expires_at === undefined ? before.expiresAt : expires_at,
          })
          .where(eq(apiKey.id, before.id))
          .returning();
        if (!changed) throw new Error("The database returned no key.");
        const data = { name: changed.name, from: keyBoundsOf(before), to: keyBoundsOf(changed) };
        await recordAudit(tx, c, { action: "key.changed", target: changed.id, data });
        return changed;
      });
      return c.json(presentKey(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/api-keys/{id}",
      operationId: "revokeKey",
      tags: ["identity"],
      summary: "Revoke an API key",
      ...accessRule(context, "session"),
      request: { params: z.object({ id: idField("key") }) },
      responses: { 200: jsonResponse("The revoked key", keySchema) },
    }),
    async (c) => {
      const row = await inTransaction(db, async (tx) => {
        const [revoked] = await tx
          .update(apiKey)
          .set({ revokedAt: new Date() })
          .where(
            and(
              eq(apiKey.id, c.req.valid("param").id),
              eq(apiKey.accountId, callerOf(c).accountId),
              isNull(apiKey.revokedAt),
            ),
          )
          .returning();
        if (!revoked)
          throw new ApiError("not_found", "Your account has no key with this id that is not revoked.");
        await recordAudit(tx, c, { action: "key.revoked", target: revoked.id, data: { name: revoked.name } });
        return revoked;
      });
      return c.json(presentKey(row), 200);
    },
  );
}
