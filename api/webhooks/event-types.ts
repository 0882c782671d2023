import { eventDataSchemas } from "../../protocol/facts/event-data.ts";
import { type EventType, eventTypes } from "../../protocol/settlement/vocabulary.ts";
import { type Components, exampleOf, type Schema } from "../http/openapi-examples.ts";
import { eventDataSchema } from "../http/openapi-webhooks.ts";

/** Describes every type of event, with the JSON Schema (2020-12) of its data. */
export function describeEventTypes() {
  return (Object.keys(eventTypes) as EventType[]).map((type) => ({
    type,
    description: eventTypes[type],
    data_schema: eventDataSchema(eventDataSchemas[type]),
  }));
}

/** Makes the data of a test event: in the published form, about nothing that exists. */
export function exampleData(type: EventType): Record<string, unknown> {
  const schema = eventDataSchema(eventDataSchemas[type]);
  const data = exampleOf(schema as Schema, schema.$defs as Components) as Record<string, unknown>;
  return { ...data, test: true };
}
