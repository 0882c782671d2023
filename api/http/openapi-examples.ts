/** The part of JSON Schema 2020-12 that the API's document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  example?: unknown;
  examples?: unknown[];
  default?: unknown;
  format?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  minItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  description?: string;
};
export type Components = Record<string, Schema>;

/** The most characters of an example, whatever a caller's schema demands. */
const longestExample = 1000;

const formats: Record<string, string> = {
  "date-time": "2026-11-21T09:30:00.000Z",
  uri: "https://example.org/",
  url: "https://example.org/",
};

/** Makes a value that fits a schema from the examples of its parts. Optional members are included. */
export function exampleOf(schema: Schema, components: Components): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.$ref) return exampleOf(resolve(schema.$ref, components), components);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.length) return schema.enum[0];
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => exampleOf(part, components));
    return Object.assign({}, ...parts, ...(schema.properties ? [membersOf(schema, components)] : []));
  }
  const choice = (schema.oneOf ?? schema.anyOf)?.find((one) => one.type !== "null");
  if (choice) return exampleOf(choice, components);
  if (schema.default !== undefined) return schema.default;
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  switch (type) {
    case "object":
      return membersOf(schema, components);
    case "array": {
      if (schema.prefixItems) return schema.prefixItems.map((item) => exampleOf(item, components));
      return schema.items ? [exampleOf(schema.items, components)] : [];
    }
    case "integer":
    case "number":
      return schema.minimum ?? (schema.exclusiveMinimum === undefined ? 1 : schema.exclusiveMinimum + 1);
    case "boolean":
      return true;
    case "string":
      return (
        formats[schema.format ?? ""] ?? "text".padEnd(Math.min(schema.minLength ?? 0, longestExample), ".")
      );
    default:
      return null;
  }
}

type Body = { content?: Record<string, { schema?: unknown; example?: unknown; examples?: unknown }> };

/** Adds an example to each JSON body of an operation that has none. */
export function addExamples(
  operation: { requestBody?: unknown; responses?: Record<string, unknown> },
  components: Components,
): void {
  for (const body of [operation.requestBody, ...Object.values(operation.responses ?? {})]) {
    const media = (body as Body | undefined)?.content?.["application/json"];
    if (!media?.schema || media.example !== undefined || media.examples !== undefined) continue;
    media.example = exampleOf(media.schema as Schema, components);
  }
}

function membersOf(schema: Schema, components: Components): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, member]) => [name, exampleOf(member, components)]),
  );
}

/** Finds the schema that a reference within the document points to. */
export function resolve(reference: string, components: Components): Schema {
  const component = components[nameOf(reference)];
  if (!component) throw new Error(`The document has no ${reference}.`);
  return component;
}

/** The name of a referenced component. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
