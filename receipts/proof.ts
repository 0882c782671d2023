import { sha256 } from "@noble/hashes/sha2.js";
import canonicalize from "canonicalize";

const encoder = new TextEncoder();

/** The canonical bytes of a JSON value (JCS, RFC 8785). */
export function canonicalBytes(value: object): Uint8Array {
  return encoder.encode(canonicalText(value));
}

/** The canonical text of a JSON value (JCS, RFC 8785). */
export function canonicalText(value: object): string {
  // The engine writes strings and numbers as the standard has them, so all but the order of the members is its own.
  const sorted = sort(value);
  const quick = sorted === undefined ? undefined : JSON.stringify(sorted);
  // The standard refuses half a pair of surrogates, which the engine writes so.
  const text = quick === undefined || quick.includes("\\ud") ? canonicalize(value) : quick;
  if (text === undefined) throw new TypeError("The value has no JSON form.");
  return text;
}

/** Names that an object does not keep in the order in which they were added, or not as a member. */
const UNSORTABLE = /^(?:\d+|__proto__)$/;

/** The value with its members in order; undefined for what is no plain JSON, which the library has to judge. */
function sort(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object") return undefined;
  if (Array.isArray(value)) {
    const items = Array.from(value, sort);
    return items.includes(undefined) ? undefined : items;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value) return undefined;
  const members = value as Record<string, unknown>;
  const { sorted, isSorted } = orderOf(Object.keys(members));
  // What is in order needs no copy, down to the first member that does.
  let copy: Record<string, unknown> | undefined = isSorted ? undefined : {};
  for (const name of sorted ?? []) {
    const member = members[name];
    const inner = sort(member);
    if (inner === undefined) return undefined;
    if (inner !== member) copy ??= { ...members };
    if (copy) copy[name] = inner;
  }
  return sorted && (copy ?? value);
}

interface Order {
  names: string[];
  /** The same in order; undefined where an object would not keep it. */
  sorted: string[] | undefined;
  isSorted: boolean;
}

/** Names that came before, by their number and the first of them: documents of a kind have the same. */
const ordered: Map<string, Order>[] = [];
/** For each number of names. */
const ORDERED_KEPT = 20;
const NAMES_KEPT = 64;

/** Whether two lists of as many names are the same. */
function isSame(some: string[], others: string[]): boolean {
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false;
  return true;
}

/** Puts names in order. */
function orderOf(names: string[]): Order {
  const [first = ""] = names;
  const known = ordered[names.length]?.get(first);
  if (known && isSame(known.names, names)) return known;
  const sorted = names.some((name) => UNSORTABLE.test(name)) ? undefined : [...names].sort();
  const order = { names, sorted, isSorted: sorted?.every((name, i) => name === names[i]) ?? false };
  if (names.length <= NAMES_KEPT && names.every(({ length }) => length <= NAMES_KEPT)) {
    ordered[names.length] ??= new Map();
    const kept = ordered[names.length] as Map<string, Order>;
    if (kept.size >= ORDERED_KEPT) kept.clear();
    kept.set(first, order);
  }
  return order;
}

/**
 * The 64 bytes an eddsa-jcs-2022 proof signs: hash of the proof without its value, then hash of the document without
 * its proof. Source: https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022
 */
export function proofInput(document: object, proofOptions: object, hash = sha256OfText): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set(hash(canonicalText(proofOptions)), 0);
  bytes.set(hash(canonicalText(document)), 32);
  return bytes;
}

const sha256OfText = (text: string): Uint8Array => sha256(encoder.encode(text));
