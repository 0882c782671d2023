import type { DIDResolutionResult, ResolverRegistry } from "did-resolver";
import * as z from "zod";
import { locateIssuer } from "./issuer.ts";
import { parseJson } from "./json.ts";

export interface FetchLimits {
  fetch?: typeof fetch;
  /** The time limit of a response; 5 seconds by default. */
  timeoutMs?: number;
  /** The size limit of the body; 64 kB by default. */
  maxBytes?: number;
}

/** A cache of results for an issuer, so that many receipts need one request. */
export type Memo = Map<string, Promise<unknown>>;

/** Runs a function once for each name. Later calls return the first result. */
export function resolveOnce<T>(memo: Memo | undefined, name: string, make: () => Promise<T>): Promise<T> {
  if (!memo) return make();
  const known = memo.get(name) as Promise<T> | undefined;
  const made = known ?? make();
  memo.set(name, made);
  return made;
}

/**
 * Returns the earlier result for the same text. An issuer's documents are fetched for each check but rarely change,
 * so an unchanged document is not parsed and verified again. The oldest texts are dropped first.
 */
export function reuseForText<T>(cache: Kept<T>[], issuer: string, text: string, make: () => T): T {
  // No map: comparing long texts costs less than hashing one.
  const known = cache.find((one) => one.text === text && one.issuer === issuer);
  if (known) return known.made;
  const made = make();
  if (text.length > LARGEST_KEPT) return made;
  if (cache.length >= TEXTS_KEPT) cache.shift();
  cache.push({ issuer, text, made });
  return made;
}
/** The result of an issuer's text. */
export type Kept<T> = { issuer: string; text: string; made: T };
const TEXTS_KEPT = 16;
const LARGEST_KEPT = 32_768;

const didDocumentSchema = z.looseObject({ id: z.string() });

/**
 * Returns the did:web method for `did-resolver`: https only (http for localhost and 127.0.0.1), no redirects, bounded
 * size and time, and a document whose `id` is exactly the DID. Errors are in the resolution metadata.
 */
export function didWebMethod(limits: FetchLimits = {}): ResolverRegistry {
  return {
    web: async (did) => {
      const location = locateIssuer(did);
      if (!location) return failed("invalidDid", `${did} is not a did:web name in its normal form.`);
      let text: string;
      try {
        text = await fetchText(location.didDocumentUrl, limits);
      } catch (error) {
        return failed("notFound", error instanceof Error ? error.message : String(error));
      }
      try {
        return {
          didResolutionMetadata: { contentType: "application/did+json" },
          didDocument: readDidDocument(did, text),
          didDocumentMetadata: {},
        };
      } catch (error) {
        return failed("invalidDidDocument", (error as Error).message);
      }
    },
  };
}

/** Parses a DID document. Throws if the text is none, or is of another subject. */
export function readDidDocument(did: string, text: string): z.infer<typeof didDocumentSchema> {
  let document: z.infer<typeof didDocumentSchema>;
  try {
    document = didDocumentSchema.parse(parseJson(text));
  } catch {
    throw new Error(`${locateIssuer(did)?.didDocumentUrl} does not hold a DID document.`);
  }
  if (document.id !== did) throw new Error(`The document describes ${document.id}, not ${did}.`);
  return document;
}

/** Fetches a bounded text. Throws a readable error for a status other than 200, a redirect, or an exceeded limit. */
export async function fetchText(url: string, limits: FetchLimits = {}): Promise<string> {
  const { timeoutMs = 5000, maxBytes = 65_536 } = limits;
  const load = limits.fetch ?? fetch;
  // Not AbortSignal.timeout(), whose timer stays until it fires.
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new DOMException("The request took too long.", "TimeoutError")),
    timeoutMs,
  );
  const request: RequestInit = {
    // "manual" reports a redirect as such; "error" would report a network error.
    redirect: "manual",
    signal: limit.signal,
    headers: { accept: "application/json" },
  };
  try {
    let response: Response;
    try {
      response = await load(url, request);
    } catch (error) {
      if (!isCut(error)) throw error;
      response = await load(url, request);
    }
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      throw new Error("redirects are not followed");
    }
    if (response.status !== 200) throw new Error(`the status is ${response.status}`);
    return await readText(response, maxBytes);
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    const reason = late
      ? `no response within ${timeoutMs} ms`
      : error instanceof Error
        ? error.message
        : String(error);
    throw new Error(`${url} could not be read: ${reason}.`);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the server closed an idle connection at the moment of its reuse (RFC 9112, section 9.3.1). */
function isCut(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(String(cause?.code));
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw new Error(`the response exceeds ${maxBytes} bytes`);
    }
    chunks.push(chunk.value);
  }
  return utf8.decode(chunks.length === 1 ? chunks[0] : join(chunks, size));
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function join(chunks: Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function failed(error: string, message: string): DIDResolutionResult {
  return { didResolutionMetadata: { error, message }, didDocument: null, didDocumentMetadata: {} };
}
