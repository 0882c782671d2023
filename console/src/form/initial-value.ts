import { fitsForm } from "./form-size.ts";
import { deepest, kindOf, resolve, type Schema } from "./schema-input.ts";

/** The initial value of a schema's form. */
export function initialValueOf(schema: Schema | null): unknown {
  if (!schema) return undefined;
  return fitsForm(schema, null) ? emptyOf(schema, schema) : (schema.default ?? {});
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
