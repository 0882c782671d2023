import { z } from "@hono/zod-openapi";
import type { apiKey } from "../../db/schema.ts";
import { type Scope, scopes } from "../http/caller.ts";
import { idField, orNull, timeField } from "../http/fields.ts";
import { limitsSchema, presentLimits } from "./key-limits.ts";

export const scopeField = z
  .enum(Object.keys(scopes) as [Scope, ...Scope[]], {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is not a scope; use one of: ${Object.keys(scopes).join(", ")}`,
  })
  .openapi("Scope");

export const keySchema = z
  .object({
    id: idField("key"),
    name: z.string(),
    scopes: z.array(scopeField),
    created_by: z.string().nullable().openapi({
      description: "the account of the key's creator; the key stays valid when that person leaves",
    }),
    limits: limitsSchema,
    allowed_ips: z
      .array(z.string())
      .nullable()
      .openapi({ description: "the addresses and networks (CIDR) that may use the key; null for any" }),
    expires_at: timeField.nullable().openapi({ description: "null for a key that does not expire" }),
    token_hint: orNull(z.string()).openapi({
      description: "the token's last four characters; null for a program that connected by OAuth",
    }),
    client_host: orNull(z.string().openapi({ example: "assistant.example" })).openapi({
      description:
        "the host that a program which connected by OAuth got its code at, or the scheme of an installed program; null for a key with a token",
    }),
    created_at: timeField,
    last_used_at: timeField.nullable().openapi({ description: "accurate to the minute" }),
    revoked_at: timeField.nullable(),
  })
  .openapi("Key");

/** Presents a key to its organisation, without its token. */
export function presentKey(row: typeof apiKey.$inferSelect) {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes as Scope[],
    created_by: row.createdBy,
    limits: presentLimits(row.limits),
    allowed_ips: row.allowedIps,
    expires_at: row.expiresAt?.toISOString() ?? null,
    token_hint: row.tokenHint,
    client_host: row.clientHost,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  };
}
