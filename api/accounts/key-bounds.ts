import { z } from "@hono/zod-openapi";
import { scopeField } from "./api-key.ts";
import { allowedIpsField, expiresAtField, limitsRequest } from "./key-limits.ts";

/** The members of a request for a key that bound what the key may do. */
export const keyBounds = {
  scopes: z
    .array(scopeField)
    .min(1)
    .max(100)
    .transform((list) => [...new Set(list)])
    .openapi({ example: ["orders:read", "orders:write"] }),
  limits: limitsRequest.optional(),
  allowed_ips: allowedIpsField.optional(),
  expires_at: expiresAtField.optional(),
};

const bounds = z.object(keyBounds);
export type KeyBounds = z.output<typeof bounds>;
