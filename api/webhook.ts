import { z } from "@hono/zod-openapi";
import { and, eq, ne } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { webhookEndpoint } from "../db/schema.ts";
import { type EventType, eventTypes } from "../settlement/events.ts";
import type { Caller } from "./access.ts";
import { ApiError } from "./errors.ts";
import { isId, textField, timeField } from "./fields.ts";

type EndpointRow = typeof webhookEndpoint.$inferSelect;

export const endpointParams = z.object({
  id: z.string().openapi({ example: "whe_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
});

const eventsField = z
  .array(z.enum(["*", ...(Object.keys(eventTypes) as EventType[])]))
  .min(1)
  .transform((types) => (types.includes("*") ? ["*"] : [...new Set(types)]))
  .openapi({ example: ["order.funded", "order.delivered"], description: "types, or `*` for all of them" });

const urlField = z.string().max(2048).openapi({
  format: "uri",
  description: "https, of a public address",
  example: "https://example.org/earnest",
});

export const endpointRequest = z
  .strictObject({
    url: urlField,
    events: eventsField,
    description: textField(500).optional(),
  })
  .openapi("WebhookRequest");

export const endpointChanges = z
  .strictObject({
    url: urlField.optional(),
    events: eventsField.optional(),
    description: textField(500).nullable().optional(),
    status: z.enum(["active", "paused"]).optional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, "must change something")
  .openapi("WebhookChanges");

export const endpointSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string().nullable(),
    events: z.array(z.string()),
    status: z.enum(["active", "paused", "disabled", "revoked"]),
    disabled_reason: z.enum(["gone", "failing"]).nullable().openapi({
      description: "`gone`: it answered 410; `failing`: everything failed for five days",
    }),
    failing_since: timeField.nullable().openapi({
      description: "since when every attempt has failed; null while some succeed",
    }),
    previous_secret_until: timeField.nullable().openapi({
      description: "until when deliveries are signed with the secret before the last rotation too",
    }),
    created_at: timeField,
    updated_at: timeField,
  })
  .openapi("Webhook");

export const newEndpointSchema = endpointSchema
  .extend({ secret: z.string().openapi({ description: "`whsec_` and base64; shown this once" }) })
  .openapi("NewWebhook");

export function presentEndpoint(row: EndpointRow): z.output<typeof endpointSchema> {
  const previous = row.previousSecretUntil;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    status: row.status,
    disabled_reason: row.status === "disabled" ? row.disabledReason : null,
    failing_since: row.failingSince?.toISOString() ?? null,
    previous_secret_until: previous && previous > new Date() ? previous.toISOString() : null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/**
 * Reads an endpoint of the caller's account.
 *
 * @throws ApiError `not_found` for anybody else's and for a revoked one, as for one that does not exist
 */
export async function readOwnEndpoint(db: Database, caller: Caller, id: string): Promise<EndpointRow> {
  const [row] = isId("whe", id)
    ? await db
        .select()
        .from(webhookEndpoint)
        .where(
          and(
            eq(webhookEndpoint.id, id),
            eq(webhookEndpoint.accountId, caller.accountId),
            ne(webhookEndpoint.status, "revoked"),
          ),
        )
    : [];
  if (!row) throw new ApiError("not_found", "You have no such endpoint.");
  return row;
}
