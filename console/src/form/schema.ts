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

/** The most inputs of a form. Long lists of choices and long texts count as several. */
const mostInputs = 300;

/** The most values that are shown as inputs. */
const mostValues = 1_000;

/** The most levels of groups and lists. Deeper values are written as JSON. */
const deepest = 6;

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

/**
 * Tells whether a form can show this value. A small schema may refer to itself so often that its form would be endless.
 * The user then writes the value as JSON.
 */
export function isForm(schema: Schema, value: unknown): boolean {
  return (
    kindOf(schema, 0) === "group" &&
    inputsLeft(schema, schema, 0, mostInputs) >= 0 &&
    valuesLeft(value, mostValues) >= 0
  );
}

/** Subtracts the inputs of a schema from a budget. The result is below zero if the budget does not suffice. */
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

/** The initial value of a schema's form. */
export function initialValueOf(schema: Schema | null): unknown {
  if (!schema) return undefined;
  return isForm(schema, null) ? emptyOf(schema, schema) : (schema.default ?? {});
}

/** The initial value of one input: the schema's constant or default, otherwise none. */
export function emptyOf(schema: Schema, root: Schema, depth = 0): unknown {
  const { default: given, const: fixed, properties = {}, required = [], type } = schema;
  if (fixed !== undefined) return fixed;
  if (given !== undefined) return given;
  if (type !== "object" || depth >= deepest) return undefined;
  const entries = Object.entries(properties).flatMap(([name, member]) => {
    const resolved = resolve(member, root);
    const isGroup = kindOf(resolved, depth + 1) === "group";
    const value = isGroup && !required.includes(name) ? undefined : emptyOf(resolved, root, depth + 1);
    // The checkbox of a required choice between yes and no starts at no.
    if (value === undefined && required.includes(name) && kindOf(resolved, depth + 1) === "yes-no") {
      return [[name, false] as const];
    }
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
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
