import type { MiddlewareHandler } from "hono";
import { ApiError, pointerOf, type Violation } from "./errors.ts";

/** The longest URL, in characters, and the most headers. Node itself refuses more than 16 KiB of both together. */
const longestUrl = 8192;
const mostHeaders = 100;

/** Refuses long URLs, many headers, and NUL in paths and queries: PostgreSQL holds no such text. */
export const checkRequest: MiddlewareHandler = async (c, next) => {
  const { url, headers } = c.req.raw;
  if (url.length > longestUrl) {
    throw new ApiError("invalid_request", `The URL is over ${longestUrl} characters.`);
  }
  if ([...headers].length > mostHeaders) {
    throw new ApiError("invalid_request", `The request has over ${mostHeaders} headers.`);
  }
  if (url.includes("%00")) throw new ApiError("invalid_request", "The URL holds the character U+0000.");
  await next();
};

/** The largest request body, in bytes. */
export const largestBody = 256 * 1024;

/** How deep a body may nest: canonical JSON and JSON Schema both recurse. */
const deepest = 64;

/** Where pages and mail programs send forms, of which nothing is read (api/accounts/mail-pages.ts). */
const forms = /^\/mail\//;

/**
 * Refuses bodies that are not JSON, and JSON that could not be stored, hashed or read the same by everybody:
 * NUL and lone surrogates, numbers that lose digits, nesting without end (RFC 7493, I-JSON).
 */
export const checkJsonBody: MiddlewareHandler = async (c, next) => {
  if (["POST", "PUT", "PATCH"].includes(c.req.method) && !forms.test(c.req.path)) {
    const text = await c.req.text();
    if (text !== "") {
      const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
      if (type !== "application/json") {
        throw new ApiError("unsupported_media_type", "Send the body as `Content-Type: application/json`.");
      }
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (cause) {
        throw new ApiError("invalid_request", `The body is not JSON: ${(cause as Error).message}`);
      }
      const violation = findUnstorable(value, 0);
      if (violation)
        throw new ApiError("invalid_request", "The body has a value that cannot be kept.", [violation]);
    }
  }
  await next();
};

/** The path is put together on the way back from a violation: most bodies have none, and some have 100,000 members. */
function findUnstorable(value: unknown, depth: number): Violation | null {
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

function below(name: PropertyKey, violation: Violation): Violation {
  return { ...violation, path: pointerOf([name]) + violation.path };
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
