import type { MiddlewareHandler } from "hono";
import { findUnstorable } from "../../trade/storable.ts";
import { ApiError } from "./errors.ts";

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
      const violation = findUnstorable(value);
      if (violation)
        throw new ApiError("invalid_request", "The body has a value that cannot be kept.", [violation]);
    }
  }
  await next();
};
