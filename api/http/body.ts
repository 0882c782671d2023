import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import { findUnstorable } from "../../trade/storable.ts";
import { ApiError } from "./errors.ts";

/** The longest URL, in characters, and the most headers. Node itself refuses more than 16 KiB of both together. */
const longestUrl = 8192;
const mostHeaders = 100;

/** Whether a request of this method may have a body: Node's server gives none of the others to Hono. */
export function hasBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Refuses long URLs, many headers, and NUL in paths and queries: PostgreSQL holds no such text. */
export const checkRequest: MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> = async (c, next) => {
  const { url } = c.req.raw;
  if (url.length > longestUrl) {
    throw new ApiError("invalid_request", `The URL is over ${longestUrl} characters.`);
  }
  // As they came over the network, names and values in turn, where there is one.
  const came = c.env?.incoming?.rawHeaders;
  if ((came ? came.length / 2 : [...c.req.raw.headers].length) > mostHeaders) {
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
