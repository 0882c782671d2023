import { z } from "@hono/zod-openapi";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { type EventType, eventTypes } from "../../protocol/settlement/vocabulary.ts";
import type { EndpointRow } from "../../trade/webhooks/endpoints.ts";
import { idField, orNull, shownUrl, textField, timeField } from "../http/fields.ts";

/** The schema of a type of event. */
export const eventTypeField = z
  .enum(Object.keys(eventTypes) as [EventType, ...EventType[]])
  .openapi("EventType");

export const endpointParams = z.object({
  id: idField("whe"),
});

const eventsField = z
  .array(z.enum(["*", ...(Object.keys(eventTypes) as EventType[])]).openapi("WebhookEventChoice"))
  .min(1)
  .max(Object.keys(eventTypes).length + 1)
  .transform((types) => (types.includes("*") ? ["*"] : [...new Set(types)]))
  .openapi({ example: ["order.funded", "order.delivered"], description: "event types, or `*` for all" });

const urlField = z.string().max(2048).openapi({
  format: "uri",
  description: "an https URL of a public address",
  example: "https://example.org/earnest",
});

export const endpointRequest = z
  .strictObject({
    url: urlField,
    events: eventsField,
    description: textField(longest.purpose).optional(),
  })
  .openapi("WebhookRequest");

export const endpointChanges = z
  .strictObject({
    url: urlField.optional(),
    events: eventsField.optional(),
    description: textField(longest.purpose).nullable().optional(),
    status: z.enum(["active", "paused"]).openapi("WebhookStatusChange").optional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, "must have at least one field")
  .openapi("WebhookChanges");

export const endpointSchema = z
  .object({
    id: idField("whe"),
    url: shownUrl,
    description: z.string().nullable(),
    events: z.array(z.string()),
    status: z.enum(["active", "paused", "disabled", "revoked"]).openapi("WebhookStatus"),
    disabled_reason: orNull(z.enum(["failing", "member_left"]).openapi("WebhookDisabledReason")).openapi({
      description:
        "`failing`: every attempt of five days failed; `member_left`: the member who set the URL, or saw the secret last, may not manage endpoints now",
    }),
    failing_since: timeField.nullable().openapi({
      description: "the time since which every attempt has failed; null if the last attempts succeeded",
    }),
    previous_secret_until: timeField.nullable().openapi({
      description: "the time until which deliveries are also signed with the previous secret",
    }),
    created_at: timeField,
    updated_at: timeField,
  })
  .openapi("Webhook");

export const newEndpointSchema = endpointSchema
  .extend({ secret: z.string().openapi({ description: "`whsec_` and base64; shown only once" }) })
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
