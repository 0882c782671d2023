import { isObject, type JsonObject } from "./dialect/keywords.ts";

/**
 * Keywords that are looked at once for each part of a payload. The look takes no longer than the keyword and the part are long.
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

/** A schema's characters times a payload's. Up to so many, a check takes a fraction of the time that it may take. */
const mostQuickly = 1_000_000;

/** Whether a check cannot take long: to watch its time takes a thread, which costs several times as much as the check. */
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
