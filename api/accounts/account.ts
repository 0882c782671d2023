import { createRoute, z } from "@hono/zod-openapi";
import { type Address, getAddress } from "viem";
import { eq } from "../../db/drizzle.ts";
import { account } from "../../db/schema.ts";
import { readOperatorAccess } from "../../trade/moderation/operators.ts";
import type { Context } from "../context.ts";
import { callerOf, scopesOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { idField, orNull, shownAddress, timeField } from "../http/fields.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import { roleField } from "../organisations/membership.ts";
import type { App } from "../variables.ts";
import { scopeField } from "./api-key.ts";

export const accountSchema = z
  .object({
    id: idField("acc"),
    username: z.string().nullable().openapi({ example: null }),
    display_name: z.string().nullable().openapi({ example: "Lingua" }),
    primary_address: shownAddress,
    role: z.string().openapi({ example: "member" }),
    created_at: timeField,
  })
  .openapi("Account");

/** Presents an account to its owner. */
export function presentAccount(row: typeof account.$inferSelect, primaryAddress: Address) {
  return {
    id: row.id,
    username: row.username,
    display_name: row.displayName,
    primary_address: getAddress(primaryAddress),
    role: row.role,
    created_at: row.createdAt.toISOString(),
  };
}

const meSchema = accountSchema
  .extend({
    auth: z
      .object({
        via_api_key: z.boolean(),
        scopes: z.array(scopeField).openapi({ description: "the scopes of the token" }),
        role: orNull(roleField).openapi({
          description: "the person's role in this account; null for a key",
        }),
        operator: z.boolean().openapi({
          description: "whether this session may act as an operator",
        }),
        member_account_id: idField("acc").openapi({
          description: "the person's own account; differs from `id` with X-Organisation",
        }),
      })
      .openapi("Authority"),
  })
  .openapi("Me");

/** Adds the route that describes the caller. */
export function addMe(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/me",
      operationId: "readMe",
      tags: ["identity"],
      summary: "Read the account that this token acts for",
      ...accessRule(context, "any"),
      responses: { 200: jsonResponse("The account, and what the token may do", meSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const [row] = await context.db.select().from(account).where(eq(account.id, caller.accountId));
      if (!row) throw new ApiError("unauthenticated", "The account of this token does not exist.");
      const auth = {
        via_api_key: caller.role === null,
        scopes: caller.role ? scopesOf(caller.role) : (caller.scopes ?? []),
        role: caller.role,
        operator:
          caller.role !== null && (await readOperatorAccess(context.db, caller.credentialId)) === "operator",
        member_account_id: caller.memberAccountId,
      };
      return c.json({ ...presentAccount(row, caller.primaryAddress), auth }, 200);
    },
  );
}
