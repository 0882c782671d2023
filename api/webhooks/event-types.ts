import { eventDataSchemas } from "../../protocol/facts/order-events.ts";
import { type EventType, eventTypes } from "../../protocol/settlement/vocabulary.ts";
import { type Components, exampleOf, type Schema } from "../http/openapi-examples.ts";
import { eventDataSchema } from "../http/openapi-webhooks.ts";

/** Every type of event, with what it means and the JSON Schema (2020-12) of its data. */
export function describeEventTypes() {
  return (Object.keys(eventTypes) as EventType[]).map((type) => ({
    type,
    description: eventTypes[type],
    data_schema: eventDataSchema(eventDataSchemas[type]),
  }));
}

/** Data of this type as a test event has it: of the published form, of nothing that exists. */
export function exampleData(type: EventType): Record<string, unknown> {
  const schema = eventDataSchema(eventDataSchemas[type]);
  const data = exampleOf(schema as Schema, schema.$defs as Components) as Record<string, unknown>;
  return { ...data, test: true };
}
