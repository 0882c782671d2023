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

/** No text of a schema is as long as this, however it is laid out: the service takes 64 kB of JSON. */
export const longestText = 256 * 1024;

/** How many inputs a form has at most, long lists of choices and long texts counted as several. */
const mostInputs = 300;

/** How many values are shown as inputs at most. */
const mostValues = 1_000;

/** How deep groups and lists lie within each other at most: what is deeper is written as JSON. */
const deepest = 6;

/** A value's schema with the place that its `$ref` names in it; others are left as they are. */
export function resolve(schema: Schema | undefined, root: Schema): Schema {
  const reference = schema?.$ref;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return schema ?? {};
  const names = reference.slice(2).split("/");
  const found = names.reduce<unknown>((at, name) => {
    const key = decode(name).replaceAll("~1", "/").replaceAll("~0", "~");
    return at instanceof Object && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
  }, root);
  const { $ref: _, ...beside } = schema as Schema;
  return found instanceof Object ? { ...(found as Schema), ...beside } : beside;
}

/** A name of a reference as it is meant; as it stands where that is nothing. */
function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Whether a form can be made of a schema for this value. A small schema may refer to itself so often that its form would
 * never be whole; then its text is asked for.
 */
export function isForm(schema: Schema, value: unknown): boolean {
  return (
    kindOf(schema, 0) === "group" &&
    inputsLeft(schema, schema, 0, mostInputs) >= 0 &&
    valuesLeft(value, mostValues) >= 0
  );
}

/** What is left of so many inputs after those of a schema; below zero where they do not do. */
function inputsLeft(schema: Schema, root: Schema, depth: number, most: number): number {
  const { enum: choices = [], title = "", description = "", properties = {}, items } = schema;
  let left = most - 1 - choices.length / 20 - (title.length + description.length) / 1_000;
  const kind = kindOf(schema, depth);
  const members = kind === "group" ? Object.values(properties) : kind === "list" ? [items] : [];
  for (const member of members) {
    if (left < 0) break;
    left = inputsLeft(resolve(member, root), root, depth + 1, left);
  }
  return left;
}

function valuesLeft(value: unknown, most: number): number {
  let left = most - 1;
  for (const member of value instanceof Object ? Object.values(value) : []) {
    if (left < 0) break;
    left = valuesLeft(member, left);
  }
  return left;
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

/** What the form of a schema begins with. */
export function beginningOf(schema: Schema | null): unknown {
  if (!schema) return undefined;
  return isForm(schema, null) ? emptyOf(schema, schema) : (schema.default ?? {});
}

/** What an input begins with: what the schema itself gives, and no invented values. */
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
