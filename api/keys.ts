import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, isNull } from "drizzle-orm";
import { typeid } from "typeid-js";
import { apiKey } from "../db/schema.ts";
import { callerOf, createToken, type Scope, scopes } from "./access.ts";
import { recordAudit } from "./audit.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { textField, timeField } from "./fields.ts";
import { answer, guarded, jsonBody } from "./openapi.ts";
import { pageQuery, pageSchema, readNewest } from "./page.ts";

const scopeField = z.enum(Object.keys(scopes) as [Scope, ...Scope[]], {
  error: (issue) =>
    `${JSON.stringify(issue.input)} is no scope; GET /api-keys/scopes lists them: ${Object.keys(scopes).join(", ")}`,
});

const keyRequest = z
  .strictObject({
    name: textField(100).openapi({ example: "nightly batch" }),
    scopes: z
      .array(scopeField)
      .min(1)
      .max(100)
      .transform((list) => [...new Set(list)])
      .openapi({ example: ["orders:read", "orders:write"] }),
  })
  .openapi("KeyRequest");

const keySchema = z
  .object({
    id: z.string().openapi({ example: "key_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    name: z.string(),
    scopes: z.array(z.string()),
    created_by: z.string().nullable().openapi({
      description: "the account of the person who made it; the key stays when that person leaves",
    }),
    token_hint: z.string().openapi({ description: "the token's last four characters" }),
    created_at: timeField,
    last_used_at: timeField.nullable().openapi({ description: "to the minute" }),
    revoked_at: timeField.nullable(),
  })
  .openapi("Key");

function presentKey(row: typeof apiKey.$inferSelect) {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    created_by: row.createdBy,
    token_hint: row.tokenHint,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  };
}

/** API keys: made, listed and revoked by a session of their owner. */
export function addKeys(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/api-keys",
      operationId: "createKey",
      tags: ["identity"],
      summary: "Make an API key",
      ...guarded(context, "session"),
      request: { body: jsonBody(keyRequest) },
      responses: {
        201: answer(
          "The key with its token, which is shown this once",
          keySchema.extend({ token: z.string() }).openapi("NewKey"),
        ),
      },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const { token, tokenHash } = createToken("key");
      const row = await db.transaction(async (tx) => {
        const [made] = await tx
          .insert(apiKey)
          .values({
            id: typeid("key").toString(),
            accountId: callerOf(c).accountId,
            createdBy: callerOf(c).memberAccountId,
            name: request.name,
            scopes: request.scopes,
            tokenHash,
            tokenHint: token.slice(-4),
          })
          .returning();
        if (!made) throw new Error("The database returned no key.");
        const data = { name: made.name, scopes: made.scopes };
        await recordAudit(tx, c, { action: "key.created", target: made.id, data });
        return made;
      });
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
      description: "Newest first, without the revoked ones.",
      ...guarded(context, "session"),
      request: { query: pageQuery },
      responses: { 200: answer("A page of keys", pageSchema(keySchema).openapi("KeyPage")) },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const own = and(eq(apiKey.accountId, callerOf(c).accountId), isNull(apiKey.revokedAt));
      return c.json(await readNewest(db, apiKey, own, query, presentKey), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/api-keys/scopes",
      operationId: "listScopes",
      tags: ["identity"],
      summary: "List the scopes a key may carry",
      ...guarded(context, "any"),
      responses: {
        200: answer(
          "Every scope with what it grants",
          z.object({ items: z.array(z.object({ scope: z.string(), grants: z.string() })) }).openapi("Scopes"),
        ),
      },
    }),
    (c) => {
      const items = Object.entries(scopes).map(([scope, grants]) => ({ scope, grants }));
      return c.json({ items }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/api-keys/{id}",
      operationId: "revokeKey",
      tags: ["identity"],
      summary: "Revoke an API key",
      ...guarded(context, "session"),
      request: { params: z.object({ id: z.string() }) },
      responses: { 200: answer("The key, refused from now on", keySchema) },
    }),
    async (c) => {
      const row = await db.transaction(async (tx) => {
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
        if (!revoked) throw new ApiError("not_found", "You have no such key.");
        await recordAudit(tx, c, { action: "key.revoked", target: revoked.id, data: { name: revoked.name } });
        return revoked;
      });
      return c.json(presentKey(row), 200);
    },
  );
}
