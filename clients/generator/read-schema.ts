import type { Field, NamedType, TypeRef } from "./model.ts";

/** The part of JSON Schema that docs/openapi.json uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: (string | number | boolean)[];
  const?: string | number | boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  description?: string;
  default?: unknown;
};

/** A schema of the document's components. */
export function readType(name: string, schema: Schema): NamedType {
  const described = { name, description: schema.description ?? "", sent: false, received: false };
  if (schema.allOf) {
    const [base, own, ...rest] = schema.allOf;
    if (!base?.$ref || !own?.properties || rest.length > 0) {
      throw new Error(`${name}: allOf is understood of one named schema and one with properties.`);
    }
    return { ...described, kind: "object", extends: nameOf(base.$ref), fields: readFields(name, own) };
  }
  if (schema.properties) {
    return { ...described, kind: "object", extends: null, fields: readFields(name, schema) };
  }
  if (schema.type === "string" && schema.enum) {
    return { ...described, kind: "enum", values: schema.enum.map(String) };
  }
  return { ...described, kind: "alias", of: readRef(name, schema) };
}

function readFields(owner: string, { properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => {
    const field = readField(name, schema, required.includes(name), owner);
    // A field beside its base units is an amount, even without a pattern in the document.
    return properties[`${name}_base_units`] ? { ...field, type: asAmount(field.type) } : field;
  });
}

function asAmount(type: TypeRef): TypeRef {
  return type.kind === "nullable" ? { kind: "nullable", of: asAmount(type.of) } : { kind: "amount" };
}

/** A property of an object, or a parameter. */
export function readField(name: string, schema: Schema, required: boolean, owner: string): Field {
  const type = readRef(`${owner}.${name}`, schema);
  return { name, type, required, description: schema.description ?? "", fallback: schema.default ?? null };
}

/** The patterns of docs/openapi.json by their kind. A text without such a pattern is plain. */
const amounts = ["^(0|[1-9][0-9]*)(\\.[0-9]+)?$", "^(0|[1-9][0-9]{0,59})(?:\\.([0-9]{1,60}))?$"];
const forms: Record<string, TypeRef> = {
  "^(0|[1-9][0-9]*)$": { kind: "base_units" },
  "^(0|[1-9][0-9]{0,77})$": { kind: "uint256" },
  "^0x[0-9a-fA-F]{40}$": { kind: "text", form: "address", prefix: null },
  "^0x[0-9a-f]{64}$": { kind: "text", form: "hash", prefix: null },
  "^0x[0-9a-fA-F]{64}$": { kind: "text", form: "hash", prefix: null },
  "^0x([0-9a-fA-F]{2})+$": { kind: "text", form: "bytes", prefix: null },
  "^0x([0-9a-f]{2})*$": { kind: "text", form: "bytes", prefix: null },
  "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$": { kind: "text", form: "slug", prefix: null },
};

/** Reads the type at a place in the document. `where` names the place in errors. */
export function readRef(where: string, schema: Schema): TypeRef {
  if (schema.$ref) return { kind: "named", name: nameOf(schema.$ref) };
  if (schema.anyOf) {
    const rest = schema.anyOf.filter(({ type }) => type !== "null").map((one) => readRef(where, one));
    const of: TypeRef = rest.length === 1 && rest[0] ? rest[0] : { kind: "union", of: rest };
    return rest.length < schema.anyOf.length ? { kind: "nullable", of } : of;
  }
  if (Array.isArray(schema.type)) {
    const [type, ...others] = schema.type.filter((type) => type !== "null");
    if (type === undefined || others.length > 0) throw new Error(`${where}: several types need anyOf.`);
    return { kind: "nullable", of: readRef(where, { ...schema, type }) };
  }
  if (schema.enum) return { kind: "literal", values: schema.enum };
  if (schema.const !== undefined) return { kind: "literal", values: [schema.const] };
  return readPlain(where, schema);
}

function readPlain(where: string, schema: Schema): TypeRef {
  switch (schema.type) {
    case undefined:
      return { kind: "any" };
    case "string":
      return readText(schema);
    case "integer":
    case "number":
    case "boolean":
      return { kind: schema.type };
    case "array":
      return { kind: "list", of: readRef(`${where}[]`, schema.items ?? {}) };
    case "object": {
      if (schema.properties) throw new Error(`${where}: an object with fields needs a name of its own.`);
      const { additionalProperties: of } = schema;
      return { kind: "map", of: typeof of === "object" ? readRef(`${where}{}`, of) : { kind: "any" } };
    }
    default:
      throw new Error(`${where}: the type ${schema.type} is not understood.`);
  }
}

function readText({ pattern, format }: Schema): TypeRef {
  if (pattern && amounts.includes(pattern)) return { kind: "amount" };
  const known = pattern ? forms[pattern] : undefined;
  if (known) return known;
  const prefix = /^\^([a-z]{3})_/.exec(pattern ?? "")?.[1];
  if (prefix) return { kind: "text", form: "id", prefix };
  const form = format === "date-time" ? "time" : format === "uri" ? "url" : null;
  return { kind: "text", form, prefix: null };
}

/** Returns the name at the end of a reference. */
export const nameOf = (ref: string) => ref.split("/").at(-1) ?? "";
