import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, isNull } from "drizzle-orm";
import { typeid } from "typeid-js";
import { apiKey } from "../../db/schema.ts";
import { caps, requireFewer } from "../../trade/caps.ts";
import type { App, Context } from "../context.ts";
import { callerOf, createToken, type Scope, scopes } from "../http/access.ts";
import { recordAudit } from "../http/audit.ts";
import { ApiError } from "../http/errors.ts";
import { idField, textField } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { answer, guarded, jsonBody, refusals } from "../http/openapi.ts";
import { lockOrganisation, mayManage, readRoleOf } from "../organisations/membership.ts";
import { keySchema, presentKey, scopeField } from "./api-key.ts";

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

function standingOf(accountId: string) {
  return and(eq(apiKey.accountId, accountId), isNull(apiKey.revokedAt));
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
        ...refusals("conflict"),
      },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const { token, tokenHash } = createToken("key");
      const caller = callerOf(c);
      const { accountId } = caller;
      const row = await db.transaction(async (tx) => {
        // Whoever is being removed makes none that would outlive them.
        await lockOrganisation(tx, accountId);
        if (!mayManage(await readRoleOf(tx, accountId, caller.memberAccountId), null)) {
          throw new ApiError("insufficient_role", "You make keys for this organisation no longer.");
        }
        await requireFewer(
          tx,
          accountId,
          [apiKey, standingOf(accountId)],
          caps.keys,
          "keys that are not revoked",
        );
        const [made] = await tx
          .insert(apiKey)
          .values({
            id: typeid("key").toString(),
            accountId,
            createdBy: caller.memberAccountId,
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
      request: {
        query: pageQuery.extend({
          created_by: z.string().max(100).optional().openapi({ description: "the account of their maker" }),
        }),
      },
      responses: { 200: answer("A page of keys", pageSchema(keySchema).openapi("KeyPage")) },
    }),
    async (c) => {
      const { created_by, ...query } = c.req.valid("query");
      const own = and(
        standingOf(callerOf(c).accountId),
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
      summary: "List the scopes a key may carry",
      ...guarded(context, "any"),
      responses: {
        200: answer(
          "Every scope with what it grants",
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
      method: "delete",
      path: "/api-keys/{id}",
      operationId: "revokeKey",
      tags: ["identity"],
      summary: "Revoke an API key",
      ...guarded(context, "session"),
      request: { params: z.object({ id: idField("key") }) },
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
