import { pointerTo } from "../../../protocol/json/pointer.ts";

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const dialect = "https://json-schema.org/draft/2020-12/schema";

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
export const schemaKeywords = new Set([
  "not",
  "if",
  "then",
  "else",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "items",
  "contains",
  "unevaluatedItems",
]);
export const schemaListKeywords = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
export const schemaMapKeywords = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Keywords whose schemas apply to nothing unless a reference leads to them. */
const definitions = new Set(["$defs", "definitions"]);

/** Keywords that constrain a value without subschemas. */
export const assertionKeywords = new Set([
  "type",
  "enum",
  "const",
  "multipleOf",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxContains",
  "minContains",
  "maxProperties",
  "minProperties",
  "required",
  "dependentRequired",
]);

/** Keywords that depend on what the other keywords have evaluated. */
const tracking = ["unevaluatedItems", "unevaluatedProperties"];

export const isTracking = (schema: JsonObject): boolean =>
  tracking.some((keyword) => Object.hasOwn(schema, keyword));

/** Lists the direct subschemas of a schema, by the end of their path. */
export function childrenOf(schema: JsonObject): [path: string, child: unknown][] {
  return Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    const isList = schemaListKeywords.has(keyword) && Array.isArray(value);
    const isMap = (schemaMapKeywords.has(keyword) || definitions.has(keyword)) && isObject(value);
    if (isList || isMap) {
      return Object.entries(value as object).map(([name, one]) => [`/${keyword}${pointerTo(name)}`, one]);
    }
    return schemaKeywords.has(keyword) || keyword === "contentSchema" ? [[`/${keyword}`, value]] : [];
  });
}
