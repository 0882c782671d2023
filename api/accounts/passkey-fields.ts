import { z } from "@hono/zod-openapi";

/** The most characters of a passkey's id: WebAuthn allows 1023 bytes. */
const longestId = Math.ceil((1023 * 4) / 3);

/** The id that an authenticator gave a passkey. */
export const credentialIdField = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, "must be base64url without padding")
  .min(22)
  .max(longestId)
  .openapi({ description: "the passkey's id, in base64url", example: "q83vEjRWeJCrze8SNFZ4kA" });
