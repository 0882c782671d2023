import { pointerTo } from "../../../protocol/json/pointer.ts";
import { dialect, isObject, type JsonObject } from "./keywords.ts";
import { compilePattern, PatternError } from "./patterns.ts";
import type { Subschema, SubschemaIndex, Violation } from "./subschema.ts";

/** The faults of one schema alone, without the schemas around it. */
export function refusalsOf(schema: JsonObject, path: string): Violation[] {
  const refused: Violation[] = [];
  const refuse = (keyword: string, message: string, at = `${path}/${keyword}`) =>
    refused.push({ path: at, keyword, message });
  if (Object.hasOwn(schema, "$dynamicRef")) refuse("$dynamicRef", "is not enforced here; use $ref");
  if (path !== "" && Object.hasOwn(schema, "$schema") && schema.$schema !== dialect) {
    refuse("$schema", `must be ${dialect}, or left out`);
  }
  if (isObject(schema.properties) && Object.hasOwn(schema.properties, "__proto__")) {
    refuse("properties", "cannot be used as the name of a property", `${path}/properties/__proto__`);
  }
  if (Array.isArray(schema.enum) && schema.enum.length === 0) refuse("enum", "must have a choice");
  refused.push(...refusePattern(schema.pattern, `${path}/pattern`));
  const names = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  for (const name of names) {
    refused.push(...refusePattern(name, `${path}/patternProperties${pointerTo(name)}`));
  }
  return refused;
}

function refusePattern(pattern: unknown, path: string): Violation[] {
  if (typeof pattern !== "string") return [];
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [{ path, keyword: "pattern", message: `is ${error.message}` }];
  }
}

/** Keywords whose schemas apply to the value itself: always, or under a condition. */
const always = ["allOf"];
const sometimes = ["anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/** Ajv forgets what `contains` has evaluated, and mistakes the number of items that a branch has evaluated. */
export function refuseUnevaluated(index: SubschemaIndex, { schema, path }: Subschema): Violation[] {
  if (!Object.hasOwn(schema, "unevaluatedItems")) return [];
  const all = inPlace(index, path, [...always, "$ref", ...sometimes]);
  const sure = new Set(inPlace(index, path, always));
  const known = new Set(inPlace(index, path, [...always, "$ref"]));
  const hasKeyword = (one: string, name: string) =>
    Object.hasOwn(index.subschemas.get(one)?.schema ?? {}, name);
  const isBranch = (one: string) =>
    (!known.has(one) && hasKeyword(one, "prefixItems")) ||
    (!sure.has(one) && (hasKeyword(one, "items") || hasKeyword(one, "unevaluatedItems")));
  const reasons = [
    all.some((one) => hasKeyword(one, "contains")) && "contains",
    all.some(isBranch) && "items in a branch",
  ];
  const reason = reasons.find((one) => one !== false);
  if (!reason) return [];
  const message = `is not enforced beside ${reason}`;
  return [{ path: `${path}/unevaluatedItems`, keyword: "unevaluatedItems", message }];
}

/** Lists a subschema and the subschemas that these keywords apply to the same value. */
function inPlace(
  index: SubschemaIndex,
  path: string,
  keywords: string[],
  found = new Set<string>(),
): string[] {
  found.add(path);
  const { subschemas, targets } = index;
  const { schema = {} } = subschemas.get(path) ?? {};
  const below = keywords.flatMap((keyword) => {
    if (keyword === "$ref") return targets.get(path) ?? [];
    const child = `${path}/${keyword}`;
    return subschemas.has(child)
      ? child
      : Object.keys(schema[keyword] ?? {}).map((name) => child + pointerTo(name));
  });
  for (const one of below) if (subschemas.has(one) && !found.has(one)) inPlace(index, one, keywords, found);
  return [...found];
}
