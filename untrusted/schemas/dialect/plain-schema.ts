import { pointerTo } from "../../../protocol/json/pointer.ts";
import {
  assertionKeywords,
  isObject,
  isTracking,
  type JsonObject,
  schemaKeywords,
  schemaListKeywords,
  schemaMapKeywords,
} from "./keywords.ts";
import type { Subschema, SubschemaIndex } from "./subschema.ts";
import { valueAt } from "./subschema-index.ts";

/** The state of one writing of a schema for Ajv. */
type Writing = {
  index: SubschemaIndex;
  /** tells whether a format is enforced */
  isEnforced: (format: string) => boolean;
  /** whether any subschema depends on what the other keywords have evaluated */
  isTracked: boolean;
  /** the name in `$defs` of each subschema that something refers to; the whole schema has none */
  names: Map<string, string>;
  /** schemas written here that are not in the original schema */
  added: unknown[];
};

/**
 * A schema with only the keywords that are enforced, and with each reference as a JSON pointer into `$defs`. So Ajv never
 * sees the keywords of older drafts and its own (`$async`, `nullable`, `id`, `dependencies`).
 */
export function writePlain(index: SubschemaIndex, isEnforced: (format: string) => boolean): JsonObject {
  const all = [...index.subschemas.values()];
  const isTracked = all.some(({ schema }) => isTracking(schema));
  const referred = new Set([
    ...index.targets.values(),
    ...all.flatMap((subschema) => ownFunctions(subschema, isTracked)),
  ]);
  const names = new Map([...referred].map((path, at) => [path, path && `/$defs/${at}`]));
  const writing: Writing = { index, isEnforced, isTracked, names, added: [] };
  const plain = write(writing, "") as JsonObject;
  const referredTo = [...names]
    .filter(([path]) => path)
    .map(([path, name]) => [name.slice("/$defs/".length), write(writing, path)]);
  const $defs = Object.fromEntries([...referredTo, ...writing.added.map((one, at) => [`added${at}`, one])]);
  if (Object.keys($defs).length > 0) plain.$defs = $defs;
  return plain;
}

/**
 * Lists the subschemas at and below a schema that Ajv must run as functions of their own. Only the end of a function discards
 * results of a failed branch, or of another item of a list.
 */
function ownFunctions({ schema, path }: Subschema, isTracked: boolean): string[] {
  const conditions = Object.hasOwn(schema, "if") ? [`${path}/if`] : [];
  const found = [...(Object.hasOwn(schema, "contains") ? [path] : []), ...conditions];
  if (!isTracked) return found;
  const branches = ["anyOf", "oneOf", "dependentSchemas"].flatMap((keyword) =>
    Object.keys(schema[keyword] ?? {}).map((name) => `${path}/${keyword}${pointerTo(name)}`),
  );
  return [...found, ...branches, ...(isTracking(schema) ? [path] : [])];
}

/** Writes a subschema with its enforced keywords only. */
function write(writing: Writing, path: string): unknown {
  const subschema = writing.index.subschemas.get(path);
  if (!subschema) return valueAt(writing.index.root, path);
  const enforced = Object.entries(subschema.schema).flatMap(([keyword, value]) =>
    writeKeyword(writing, path, keyword, value),
  );
  return respell(writing, Object.fromEntries(enforced), path);
}

/** Writes a keyword and its value for Ajv; nothing for an annotation. */
function writeKeyword(
  writing: Writing,
  path: string,
  keyword: string,
  value: unknown,
): [keyword: string, value: unknown][] {
  const { index, names, isEnforced } = writing;
  const below = `${path}${pointerTo(keyword)}`;
  if (assertionKeywords.has(keyword)) return [[keyword, value]];
  if (keyword === "format") return typeof value === "string" && isEnforced(value) ? [[keyword, value]] : [];
  if (keyword === "$ref") return [[keyword, `#${names.get(index.targets.get(path) ?? "") ?? ""}`]];
  if (schemaKeywords.has(keyword)) return [[keyword, writeOrRefer(writing, below)]];
  if (schemaListKeywords.has(keyword) && Array.isArray(value)) {
    return [[keyword, value.map((_, index) => writeOrRefer(writing, `${below}/${index}`))]];
  }
  if (schemaMapKeywords.has(keyword) && isObject(value)) {
    const members = Object.keys(value).map((name) => [name, writeOrRefer(writing, below + pointerTo(name))]);
    return [[keyword, Object.fromEntries(members)]];
  }
  return [];
}

/** Rewrites combinations of keywords that Ajv enforces wrongly. A keyword in `allOf` applies as before. */
function respell(writing: Writing, written: JsonObject, path: string): JsonObject {
  const { if: condition, then = true, else: otherwise = true, ...rest } = written;
  const parts: unknown[] = [];
  let spelled = written;
  // Ajv counts what a failed condition has evaluated, and drops what a condition without `then` has evaluated.
  if (writing.isTracked && condition !== undefined) {
    const holds = { $ref: `#${writing.names.get(`${path}/if`)}` };
    const branches = [{ allOf: [holds, then] }, { allOf: [{ not: holds }, otherwise] }];
    parts.push({ anyOf: branches.map((branch) => asFunction(writing, branch)) });
    spelled = rest;
  }
  // Ajv throws where a branch around or beside `patternProperties` has evaluated nothing.
  if (spelled.patternProperties !== undefined) {
    const { properties, patternProperties, additionalProperties, ...others } = spelled;
    const group = Object.entries({ properties, patternProperties, additionalProperties });
    const present = group.filter(([, value]) => value !== undefined);
    parts.push(asFunction(writing, Object.fromEntries(present)));
    spelled = others;
  }
  if (parts.length === 0) return spelled;
  return { ...spelled, allOf: [...((spelled.allOf as unknown[]) ?? []), ...parts] };
}

function asFunction({ added }: Writing, schema: unknown): JsonObject {
  return { $ref: `#/$defs/added${added.push(schema) - 1}` };
}

function writeOrRefer(writing: Writing, path: string): unknown {
  const name = writing.names.get(path);
  return name === undefined ? write(writing, path) : { $ref: `#${name}` };
}
