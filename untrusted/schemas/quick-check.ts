import { isObject, type JsonObject } from "./dialect/keywords.ts";

/**
 * Keywords that are checked once for each part of a payload, in time linear in the keyword and the part.
 * Patterns, formats, references and combinators are not among them.
 */
const plainKeywords = new Set([
  "$schema",
  "title",
  "description",
  "default",
  "examples",
  "type",
  "required",
  "enum",
  "const",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
]);

/** The limit of a schema's characters times a payload's, below which a check takes a fraction of its time limit. */
const mostQuickly = 1_000_000;

/** Whether a check is too short for a time limit, which costs several times as much as the check. */
export function isQuick(schema: JsonObject, payload: unknown): boolean {
  return isPlain(schema) && JSON.stringify(schema).length * JSON.stringify(payload).length <= mostQuickly;
}

function isPlain(schema: unknown): boolean {
  if (!isObject(schema)) return typeof schema === "boolean";
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === "items" || keyword === "additionalProperties") return isPlain(value);
    if (keyword === "properties") return isObject(value) && Object.values(value).every(isPlain);
    return plainKeywords.has(keyword);
  });
}
