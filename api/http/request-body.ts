import { AsyncLocalStorage } from "node:async_hooks";
import { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { z } from "@hono/zod-openapi";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { JsonFault, readJson } from "../../protocol/json/parse.ts";
import { findUnstorable, largestBody } from "../../trade/storable-json.ts";
import type { Variables } from "../variables.ts";
import { ApiError } from "./api-error.ts";

/** The longest URL, in characters, and the most headers. Node itself refuses more than 16 KiB of both together. */
const longestUrl = 8192;
const mostHeaders = 100;

/** Whether a request of this method may have a body: Node's server gives none of the others to Hono. */
export function hasBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** The length of the body as its sender tells it, to which Node's parser holds them; null where it is not told. */
export function toldLength(c: HonoContext): number | null {
  const text = c.req.header("content-length");
  return text && /^\d+$/.test(text) && !c.req.header("transfer-encoding") ? Number(text) : null;
}

/**
 * Has a caller recognised anew where the body has not come yet: whoever sends it slowly may lose their key, their session or
 * their role meanwhile.
 */
export const forgetEarlyCaller: MiddlewareHandler<{
  Variables: Variables;
  Bindings: Partial<HttpBindings>;
}> = (c, next) => {
  if (hasBody(c.req.method) && !c.env?.incoming?.complete) c.set("recognised", undefined);
  return next();
};

/**
 * Refuses a body over `largestBody`: before it is read where its length is told, else as soon as so much has come.
 *
 * @param countUntold is told of one that was read so far
 */
export function limitBodies(
  countUntold: (c: HonoContext, bytes: number) => Promise<void>,
): MiddlewareHandler {
  const refuseLarge = (): never => {
    throw new ApiError("payload_too_large", `The request body is over ${largestBody} bytes.`);
  };
  const limitUntold = bodyLimit({
    maxSize: largestBody,
    onError: async (c) => {
      await countUntold(c, largestBody);
      return refuseLarge();
    },
  });
  return async (c, next) => {
    if (!hasBody(c.req.method)) return next();
    const length = toldLength(c);
    if (length === null) return limitUntold(c, next);
    if (length > largestBody) refuseLarge();
    await next();
  };
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

/** Forms, of which nothing is read (api/accounts/mail-pages.ts), and messages that are refused as JSON-RPC has it (api/mcp/). */
const readElsewhere = /^\/mail\/|^\/mcp$/;

/** The body of the request that is answered, as `readJson` read it. */
const readBodies = new AsyncLocalStorage<unknown>();

/** A schema of the body as `readJson` read it: Hono reads the text again, by the engine's own `JSON.parse`. */
export function ofReadBody<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => readBodies.getStore() ?? value, schema);
}

/**
 * Reads a body of JSON that can be stored, hashed and read the same by everybody. It refuses bytes that are not UTF-8, doubled
 * names, NUL and lone surrogates, numbers that lose digits, nesting without end (RFC 7493, I-JSON).
 *
 * @returns null for an empty body
 * @throws ApiError `unsupported_media_type`; `invalid_request`, with the place of what cannot be kept
 */
export async function readJsonBody(c: HonoContext): Promise<{ value: unknown } | null> {
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.length === 0) return null;
  const type = c.req.header("content-type");
  if (type?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new ApiError("unsupported_media_type", "Send the body as `Content-Type: application/json`.");
  }
  return { value: parseBody(bytes) };
}

/** Refuses bodies that are not JSON, and JSON that cannot be kept. */
export const checkJsonBody: MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> = async (c, next) => {
  if (["POST", "PUT", "PATCH"].includes(c.req.method) && !readElsewhere.test(c.req.path)) {
    const body = await readJsonBody(c);
    if (body) {
      // The routes' own look at the header knows fewer of the spellings that RFC 9110 has for its parameters.
      c.req.raw.headers.set("content-type", "application/json");
      return readBodies.run(body.value, next);
    }
  }
  await next();
};

function parseBody(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = readJson(bytes);
  } catch (cause) {
    if (!(cause instanceof JsonFault)) {
      throw new ApiError("invalid_request", `The body is not JSON: ${(cause as Error).message}`);
    }
    const { path, keyword, message } = cause;
    throw new ApiError(
      "invalid_request",
      `The body is not I-JSON (RFC 7493): ${path || "the text"} ${message}.`,
      [{ path, keyword, message }],
    );
  }
  const violation = findUnstorable(value);
  if (!violation) return value;
  throw new ApiError("invalid_request", "The body has a value that cannot be kept.", [violation]);
}

const endedEarly = () => new ApiError("invalid_request", "The request ended before its body did.");

/** The refusal of a request whose body broke off, where this error is of that; null for any other error. */
export function refuseBroken(c: HonoContext, error: unknown): ApiError | null {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  return incoming instanceof IncomingMessage && incoming.errored === error ? endedEarly() : null;
}
