import { pointerTo } from "../protocol/json/pointer.ts";
import type { Violation } from "../untrusted/schemas/payloads.ts";

/** The size limit of a request's body and of an endpoint's response, in bytes. */
export const largestBody = 256 * 1024;

/** The deepest nesting of a value: canonical JSON and JSON Schema recurse. */
const deepest = 64;

/**
 * Finds a reason for which programs may store, hash or read a JSON value differently (RFC 7493, I-JSON); null without
 * one. The path is built only for a violation, because a value may have 100,000 members.
 */
export function findUnstorable(value: unknown, depth = 0): Violation | null {
  if (typeof value === "string") return checkText(value);
  if (typeof value === "number") {
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return null;
    const message = "is beyond 2^53 and would lose digits; send it as a string";
    return { path: "", keyword: "number", message };
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth >= deepest) return { path: "", keyword: "depth", message: `nests deeper than ${deepest} levels` };
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const violation = findUnstorable(value[at], depth + 1);
      if (violation) return below(at, violation);
    }
    return null;
  }
  for (const name in value) {
    const wrongName = checkName(name);
    if (wrongName) return wrongName;
    const violation = findUnstorable((value as Record<string, unknown>)[name], depth + 1);
    if (violation) return below(name, violation);
  }
  return null;
}

function below(name: string | number, violation: Violation): Violation {
  return { ...violation, path: pointerTo(name) + violation.path };
}

function checkName(name: string): Violation | null {
  if (name === "__proto__") return { path: "", keyword: "name", message: "has a member named __proto__" };
  return checkText(name);
}

function checkText(text: string): Violation | null {
  if (text.includes("\0")) return { path: "", keyword: "character", message: "holds the character U+0000" };
  if (!text.isWellFormed()) {
    return { path: "", keyword: "character", message: "holds half of a surrogate pair" };
  }
  return null;
}
