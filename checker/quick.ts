type JsonObject = Record<string, unknown>;

/**
 * Keywords of which each is looked at once for each part of a payload, and no longer than it and the part are. Patterns, formats
 * and references are not among them.
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

/** The characters of a schema of these, times those of a payload, up to which the check takes a fraction of what it may. */
const mostQuickly = 1_000_000;

/** Whether a check cannot take long: to watch its time takes a thread, which costs several times as much as the check. */
export function isQuick(schema: JsonObject, payload: JsonObject): boolean {
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

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
