import { nameOfStep, pointerTo } from "../json/pointer.ts";
import { compilePattern, PatternError } from "./patterns.ts";
import { isObject } from "./quick.ts";

/** One thing that is wrong: where (a JSON pointer), which rule, and what to do. */
export type Violation = { path: string; keyword: string; message: string };

type JsonObject = Record<string, unknown>;

export const dialect = "https://json-schema.org/draft/2020-12/schema";

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = new Set([
  "not",
  "if",
  "then",
  "else",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "items",
  "contains",
  "unevaluatedItems",
]);
const listed = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const named = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Keywords whose schemas apply to nothing unless a reference leads to them. */
const definitions = new Set(["$defs", "definitions"]);

/** Keywords that say something of a value by themselves. */
const assertions = new Set([
  "type",
  "enum",
  "const",
  "multipleOf",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxContains",
  "minContains",
  "maxProperties",
  "minProperties",
  "required",
  "dependentRequired",
]);

/** A schema within the schema: where it stands, and the URI that its references start from. */
type Place = { schema: JsonObject; path: string; base: string };

/** A schema with only the keywords that are enforced, and with each reference as a JSON pointer. */
export type Plain = {
  schema: JsonObject;
  violations: Violation[];
  /** schemas that stand where JSON Schema has none, and that a reference leads to */
  hidden: { schema: unknown; path: string }[];
};

/** Keywords whose schemas apply to the value itself: whatever it is, or only to some. */
const always = ["allOf"];
const sometimes = ["anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/** Stands for the URI of a schema that has no `$id`. */
const noBase = "schema:///";

/**
 * Reads a schema by JSON Schema 2020-12 alone. What the standard takes for a note is left out, so that Ajv never sees the
 * keywords of older drafts and its own (`$async`, `nullable`, `id`, `dependencies`). References are followed here, by URI.
 * What Ajv enforces otherwise than the standard is a violation.
 *
 * @param isEnforced whether a format is
 */
export function readDialect(root: JsonObject, isEnforced: (format: string) => boolean): Plain {
  const violations: Violation[] = [];
  const places = new Map<string, Place>();
  const resources = new Map<string, { schema: unknown; path: string }>();
  const anchors = new Map<string, string>();
  /** by the place of the reference, the place that it leads to */
  const targets = new Map<string, string>();
  const hidden: Plain["hidden"] = [];

  resources.set(noBase, { schema: root, path: "" });
  walk(root, "", noBase);
  // A reference may lead to a place with references of its own, which are added behind.
  for (const place of places.values()) follow(place);
  const isTracked = [...places.values()].some(({ schema }) =>
    ["unevaluatedItems", "unevaluatedProperties"].some((keyword) => Object.hasOwn(schema, keyword)),
  );
  const referred = new Set([
    ...targets.values(),
    ...[...places.values()].flatMap((place) => ownFunctions(place, isTracked)),
  ]);
  /** the name of each place that something refers to */
  const names = new Map([...referred].map((path, at) => [path, path && `/$defs/${at}`]));
  for (const place of places.values()) refuseUnevaluated(place);
  /** schemas that no place has as they are */
  const added: unknown[] = [];
  const plain = write("") as JsonObject;
  const referredTo = [...names]
    .filter(([path]) => path)
    .map(([path, name]) => [name.slice("/$defs/".length), write(path)]);
  const $defs = Object.fromEntries([...referredTo, ...added.map((one, at) => [`added${at}`, one])]);
  if (Object.keys($defs).length > 0) plain.$defs = $defs;
  return { schema: plain, violations, hidden };

  function refuse(path: string, keyword: string, message: string): void {
    violations.push({ path, keyword, message });
  }

  function walk(schema: unknown, path: string, outer: string): void {
    if (!isObject(schema) || places.has(path)) return;
    const base = readId(schema, path, outer);
    places.set(path, { schema, path, base });
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const name = schema[keyword];
      if (typeof name !== "string") continue;
      const uri = `${base}#${name}`;
      if ((anchors.get(uri) ?? path) !== path)
        refuse(path + pointerTo(keyword), keyword, "names two schemas");
      anchors.set(uri, path);
    }
    if (Object.hasOwn(schema, "$dynamicRef")) {
      refuse(`${path}/$dynamicRef`, "$dynamicRef", "is not enforced here; use $ref");
    }
    if (path !== "" && Object.hasOwn(schema, "$schema") && schema.$schema !== dialect) {
      refuse(`${path}/$schema`, "$schema", `must be ${dialect}, or left out`);
    }
    if (isObject(schema.properties) && Object.hasOwn(schema.properties, "__proto__")) {
      refuse(`${path}/properties/__proto__`, "properties", "is the name of no property here");
    }
    if (Array.isArray(schema.enum) && schema.enum.length === 0) {
      refuse(`${path}/enum`, "enum", "must have a choice");
    }
    checkPattern(schema.pattern, `${path}/pattern`);
    if (isObject(schema.patternProperties)) {
      for (const name of Object.keys(schema.patternProperties)) {
        checkPattern(name, `${path}/patternProperties${pointerTo(name)}`);
      }
    }
    for (const [at, child] of childrenOf(schema)) walk(child, path + at, base);
  }

  function readId({ $id }: JsonObject, path: string, outer: string): string {
    if (typeof $id !== "string") return outer;
    const uri = resolve($id, outer);
    if (uri === null) {
      refuse(`${path}/$id`, "$id", "is no URI");
      return outer;
    }
    const known = resources.get(uri.resource);
    if (known && known.path !== path) refuse(`${path}/$id`, "$id", "is the id of two schemas");
    resources.set(uri.resource, { schema: path === "" ? root : at(root, path), path });
    return uri.resource;
  }

  function checkPattern(pattern: unknown, path: string): void {
    if (typeof pattern !== "string") return;
    try {
      compilePattern(pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      refuse(path, "pattern", `is ${error.message}`);
    }
  }

  function follow({ schema: { $ref }, path, base }: Place): void {
    if (typeof $ref !== "string") return;
    const target = find($ref, base);
    if (target !== null) targets.set(path, target);
    else {
      const message = "refers to nothing in this schema; references to elsewhere are not followed";
      refuse(`${path}/$ref`, "$ref", message);
    }
  }

  /** The place that a reference leads to; null for none. */
  function find($ref: string, base: string): string | null {
    const uri = resolve($ref, base);
    const resource = uri && resources.get(uri.resource);
    if (!uri || !resource) return null;
    if (uri.fragment === "") return resource.path;
    if (!uri.fragment.startsWith("/")) return anchors.get(`${uri.resource}#${uri.fragment}`) ?? null;
    let [value, path, nearest] = [resource.schema, resource.path, uri.resource];
    for (const written of uri.fragment.split("/").slice(1)) {
      nearest = places.get(path)?.base ?? nearest;
      const name = nameOfStep(written);
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
      value = (value as JsonObject)[name];
      path += pointerTo(name);
    }
    if (typeof value !== "boolean" && !isObject(value)) return null;
    if (typeof value !== "boolean" && !places.has(path)) {
      hidden.push({ schema: value, path });
      walk(value, path, nearest);
    }
    return path;
  }

  /** Ajv forgets what `contains` has evaluated, and mistakes the number of items that a branch has evaluated. */
  function refuseUnevaluated({ schema, path }: Place): void {
    if (!Object.hasOwn(schema, "unevaluatedItems")) return;
    const all = inPlace(path, [...always, "$ref", ...sometimes]);
    const [sure, known] = [always, [...always, "$ref"]].map((keywords) => new Set(inPlace(path, keywords)));
    const has = (one: string, name: string) => Object.hasOwn(places.get(one)?.schema ?? {}, name);
    const isBranch = (one: string) =>
      (!known?.has(one) && has(one, "prefixItems")) ||
      (!sure?.has(one) && (has(one, "items") || has(one, "unevaluatedItems")));
    const reasons = [
      all.some((one) => has(one, "contains")) && "contains",
      all.some(isBranch) && "items in a branch",
    ];
    const reason = reasons.find((one) => one !== false);
    if (!reason) return;
    refuse(`${path}/unevaluatedItems`, "unevaluatedItems", `is not enforced beside ${reason}`);
  }

  /** A place, and all that applies by these keywords to the same value as it does. */
  function inPlace(path: string, keywords: string[], found = new Set<string>()): string[] {
    found.add(path);
    const { schema = {} } = places.get(path) ?? {};
    const below = keywords.flatMap((keyword) => {
      if (keyword === "$ref") return targets.get(path) ?? [];
      const child = `${path}/${keyword}`;
      return places.has(child)
        ? child
        : Object.keys(schema[keyword] ?? {}).map((name) => child + pointerTo(name));
    });
    for (const one of below) if (places.has(one) && !found.has(one)) inPlace(one, keywords, found);
    return [...found];
  }

  /** A schema with only what is enforced. One that something refers to stands in `$defs`, and is referred to here too. */
  function write(path: string): unknown {
    const place = places.get(path);
    if (!place) return at(root, path);
    const enforced = Object.entries(place.schema).flatMap(([keyword, value]): [string, unknown][] => {
      const below = `${path}${pointerTo(keyword)}`;
      if (assertions.has(keyword)) return [[keyword, value]];
      if (keyword === "format")
        return typeof value === "string" && isEnforced(value) ? [[keyword, value]] : [];
      if (keyword === "$ref") return [[keyword, `#${names.get(targets.get(path) ?? "") ?? ""}`]];
      if (single.has(keyword)) return [[keyword, writeOrRefer(below)]];
      if (listed.has(keyword) && Array.isArray(value)) {
        return [[keyword, value.map((_, index) => writeOrRefer(`${below}/${index}`))]];
      }
      if (named.has(keyword) && isObject(value)) {
        const members = Object.keys(value).map((name) => [name, writeOrRefer(below + pointerTo(name))]);
        return [[keyword, Object.fromEntries(members)]];
      }
      return [];
    });
    return respell(Object.fromEntries(enforced), path);
  }

  /** The same in keywords that Ajv enforces right together: what moves to `allOf` applies as it did. */
  function respell(written: JsonObject, path: string): JsonObject {
    const { if: condition, then = true, else: otherwise = true, ...rest } = written;
    const parts: unknown[] = [];
    let spelled = written;
    // Ajv keeps what a condition has evaluated though it does not hold, and forgets it where there is no `then`.
    if (isTracked && condition !== undefined) {
      const holds = { $ref: `#${names.get(`${path}/if`)}` };
      const branches = [{ allOf: [holds, then] }, { allOf: [{ not: holds }, otherwise] }];
      parts.push({ anyOf: branches.map(asFunction) });
      spelled = rest;
    }
    // Ajv throws where a branch around or beside `patternProperties` has evaluated nothing.
    if (spelled.patternProperties !== undefined) {
      const { properties, patternProperties, additionalProperties, ...others } = spelled;
      const group = Object.entries({ properties, patternProperties, additionalProperties });
      parts.push(asFunction(Object.fromEntries(group.filter(([, value]) => value !== undefined))));
      spelled = others;
    }
    if (parts.length === 0) return spelled;
    return { ...spelled, allOf: [...((spelled.allOf as unknown[]) ?? []), ...parts] };
  }

  function asFunction(schema: unknown): JsonObject {
    return { $ref: `#/$defs/added${added.push(schema) - 1}` };
  }

  function writeOrRefer(path: string): unknown {
    const name = names.get(path);
    return name === undefined ? write(path) : { $ref: `#${name}` };
  }
}

/**
 * The places at and below a schema that Ajv has to run as functions of their own: what it found in a branch that does not
 * hold, or in another item of a list, is forgotten with the function alone.
 */
function ownFunctions({ schema, path }: Place, isTracked: boolean): string[] {
  const conditions = Object.hasOwn(schema, "if") ? [`${path}/if`] : [];
  const found = [...(Object.hasOwn(schema, "contains") ? [path] : []), ...conditions];
  if (!isTracked) return found;
  const branches = ["anyOf", "oneOf", "dependentSchemas"].flatMap((keyword) =>
    Object.keys(schema[keyword] ?? {}).map((name) => `${path}/${keyword}${pointerTo(name)}`),
  );
  const isTracking = ["unevaluatedItems", "unevaluatedProperties"].some((name) =>
    Object.hasOwn(schema, name),
  );
  return [...found, ...branches, ...(isTracking ? [path] : [])];
}

/** The schemas right below one, by the end of their path. */
function childrenOf(schema: JsonObject): [path: string, child: unknown][] {
  return Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    const isList = listed.has(keyword) && Array.isArray(value);
    const isMap = (named.has(keyword) || definitions.has(keyword)) && isObject(value);
    if (isList || isMap) {
      return Object.entries(value as object).map(([name, one]) => [`/${keyword}${pointerTo(name)}`, one]);
    }
    return single.has(keyword) || keyword === "contentSchema" ? [[`/${keyword}`, value]] : [];
  });
}

function at(root: unknown, path: string): unknown {
  return path
    .split("/")
    .slice(1)
    .reduce<unknown>((value, name) => (value as JsonObject)[nameOfStep(name)], root);
}

/** A reference as the URI of a schema with an `$id`, and the place within; null where it is none. */
function resolve(reference: string, base: string): { resource: string; fragment: string } | null {
  try {
    const uri = new URL(reference, base);
    const fragment = decodeURIComponent(uri.hash.slice(1));
    uri.hash = "";
    return { resource: uri.href, fragment };
  } catch {
    return null;
  }
}
