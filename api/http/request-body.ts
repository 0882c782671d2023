import { AsyncLocalStorage } from "node:async_hooks";
import { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { z } from "@hono/zod-openapi";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { JsonFault, readJson } from "../../protocol/json/parse.ts";
import { uploadsPath } from "../../protocol/settlement/vocabulary.ts";
import { findUnstorable, largestBody } from "../../trade/storable-json.ts";
import type { Variables } from "../variables.ts";
import { ApiError } from "./api-error.ts";

/** The most characters of a URL, and the most headers. Node refuses more than 16 KiB of both together. */
const longestUrl = 8192;
const mostHeaders = 100;

/** Whether a request of this method may have a body. Node's server passes no other body to Hono. */
export function hasBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** The declared length of the body, which Node's parser enforces; null if none is declared. */
export function declaredLength(c: HonoContext): number | null {
  const text = c.req.header("content-length");
  return text && /^\d+$/.test(text) && !c.req.header("transfer-encoding") ? Number(text) : null;
}

const uploads = new RegExp(`^${uploadsPath}(/[^/]+)?$`);

/** Whether the bodies of a path are bytes of files, which api/files/ reads as a stream. */
export function isUpload(path: string): boolean {
  return uploads.test(path);
}

/** The most bytes of a file that one request sends: a slow client sends them within Node's time for a request. */
const largestChunk = 64 * 1024 * 1024;

/**
 * Makes the app recognise the caller again if the body is not complete. During a slow upload, the caller may lose the key,
 * the session or the role.
 */
export const forgetCallerDuringUpload: MiddlewareHandler<{
  Variables: Variables;
  Bindings: Partial<HttpBindings>;
}> = (c, next) => {
  if (hasBody(c.req.method) && !c.env?.incoming?.complete) c.set("recognised", undefined);
  return next();
};

/**
 * Refuses a body over `largestBody`: at once by its declared length, otherwise when that many bytes have arrived.
 *
 * @param countUndeclared counts the bytes of a refused body without a declared length
 */
export function limitBodies(
  countUndeclared: (c: HonoContext, bytes: number) => Promise<void>,
): MiddlewareHandler {
  const refuseLarge = (): never => {
    throw new ApiError(
      "payload_too_large",
      `The request body has more than ${largestBody} bytes. Send a smaller body.`,
    );
  };
  const limitUndeclared = bodyLimit({
    maxSize: largestBody,
    onError: async (c) => {
      await countUndeclared(c, largestBody);
      return refuseLarge();
    },
  });
  return async (c, next) => {
    if (!hasBody(c.req.method)) return next();
    const length = declaredLength(c);
    if (isUpload(c.req.path)) {
      requireChunk(c, length);
      return next();
    }
    if (length === null) return limitUndeclared(c, next);
    if (length > largestBody) refuseLarge();
    await next();
  };
}

/** @throws ApiError `payload_too_large`; `invalid_request` for a body without a declared length */
function requireChunk(c: HonoContext, length: number | null): void {
  if (length !== null && length > largestChunk) {
    throw new ApiError(
      "payload_too_large",
      `A request sends at most ${largestChunk} bytes of a file. Send the file in several requests.`,
    );
  }
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  if (length === null && (c.req.header("transfer-encoding") || (!incoming && c.req.raw.body))) {
    throw new ApiError(
      "invalid_request",
      "Header Content-Length: state the number of bytes of this request.",
    );
  }
}

/** Refuses long URLs, too many headers, and U+0000 in a URL, which PostgreSQL cannot store. */
export const checkRequest: MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> = async (c, next) => {
  const { url } = c.req.raw;
  if (url.length > longestUrl) {
    throw new ApiError(
      "invalid_request",
      `The URL has more than ${longestUrl} characters. Send a shorter URL.`,
    );
  }
  // The raw headers alternate names and values. Without a network there are none.
  const came = c.env?.incoming?.rawHeaders;
  if ((came ? came.length / 2 : [...c.req.raw.headers].length) > mostHeaders) {
    throw new ApiError(
      "invalid_request",
      `The request has more than ${mostHeaders} headers. Send fewer headers.`,
    );
  }
  if (url.includes("%00"))
    throw new ApiError("invalid_request", "The URL contains the character U+0000. Remove it.");
  await next();
};

/**
 * Paths whose bodies are read elsewhere: forms (api/accounts/mail-pages.ts, api/oauth/), JSON-RPC messages (api/mcp/,
 * api/a2a/), and bytes of files (api/files/).
 */
const readElsewhere = /^\/(mail|oauth)\/|^\/mcp(\/account)?$|^\/a2a(\/[^/]+)?$/;

/** The body of the current request, as `readJson` parsed it. */
const parsedBodies = new AsyncLocalStorage<unknown>();

/** Applies a schema to the body that `readJson` parsed. Hono's own parse with `JSON.parse` is ignored. */
export function forParsedBody<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => parsedBodies.getStore() ?? value, schema);
}

/**
 * Reads a JSON body that can be stored, hashed and read alike by every program (I-JSON, RFC 7493). Refused are invalid
 * UTF-8, duplicate names, U+0000, lone surrogates, numbers that lose digits, and nesting that is too deep.
 *
 * @returns null for an empty body
 * @throws ApiError `unsupported_media_type`; `invalid_request`, with the place of the fault
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

/** Refuses bodies that are not JSON, and JSON that cannot be stored. */
export const checkJsonBody: MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> = async (c, next) => {
  if (
    ["POST", "PUT", "PATCH"].includes(c.req.method) &&
    !isUpload(c.req.path) &&
    !readElsewhere.test(c.req.path)
  ) {
    const body = await readJsonBody(c);
    if (body) {
      // The routes parse this header themselves, and know fewer spellings of its parameters than RFC 9110 allows.
      c.req.raw.headers.set("content-type", "application/json");
      return parsedBodies.run(body.value, next);
    }
    // Clients such as axios name the type of a form even if they send nothing.
    c.req.raw.headers.delete("content-type");
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
  throw new ApiError(
    "invalid_request",
    `The body has a value that cannot be stored, at ${violation.path || "its root"}: it ${violation.message}.`,
    [violation],
  );
}
const bodyIncomplete = () =>
  new ApiError("invalid_request", "The request ended before its body was complete. Send it again.");
/** The refusal of a request whose body broke off, if the error is of that kind; null for any other error. */
export function refuseBrokenBody(c: HonoContext, error: unknown): ApiError | null {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  return incoming instanceof IncomingMessage && incoming.errored === error ? bodyIncomplete() : null;
}
