import { z } from "zod";
import { type EventType, eventDataSchemas, eventTypes } from "../settlement/events.ts";

/** Every type of event, with what it means and the JSON Schema (2020-12) of its data. */
export function describeEventTypes() {
  return (Object.keys(eventTypes) as EventType[]).map((type) => ({
    type,
    description: eventTypes[type],
    data_schema: z.toJSONSchema(eventDataSchemas[type]) as Record<string, unknown>,
  }));
}

/** What endpoints receive, as the `webhooks` of an OpenAPI 3.1 document. */
export function describeWebhooks() {
  return Object.fromEntries(
    describeEventTypes().map(({ type, description, data_schema }) => {
      const { $schema: _, ...data } = data_schema;
      return [
        type,
        {
          post: {
            operationId: `on ${type}`,
            tags: ["webhooks"],
            summary: description,
            parameters: headers.map(([name, meaning]) => ({
              name,
              in: "header",
              required: true,
              description: meaning,
              schema: { type: "string" },
            })),
            requestBody: {
              required: true,
              content: {
                "application/json": {
                  schema: {
                    type: "object",
                    required: ["id", "type", "created_at", "data"],
                    properties: {
                      id: {
                        type: "string",
                        description: "the same in every retry: use it to handle an event once",
                      },
                      type: { const: type },
                      created_at: { type: "string", format: "date-time" },
                      data,
                    },
                  },
                },
              },
            },
            responses: {
              "2XX": { description: "Acknowledged. Anything else is tried again." },
              "410": { description: "The endpoint is gone: it is disabled." },
            },
          },
        },
      ];
    }),
  );
}

const headers: [name: string, meaning: string][] = [
  ["X-Service-Event", "the event's type"],
  ["X-Service-Delivery", "the event's id"],
  [
    "X-Service-Signature",
    "`t=<unix seconds>,v1=<hex HMAC-SHA256>` over `<t>.` and the raw body, keyed with the secret",
  ],
  ["webhook-id", "Standard Webhooks: the event's id"],
  ["webhook-timestamp", "Standard Webhooks: unix seconds"],
  ["webhook-signature", "Standard Webhooks: `v1,<base64>`, one for each secret that signs"],
];
