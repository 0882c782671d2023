import { dialect, isObject, type JsonObject } from "./keywords.ts";
import { writePlain } from "./plain-schema.ts";
import { refuseUnevaluated } from "./refusals.ts";
import { maxSchemaBytes, maxSchemaDepth } from "./schema-bounds.ts";
import type { Violation } from "./subschema.ts";
import { indexSubschemas } from "./subschema-index.ts";

export type { Violation };

/** The validator of the dialect's own schema. */
export type Metaschema = (schema: unknown) => Violation[];

/** Checks a schema before any keyword is read: its kind, its depth and its size. */
export function checkOutline(schema: unknown): Violation[] {
  if (!isObject(schema)) return [{ path: "", keyword: "type", message: "must be an object" }];
  if (nestsDeeper(schema, maxSchemaDepth)) {
    return [{ path: "", keyword: "depth", message: `nests deeper than ${maxSchemaDepth} levels` }];
  }
  const size = new TextEncoder().encode(JSON.stringify(schema)).length;
  if (size <= maxSchemaBytes) return [];
  const message = `is ${size} bytes of JSON; a schema takes at most ${maxSchemaBytes}`;
  return [{ path: "", keyword: "maxLength", message }];
}

/** The parts of a schema that are not JSON Schema 2020-12, or that are not enforced as the standard has it. */
export function checkDialect(schema: JsonObject, findViolations: Metaschema): Violation[] {
  const declared = schema.$schema;
  if (declared !== undefined && declared !== dialect) {
    return [{ path: "/$schema", keyword: "$schema", message: `must be ${dialect}, or left out` }];
  }
  const violations = findViolations(schema);
  if (violations.length > 0) return violations;
  const index = indexSubschemas(schema);
  const refused = [...index.violations, ...unevaluatedOf(index)];
  if (refused.length > 0) return refused;
  for (const { schema: one, path } of index.hidden) {
    const found = findViolations(one);
    if (found.length > 0) return found.map((fault) => ({ ...fault, path: path + fault.path }));
  }
  return [];
}

/** Checks that a good schema describes objects, as inputs and outputs are. */
export function checkKind({ type }: JsonObject): Violation[] {
  if (type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))) return [];
  return [{ path: "/type", keyword: "type", message: "must be object: inputs and outputs are objects" }];
}

/** A schema as Ajv gets it. */
export type Plain = { schema: JsonObject; violations: Violation[] };

/**
 * Reads a schema by JSON Schema 2020-12 alone. Annotations are left out. References are resolved here, by
 * URI. A keyword that Ajv enforces differently from the standard is a violation.
 *
 * @param isEnforced whether a format is enforced
 */
export function readDialect(root: JsonObject, isEnforced: (format: string) => boolean): Plain {
  const index = indexSubschemas(root);
  return {
    schema: writePlain(index, isEnforced),
    violations: [...index.violations, ...unevaluatedOf(index)],
  };
}

const unevaluatedOf = (index: ReturnType<typeof indexSubschemas>): Violation[] =>
  [...index.subschemas.values()].flatMap((subschema) => refuseUnevaluated(index, subschema));

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeper(member, levels - 1));
}
