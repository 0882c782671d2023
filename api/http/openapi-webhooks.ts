import { z } from "zod";
import { idPattern } from "../../protocol/facts/ids.ts";
import { eventDataSchemas } from "../../protocol/facts/order-events.ts";
import { type EventType, eventTypes } from "../../protocol/settlement/vocabulary.ts";

/** Whose data an event has, by the beginning of its type; of all others it is an order's. */
const subjects: Record<string, string> = { quote: "Quote", request: "Request", review: "Review" };

/** What endpoints receive, as the `webhooks` of an OpenAPI 3.1 document, with the schemas that these refer to. */
export function describeWebhooks() {
  const names = new Map<z.ZodType, string>();
  const schemas: Record<string, unknown> = {};
  for (const type of Object.keys(eventTypes) as EventType[]) {
    const data = eventDataSchemas[type];
    const subject = subjects[type.split(".")[0] ?? ""] ?? "Order";
    if (!names.has(data)) {
      const { $schema: _, $defs, ...schema } = toComponent(eventDataSchema(data));
      // A type whose data say more than its subject's others has a name of its own.
      const name = `${subject}EventData` in schemas ? `${pascal(type)}EventData` : `${subject}EventData`;
      names.set(data, name);
      Object.assign(schemas, $defs, { [name]: schema });
    }
    schemas[`${pascal(type)}Event`] = {
      type: "object",
      description: eventTypes[type],
      required: ["id", "event_id", "type", "created_at", "data"],
      properties: {
        id: {
          type: "string",
          pattern: idPattern("whd"),
          description: "the delivery's, unlike any other's and the same in every retry: handle each once",
        },
        event_id: {
          type: "string",
          pattern: idPattern("evt"),
          description: "the event's, the same for each of your endpoints and in the feed",
        },
        type: { type: "string", enum: [type] },
        created_at: { type: "string", format: "date-time" },
        data: { $ref: `#/components/schemas/${names.get(data)}` },
      },
    };
  }
  const webhooks = Object.fromEntries(
    (Object.keys(eventTypes) as EventType[]).map((type) => [
      type,
      {
        post: {
          operationId: `on${pascal(type)}`,
          tags: ["webhooks"],
          summary: eventTypes[type],
          security: [],
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
              "application/json": { schema: { $ref: `#/components/schemas/${pascal(type)}Event` } },
            },
          },
          responses: {
            "2XX": { description: "Acknowledged. Anything else is tried again." },
          },
        },
      },
    ]),
  );
  return { webhooks, schemas };
}

/** The published form of an event's data, as JSON Schema. */
export function eventDataSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    // Members may be added: receivers ignore those that they do not know.
    io: "input",
    override: ({ jsonSchema }) => {
      // The format says it; the expression is of nobody's use.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  }) as Record<string, unknown>;
}

/** The schema with what it names among the components of the document. */
function toComponent(schema: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** `order.dispute_intent` as `OrderDisputeIntent`. */
function pascal(type: EventType): string {
  return type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const headers: [name: string, meaning: string][] = [
  ["X-Service-Event", "the event's type"],
  ["X-Service-Delivery", "the delivery's id"],
  [
    "X-Service-Signature",
    "`t=<unix seconds>,v1=<hex HMAC-SHA256>` over `<t>.` and the raw body, keyed with the secret",
  ],
  ["webhook-id", "Standard Webhooks: the delivery's id"],
  ["webhook-timestamp", "Standard Webhooks: unix seconds"],
  ["webhook-signature", "Standard Webhooks: `v1,<base64>`, one for each secret that signs"],
];
