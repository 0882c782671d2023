/** A JSON Schema (2020-12) of a service. It is untrusted: any user may have written it. */
export type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  $ref?: string;
};

/** The kind of input for a value. `json`: the user writes the value as JSON text. */
export type Kind = "choice" | "text" | "lines" | "number" | "yes-no" | "list" | "group" | "json";

/** The most characters of a schema's text. The service accepts 64 kB of compact JSON; the rest is layout. */
export const longestText = 256 * 1024;

/** The most levels of groups and lists. Deeper values are written as JSON. */
export const deepest = 6;

/** Resolves the `$ref` of a schema within its root. A schema without one stays unchanged. */
export function resolve(schema: Schema | undefined, root: Schema): Schema {
  const reference = schema?.$ref;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return schema ?? {};
  const names = reference.slice(2).split("/");
  const target = names.reduce<unknown>((at, name) => {
    const key = decode(name).replaceAll("~1", "/").replaceAll("~0", "~");
    return at instanceof Object && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
  }, root);
  const { $ref: _, ...beside } = schema as Schema;
  return target instanceof Object ? { ...(target as Schema), ...beside } : beside;
}

/** Decodes a step of a reference. A malformed step stays unchanged. */
function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Chooses the kind of input for a schema's values, at a depth of the form. */
export function kindOf(schema: Schema, depth: number): Kind {
  if (
    Array.isArray(schema.enum) &&
    schema.enum.every((choice) => ["string", "number", "boolean"].includes(typeof choice))
  ) {
    return "choice";
  }
  switch (schema.type) {
    case "string":
      return (schema.maxLength ?? 0) > 200 || schema.maxLength === undefined ? "lines" : "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "yes-no";
    case "array":
      return depth < deepest && schema.items instanceof Object ? "list" : "json";
    case "object":
      return depth < deepest && schema.properties instanceof Object ? "group" : "json";
    default:
      return "json";
  }
}

/** The HTML input type for each format of a text. */
export const inputTypes: Record<string, string> = {
  email: "email",
  uri: "url",
};

/** The label of a property: the schema's title, else the property's name as words, such as `Keep names` for `keep_names`. */
export function labelOf({ title }: Schema, name: string): string {
  if (typeof title === "string" && title.trim() !== "") return title;
  const words = name
    .replaceAll(
      /([\p{Ll}\d])(\p{Lu})(?=\p{Ll})/gu,
      (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
    )
    .replaceAll(/[\s_-]+/g, " ")
    .trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}
