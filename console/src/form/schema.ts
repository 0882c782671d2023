/** A JSON Schema (2020-12) as it is met in services; a stranger wrote it. */
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

/** How a value is asked for; `json` where only its text will do. */
export type Kind = "choice" | "text" | "lines" | "number" | "yes-no" | "list" | "group" | "json";

/** How deep groups and lists lie within each other at most: what is deeper is written as JSON. */
const deepest = 6;

/** A value's schema with the place that its `$ref` names in it; others are left as they are. */
export function resolve(schema: Schema | undefined, root: Schema): Schema {
  const reference = schema?.$ref;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return schema ?? {};
  const names = reference.slice(2).split("/");
  const found = names.reduce<unknown>((at, name) => {
    const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
    return at instanceof Object && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
  }, root);
  const { $ref: _, ...beside } = schema as Schema;
  return found instanceof Object ? { ...(found as Schema), ...beside } : beside;
}

export function kindOf(schema: Schema, depth: number): Kind {
  if (
    Array.isArray(schema.enum) &&
    schema.enum.every((one) => ["string", "number", "boolean"].includes(typeof one))
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

/** What a form begins with: what the schema itself gives, and no invented values. */
export function emptyOf(schema: Schema, root: Schema, depth = 0): unknown {
  const { default: given, const: fixed, properties = {}, required = [], type } = schema;
  if (fixed !== undefined) return fixed;
  if (given !== undefined) return given;
  if (type !== "object" || depth >= deepest) return undefined;
  const entries = Object.entries(properties).flatMap(([name, member]) => {
    const resolved = resolve(member, root);
    const isGroup = kindOf(resolved, depth + 1) === "group";
    const value = isGroup && !required.includes(name) ? undefined : emptyOf(resolved, root, depth + 1);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** The type of the input for a text of some format. */
export const inputTypes: Record<string, string> = {
  date: "date",
  email: "email",
  time: "time",
  uri: "url",
};

/** A JSON pointer (RFC 6901) with one name more. */
export const pointerTo = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
