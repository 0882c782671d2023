import { nameOfStep, pointerTo } from "../../../protocol/json/pointer.ts";
import { childrenOf, isObject, type JsonObject } from "./keywords.ts";
import { refusalsOf } from "./refusals.ts";
import type { Subschema, SubschemaIndex } from "./subschema.ts";

/** The index of subschemas, with the names that references use. */
type IndexState = SubschemaIndex & {
  /** by its URI, a schema with an `$id`, and the whole schema */
  resources: Map<string, { schema: unknown; path: string }>;
  /** by URI with fragment, the subschema of the schema with this anchor */
  anchors: Map<string, string>;
};

/** The base URI of a schema without an `$id`. */
const noBase = "schema:///";

/** Finds every subschema of a schema, resolves their references by URI, and lists their violations. */
export function indexSubschemas(root: JsonObject): SubschemaIndex {
  const index: IndexState = {
    root,
    subschemas: new Map(),
    targets: new Map(),
    hidden: [],
    violations: [],
    resources: new Map([[noBase, { schema: root, path: "" }]]),
    anchors: new Map(),
  };
  walk(index, root, "", noBase);
  // The loop also visits subschemas that a reference adds to the map.
  for (const subschema of index.subschemas.values()) follow(index, subschema);
  return index;
}

/** The value at a path that is known to be there. */
export function valueAt(root: unknown, path: string): unknown {
  return path
    .split("/")
    .slice(1)
    .reduce<unknown>((value, name) => (value as JsonObject)[nameOfStep(name)], root);
}

function walk(index: IndexState, schema: unknown, path: string, outer: string): void {
  const { subschemas, violations } = index;
  if (!isObject(schema) || subschemas.has(path)) return;
  const base = readId(index, schema, path, outer);
  subschemas.set(path, { schema, path, base });
  readAnchors(index, schema, path, base);
  violations.push(...refusalsOf(schema, path));
  for (const [at, child] of childrenOf(schema)) walk(index, child, path + at, base);
}

/** @returns the URI that references within the schema start from */
function readId(
  { root, resources, violations }: IndexState,
  { $id }: JsonObject,
  path: string,
  outer: string,
): string {
  if (typeof $id !== "string") return outer;
  const uri = resolve($id, outer);
  if (uri === null) {
    violations.push({ path: `${path}/$id`, keyword: "$id", message: "is no URI" });
    return outer;
  }
  const known = resources.get(uri.resource);
  if (known && known.path !== path) {
    violations.push({ path: `${path}/$id`, keyword: "$id", message: "is the id of two schemas" });
  }
  resources.set(uri.resource, { schema: valueAt(root, path), path });
  return uri.resource;
}

function readAnchors(
  { anchors, violations }: IndexState,
  schema: JsonObject,
  path: string,
  base: string,
): void {
  for (const keyword of ["$anchor", "$dynamicAnchor"]) {
    const name = schema[keyword];
    if (typeof name !== "string") continue;
    const uri = `${base}#${name}`;
    if ((anchors.get(uri) ?? path) !== path) {
      violations.push({ path: path + pointerTo(keyword), keyword, message: "names two schemas" });
    }
    anchors.set(uri, path);
  }
}

function follow(index: IndexState, { schema: { $ref }, path, base }: Subschema): void {
  if (typeof $ref !== "string") return;
  const target = find(index, $ref, base);
  if (target !== null) index.targets.set(path, target);
  else {
    const message = "refers to nothing in this schema; references to elsewhere are not followed";
    index.violations.push({ path: `${path}/$ref`, keyword: "$ref", message });
  }
}

/** Finds the path of the subschema that a reference leads to; null if there is none. */
function find(index: IndexState, $ref: string, base: string): string | null {
  const { resources, anchors } = index;
  const uri = resolve($ref, base);
  const resource = uri && resources.get(uri.resource);
  if (!uri || !resource) return null;
  if (uri.fragment === "") return resource.path;
  if (!uri.fragment.startsWith("/")) return anchors.get(`${uri.resource}#${uri.fragment}`) ?? null;
  return findByPointer(index, resource, uri);
}

/** Finds the subschema at a pointer into a resource. A reference also makes a value elsewhere a subschema. */
function findByPointer(
  index: IndexState,
  resource: { schema: unknown; path: string },
  uri: { resource: string; fragment: string },
): string | null {
  const { subschemas, hidden } = index;
  let [value, path, nearest] = [resource.schema, resource.path, uri.resource];
  for (const written of uri.fragment.split("/").slice(1)) {
    nearest = subschemas.get(path)?.base ?? nearest;
    const name = nameOfStep(written);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as JsonObject)[name];
    path += pointerTo(name);
  }
  if (typeof value === "boolean") return path;
  if (!isObject(value)) return null;
  if (!subschemas.has(path)) {
    hidden.push({ schema: value, path });
    walk(index, value, path, nearest);
  }
  return path;
}

/** Resolves a reference to the URI of a resource and a fragment; null if it is no URI. */
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
