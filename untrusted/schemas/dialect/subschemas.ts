import { nameOfStep, pointerTo } from "../../../protocol/json/pointer.ts";
import { childrenOf, isObject, type JsonObject } from "./keywords.ts";
import { refusalsOf } from "./refusals.ts";
import type { Place, Places } from "./subschema.ts";

/** Places, and the names that references call them by. */
type Reading = Places & {
  /** by its URI, a schema with an `$id`, and the whole schema */
  resources: Map<string, { schema: unknown; path: string }>;
  /** by URI with fragment, the place of the schema with this anchor */
  anchors: Map<string, string>;
};

/** Stands for the URI of a schema that has no `$id`. */
const noBase = "schema:///";

/** Finds every schema within a schema, follows the references among them by URI, and refuses what no place may have. */
export function readPlaces(root: JsonObject): Places {
  const reading: Reading = {
    root,
    places: new Map(),
    targets: new Map(),
    hidden: [],
    violations: [],
    resources: new Map([[noBase, { schema: root, path: "" }]]),
    anchors: new Map(),
  };
  walk(reading, root, "", noBase);
  // A reference may lead to a place with references of its own, which are added behind.
  for (const place of reading.places.values()) follow(reading, place);
  return reading;
}

/** The value at a path that is known to be there. */
export function valueAt(root: unknown, path: string): unknown {
  return path
    .split("/")
    .slice(1)
    .reduce<unknown>((value, name) => (value as JsonObject)[nameOfStep(name)], root);
}

function walk(reading: Reading, schema: unknown, path: string, outer: string): void {
  const { places, violations } = reading;
  if (!isObject(schema) || places.has(path)) return;
  const base = readId(reading, schema, path, outer);
  places.set(path, { schema, path, base });
  readAnchors(reading, schema, path, base);
  violations.push(...refusalsOf(schema, path));
  for (const [at, child] of childrenOf(schema)) walk(reading, child, path + at, base);
}

/** @returns the URI that references within the schema start from */
function readId(
  { root, resources, violations }: Reading,
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

function readAnchors({ anchors, violations }: Reading, schema: JsonObject, path: string, base: string): void {
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

function follow(reading: Reading, { schema: { $ref }, path, base }: Place): void {
  if (typeof $ref !== "string") return;
  const target = find(reading, $ref, base);
  if (target !== null) reading.targets.set(path, target);
  else {
    const message = "refers to nothing in this schema; references to elsewhere are not followed";
    reading.violations.push({ path: `${path}/$ref`, keyword: "$ref", message });
  }
}

/** The place that a reference leads to; null for none. */
function find(reading: Reading, $ref: string, base: string): string | null {
  const { resources, anchors } = reading;
  const uri = resolve($ref, base);
  const resource = uri && resources.get(uri.resource);
  if (!uri || !resource) return null;
  if (uri.fragment === "") return resource.path;
  if (!uri.fragment.startsWith("/")) return anchors.get(`${uri.resource}#${uri.fragment}`) ?? null;
  return findByPointer(reading, resource, uri);
}

/** The place at a pointer into a resource; one where JSON Schema has no schema becomes a place by the reference. */
function findByPointer(
  reading: Reading,
  resource: { schema: unknown; path: string },
  uri: { resource: string; fragment: string },
): string | null {
  const { places, hidden } = reading;
  let [value, path, nearest] = [resource.schema, resource.path, uri.resource];
  for (const written of uri.fragment.split("/").slice(1)) {
    nearest = places.get(path)?.base ?? nearest;
    const name = nameOfStep(written);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as JsonObject)[name];
    path += pointerTo(name);
  }
  if (typeof value === "boolean") return path;
  if (!isObject(value)) return null;
  if (!places.has(path)) {
    hidden.push({ schema: value, path });
    walk(reading, value, path, nearest);
  }
  return path;
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
