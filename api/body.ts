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

/** How deep a body may nest: canonical JSON and JSON Schema both recurse. */
const deepest = 64;

/**
 * Refuses bodies that are not JSON, and JSON that could not be stored, hashed or read the same by everybody:
 * NUL and lone surrogates, numbers that lose digits, nesting without end (RFC 7493, I-JSON).
 */
export const checkJsonBody: MiddlewareHandler = async (c, next) => {
  if (["POST", "PUT", "PATCH"].includes(c.req.method)) {
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
      const violation = findUnstorable(value, "", 0);
      if (violation)
        throw new ApiError("invalid_request", "The body has a value that cannot be kept.", [violation]);
    }
  }
  await next();
};

function findUnstorable(value: unknown, path: string, depth: number): Violation | null {
  if (typeof value === "string") return checkText(value, path);
  if (typeof value === "number") {
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return null;
    return { path, keyword: "number", message: "is beyond 2^53 and would lose digits; send it as a string" };
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth >= deepest) return { path, keyword: "depth", message: `nests deeper than ${deepest} levels` };
  for (const [key, member] of Object.entries(value)) {
    const violation = checkName(key, path) ?? findUnstorable(member, `${path}${pointerOf([key])}`, depth + 1);
    if (violation) return violation;
  }
  return null;
}

function checkName(name: string, path: string): Violation | null {
  if (name === "__proto__") return { path, keyword: "name", message: "has a member named __proto__" };
  return checkText(name, path);
}

function checkText(text: string, path: string): Violation | null {
  if (text.includes("\0")) return { path, keyword: "character", message: "holds the character U+0000" };
  if (!text.isWellFormed()) return { path, keyword: "character", message: "holds half of a surrogate pair" };
  return null;
}
