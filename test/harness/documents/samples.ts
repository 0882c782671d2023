import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export type Schema = { [keyword: string]: unknown };
type Members = Record<string, unknown>;

/** The name of the member that stands for those that a sample omits. */
const elided = "...";

/** Reads JSON as documents write it: `...` among the members of an object or list leaves some out. */
export function readSample(text: string): unknown {
  const plain = text
    .replaceAll(/"(?:[^"\\]|\\.)*"|(\{|,)\s*\.\.\.(?=\s*[,}])/g, (found, before) =>
      before ? `${before} "${elided}": "${elided}"` : found,
    )
    .replaceAll(/\[\s*\.\.\.\s*\]/g, `["${elided}"]`)
    .replaceAll(/(\}|\]),\s*\.\.\.\s*\]/g, `$1, "${elided}"]`);
  // A member of an object that is not shown.
  return JSON.parse(/^\s*"/.test(plain) ? `{${plain}}` : plain);
}

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isShortened = (value: unknown) => typeof value === "string" && value.includes(elided);

/**
 * Returns the differences between a sample and a schema of `document`. Omitted and shortened parts are not
 * compared.
 */
export function createSampleCheck(document: object): (sample: unknown, schema: Schema) => string[] {
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } }));
  ajv.addSchema(document, "document");

  function resolve(schema: Schema): Schema {
    if (typeof schema.$ref !== "string") return schema;
    const parts = schema.$ref.slice("#/".length).split("/");
    const found = parts.reduce((part, name) => (part as Members)[name] as object, document);
    const { $ref, ...beside } = schema;
    return { ...resolve(found as Schema), ...beside };
  }

  function check(sample: unknown, unresolved: Schema, path: string): string[] {
    const schema = resolve(unresolved);
    const { allOf, anyOf, oneOf, ...own } = schema;
    if (Array.isArray(allOf) && allOf.length > 0) {
      const parts = [own, ...(allOf as Schema[]).map(resolve)];
      const properties = Object.assign({}, ...parts.map((part) => part.properties));
      const required = parts.flatMap((part) => (part.required as string[] | undefined) ?? []);
      return check(sample, { ...Object.assign({}, ...parts), properties, required }, path);
    }
    const branches = (anyOf ?? oneOf) as Schema[] | undefined;
    if (branches && !isShortened(sample)) {
      const tried = branches.map((branch) => check(sample, branch, path)).sort((a, b) => a.length - b.length);
      return tried[0] ?? [];
    }
    if (isShortened(sample)) return [];
    if (isObject(sample)) return checkMembers(sample, schema, path);
    if (Array.isArray(sample) && (schema.type === "array" || schema.items)) {
      const items = sample.filter((item) => item !== elided);
      return items.flatMap((item, at) => check(item, (schema.items ?? {}) as Schema, `${path}/${at}`));
    }
    const validate = ajv.compile(
      JSON.parse(JSON.stringify(own).replaceAll('"$ref":"#/', '"$ref":"document#/')),
    );
    return validate(sample) ? [] : [`${path}: ${ajv.errorsText(validate.errors)}`];
  }

  function checkMembers(sample: Members, schema: Schema, path: string): string[] {
    const types = [schema.type].flat();
    if (schema.type !== undefined && !types.includes("object")) return [`${path}: is no object`];
    const { properties = {}, additionalProperties = true, required = [] } = schema;
    const known = properties as Record<string, Schema>;
    const isWhole = !(elided in sample);
    const missing = (required as string[]).filter((name) => isWhole && !(name in sample));
    const faults = missing.map((name) => `${path}/${name}: is missing, and no "..." stands for it`);
    for (const [name, value] of Object.entries(sample)) {
      if (name === elided) continue;
      const member = known[name] ?? (isObject(additionalProperties) ? additionalProperties : undefined);
      if (member) faults.push(...check(value, member, `${path}/${name}`));
      else if (schema.properties && (additionalProperties === false || Object.keys(known).length > 0))
        faults.push(`${path}/${name}: is not described`);
    }
    return faults;
  }

  return (sample, schema) => check(sample, schema, "");
}
