import { z } from "zod";
import { eventDataSchemas } from "../../protocol/facts/event-data.ts";
import { idPattern } from "../../protocol/facts/ids.ts";
import { type EventType, eventTypes } from "../../protocol/settlement/vocabulary.ts";

type FirstPart<Type> = Type extends `${infer First}.${string}` ? First : never;

/** The subject of an event's data, for the name of its schema, by the first part of the event's type. */
const subjects: Record<FirstPart<EventType>, string> = {
  order: "Order",
  delivery: "Order",
  part: "Order",
  fact: "Order",
  subscription: "SubscriptionRenewal",
  agent: "AgentDomain",
  account: "AccountErasure",
  report: "Report",
  moderation: "Moderation",
  payout: "Payout",
  quote: "Quote",
  request: "Request",
  review: "Review",
  key: "KeyLimit",
  webhook: "WebhookDisabled",
  wallet: "WalletBalance",
};

/** Describes the events as the `webhooks` of an OpenAPI 3.1 document, with their schemas. */
export function describeWebhooks() {
  const names = new Map<z.ZodType, string>();
  const schemas: Record<string, unknown> = {};
  for (const type of Object.keys(eventTypes) as EventType[]) {
    const data = eventDataSchemas[type];
    const subject = subjects[type.split(".")[0] as FirstPart<EventType>];
    if (!names.has(data)) {
      const { $schema: _, $defs, ...schema } = toComponent(eventDataSchema(data));
      // An event whose data differ from those of its subject gets a schema of its own.
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
          description: "the delivery's id, the same in every retry: handle each delivery once",
        },
        event_id: {
          type: "string",
          pattern: idPattern("evt"),
          description: "the event's id, the same for all your endpoints and in the feed",
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
            "2XX": { description: "Acknowledged. Any other status causes a retry." },
          },
        },
      },
    ]),
  );
  return { webhooks, schemas };
}

/** The published schema of an event's data. */
export function eventDataSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    // Members may be added. Receivers ignore unknown members.
    io: "input",
    override: ({ jsonSchema }) => {
      // The format is enough: generators do not need the pattern.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  }) as Record<string, unknown>;
}

/** Lets a schema refer to the document's components. */
function toComponent(schema: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** Writes `order.dispute_intent` as `OrderDisputeIntent`. */
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
