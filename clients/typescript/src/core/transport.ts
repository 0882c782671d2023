import type { Call, RawResponse, RequestOptions } from "./call.ts";
import { type ApiError, ConnectionError, EarnestError, errorOf, TimeoutError } from "./errors.ts";
import { writeExact } from "./exact-amounts.ts";
import { parseExactly } from "./exact-json.ts";
import { pause, waitBeforeRetry } from "./retry.ts";
import { userAgent } from "./user-agent.ts";

/** The path of the API below the service's URL. */
const apiPath = "/api/v1";

/** The most bytes of a response body. */
const mostAnswerBytes = 64 * 2 ** 20;

/** A token, or a function that returns one for each request. */
export type Token = string | (() => string | Promise<string>);

/** The argument of hooks. It never has a token or a body. */
export interface RequestReport {
  operation: string | null;
  verb: string;
  url: string;
  /** 1 for the first attempt. */
  attempt: number;
  idempotencyKey: string | null;
}

export interface Hooks {
  onRequest?(report: RequestReport): void;
  onResponse?(report: RequestReport & { status: number; requestId: string | null; durationMs: number }): void;
  /** An attempt failed, and a retry follows after `waitMs`. */
  onRetry?(report: RequestReport & { waitMs: number; error: ApiError | ConnectionError }): void;
}

export interface TransportOptions {
  /** The service's URL, with or without `/api/v1`. */
  baseUrl: string;
  /** An API key, `esk_...`. */
  apiKey?: Token;
  /** The access token of a session, `est_...`. */
  accessToken?: Token;
  /** The organisation that a session acts for, unless a call overrides it. */
  organisation?: string | null;
  maxRetries?: number;
  maxWaitMs?: number;
  timeoutMs?: number;
  headers?: Record<string, string>;
  hooks?: Hooks;
  fetch?: typeof fetch;
}

/** Sends calls, with authentication, retries under one idempotency key, timeouts and errors. */
export class Transport {
  /** The URL with `/api/v1` and without a trailing slash. */
  readonly baseUrl: string;
  readonly options: TransportOptions;
  #token: Token | undefined;

  constructor(options: TransportOptions) {
    if (options.apiKey !== undefined && options.accessToken !== undefined) {
      throw new TypeError("Pass an apiKey or an accessToken, not both.");
    }
    const url = new URL(options.baseUrl);
    if (!/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
      throw new TypeError("baseUrl has to be an http or https URL without user, query or fragment.");
    }
    const path = url.pathname.replace(/\/+$/, "");
    this.baseUrl = url.origin + (path.endsWith(apiPath) ? path : `${path}${apiPath}`);
    this.options = options;
    this.#token = options.apiKey ?? options.accessToken;
  }

  /** Sets the token of the next requests; undefined for none. */
  useToken(token: Token | undefined): void {
    this.#token = token;
  }

  /**
   * Sends a call, with retries.
   *
   * @throws ApiError for an error response; ConnectionError or TimeoutError without a complete response; TypeError for an
   *   inexact amount; the signal's reason if it aborts
   */
  async send(call: Call, options: RequestOptions = {}): Promise<RawResponse> {
    const { maxRetries = 2, maxWaitMs = 30_000 } = { ...definedOf(this.options), ...definedOf(options) };
    const idempotencyKey = call.takesKey ? (options.idempotencyKey ?? createKey()) : null;
    const request = this.#write(call, options, idempotencyKey);
    for (let attempt = 1; ; attempt++) {
      const report = {
        operation: call.operation,
        verb: call.verb,
        url: request.url,
        attempt,
        idempotencyKey,
      };
      const outcome = await this.#try(request, call, options, report);
      if (!(outcome instanceof EarnestError)) return outcome;
      const waitMs = waitBeforeRetry(outcome, {
        retries: call.retries ?? true,
        attempt,
        maxRetries,
        maxWaitMs,
      });
      if (waitMs === null) throw outcome;
      this.options.hooks?.onRetry?.({ ...report, waitMs, error: outcome });
      await pause(waitMs, options.signal);
    }
  }

  /**
   * Sends a call once and returns the response as soon as it begins. The signal ends a body that is being read.
   *
   * @throws ApiError for an error response; ConnectionError without a response; the signal's reason if it aborts
   */
  async open(call: Call, options: RequestOptions & { signal: AbortSignal }): Promise<Response> {
    const { url, headers } = this.#write(call, options, null);
    const token = await readToken(this.#token);
    const report = { operation: call.operation, verb: call.verb, url, attempt: 1, idempotencyKey: null };
    const begin = performance.now();
    this.options.hooks?.onRequest?.(report);
    try {
      const response = await (this.options.fetch ?? fetch)(url, {
        method: call.verb,
        headers: token ? { authorization: `Bearer ${token}`, ...headers } : headers,
        redirect: "manual",
        signal: options.signal,
      });
      const { status } = response;
      const requestId = response.headers.get("x-request-id");
      this.options.hooks?.onResponse?.({
        ...report,
        status,
        requestId,
        durationMs: performance.now() - begin,
      });
      if (status === 200) return response;
      const body = readBody(await readBytes(response), false);
      const raw = {
        status,
        headers: response.headers,
        ...body,
        requestId,
        attempts: 1,
        idempotencyKey: null,
      };
      throw errorOf(raw, { idempotencyKey: null, attempts: 1 });
    } catch (cause) {
      if (cause instanceof EarnestError) throw cause;
      options.signal.throwIfAborted();
      const what = `${call.verb} ${new URL(url).pathname}`;
      const facts = { idempotencyKey: null, attempts: 1, cause };
      throw new ConnectionError(`${what}: no response: ${messageOf(cause)}.`, facts);
    }
  }

  /**
   * Sends a part of an upload once (tus 1.0).
   *
   * @param upload.path the path below the service's root
   * @returns the offset after the part
   * @throws ApiError for an error response; ConnectionError or TimeoutError without a response
   */
  async sendPart(
    upload: { path: string; offset: number; part: Uint8Array<ArrayBuffer> },
    options: RequestOptions,
  ): Promise<number> {
    const headers = {
      "upload-offset": String(upload.offset),
      "content-type": "application/offset+octet-stream",
      // Browsers set this header by themselves, and ignore it here.
      "content-length": String(upload.part.length),
    };
    return await this.#askUpload("PATCH", upload.path, { headers, body: upload.part }, options);
  }

  /** Reads the number of stored bytes of an upload. Throws as `sendPart`. */
  async readOffset(path: string, options: RequestOptions): Promise<number> {
    return await this.#askUpload("HEAD", path, {}, options);
  }

  async #askUpload(
    verb: "PATCH" | "HEAD",
    path: string,
    part: { headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> },
    options: RequestOptions,
  ): Promise<number> {
    const call: Call = { operation: null, verb: "PATCH", path, root: true, headers: part.headers ?? {} };
    const { url, headers } = this.#write(call, options, null);
    const token = await readToken(this.#token);
    const timeoutMs = options.timeoutMs ?? this.options.timeoutMs ?? 60_000;
    const timeout = AbortSignal.timeout(timeoutMs);
    const facts = { idempotencyKey: null, attempts: 1 };
    options.signal?.throwIfAborted();
    try {
      const response = await (this.options.fetch ?? fetch)(url, {
        method: verb,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...headers,
          "tus-resumable": "1.0.0",
        },
        ...(part.body ? { body: part.body } : {}),
        redirect: "manual",
        signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
      });
      const offset = Number(response.headers.get("upload-offset") ?? Number.NaN);
      const body = readBody(await readBytes(response), false);
      if (response.status >= 200 && response.status < 300 && Number.isSafeInteger(offset)) return offset;
      const requestId = response.headers.get("x-request-id");
      const { status, headers: given } = response;
      throw errorOf({ status, headers: given, ...body, requestId, ...facts }, facts);
    } catch (cause) {
      if (cause instanceof EarnestError) throw cause;
      if (options.signal?.aborted) throw options.signal.reason;
      const what = `${verb} ${path}`;
      if (timeout.aborted)
        throw new TimeoutError(`${what}: no response within ${timeoutMs} ms.`, { ...facts, cause });
      throw new ConnectionError(`${what}: no complete response: ${messageOf(cause)}.`, { ...facts, cause });
    }
  }

  /** Builds the request, which is the same for every attempt except for the token. */
  #write(call: Call, options: RequestOptions, idempotencyKey: string | null) {
    const exact = call.exact ?? {};
    const base = call.root ? this.baseUrl.slice(0, -apiPath.length) : this.baseUrl;
    const url = new URL(base + call.path);
    for (const [name, value] of Object.entries(writeExact(exact, call.query ?? {}))) {
      for (const item of [value].flat()) {
        if (item !== undefined && item !== null) url.searchParams.append(name, String(item));
      }
    }
    const organisation =
      options.organisation === undefined ? this.options.organisation : options.organisation;
    const agent = userAgent();
    const headers = {
      accept: call.accept ?? "application/json",
      ...(agent ? { "user-agent": agent } : {}),
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
      ...(organisation && !call.open ? { "x-organisation": organisation } : {}),
      ...definedOf(call.headers ?? {}),
      ...lowerCase(this.options.headers),
      ...lowerCase(options.headers),
    };
    const body = isPlain(call.body) ? writeExact(exact, call.body) : call.body;
    return { url: url.href, headers, body: body === undefined ? undefined : writeJson(body) };
  }

  /** Makes one attempt. Returns the response or the error. A caller's own abort is thrown. */
  async #try(
    request: { url: string; headers: Record<string, string>; body: string | undefined },
    call: Call,
    options: RequestOptions,
    report: RequestReport,
  ): Promise<RawResponse | ApiError | ConnectionError> {
    const { idempotencyKey, attempt: attempts } = report;
    const timeoutMs = options.timeoutMs ?? this.options.timeoutMs ?? 60_000;
    const timeout = AbortSignal.timeout(timeoutMs);
    options.signal?.throwIfAborted();
    const token = call.open ? undefined : await readToken(this.#token);
    const begin = performance.now();
    this.options.hooks?.onRequest?.(report);
    try {
      const response = await (this.options.fetch ?? fetch)(request.url, {
        method: call.verb,
        headers: token ? { authorization: `Bearer ${token}`, ...request.headers } : request.headers,
        ...(request.body === undefined ? {} : { body: request.body }),
        // A redirect would send the token elsewhere. Some worker runtimes do not know "error".
        redirect: "manual",
        signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
      });
      const { status, headers } = response;
      const requestId = headers.get("x-request-id");
      // The body belongs to the attempt: a truncated body is a connection error.
      const body = readBody(await readBytes(response), response.ok && call.file === true);
      const raw = { status, headers, ...body, requestId, attempts, idempotencyKey };
      const durationMs = performance.now() - begin;
      this.options.hooks?.onResponse?.({ ...report, status, requestId, durationMs });
      if (response.type === "opaqueredirect" || (status !== 304 && (status < 200 || status >= 300))) {
        return errorOf(raw, { idempotencyKey, attempts });
      }
      // Parsed here once, so that a truncated body can still be retried.
      if (isJson(headers)) parseExactly(raw.text || "null");
      return raw;
    } catch (cause) {
      if (options.signal?.aborted) throw options.signal.reason;
      const what = `${call.verb} ${new URL(request.url).pathname}`;
      const facts = { idempotencyKey, attempts, cause };
      if (timeout.aborted) return new TimeoutError(`${what}: no response within ${timeoutMs} ms.`, facts);
      return new ConnectionError(`${what}: no complete response: ${messageOf(cause)}.`, facts);
    }
  }
}

/** Parses a response: JSON as a value, a file as bytes, anything else as text. */
export function readJson({ headers, text, bytes }: RawResponse): unknown {
  if (bytes !== null) return bytes;
  if (text === "") return undefined;
  return isJson(headers) ? parseExactly(text) : text;
}

/** Decodes a body like `Response.text`, or keeps the bytes of a file. */
function readBody(bytes: Uint8Array, isFile: boolean): Pick<RawResponse, "text" | "bytes"> {
  return isFile ? { text: "", bytes } : { text: new TextDecoder().decode(bytes), bytes: null };
}

/** Reads the whole body, with a size limit. */
async function readBytes(response: Response): Promise<Uint8Array> {
  // Some platforms have no body stream.
  if (!response.body) return new Uint8Array(await response.arrayBuffer());
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return join(chunks, size);
    size += value.length;
    if (size > mostAnswerBytes) {
      void reader.cancel().catch(() => {});
      throw new Error(`the body is larger than ${mostAnswerBytes} bytes`);
    }
    chunks.push(value);
  }
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

const isJson = (headers: Headers) => /[/+]json\b/.test(headers.get("content-type") ?? "");

async function readToken(token: Token | undefined): Promise<string | undefined> {
  return typeof token === "function" ? await token() : token;
}

/** Creates 128 random bits. Pages without https have no `crypto.randomUUID`. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Writes JSON with each bigint as text, which the API accepts for large integers. */
function writeJson(body: unknown): string {
  return JSON.stringify(body, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function definedOf<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function lowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Returns the message with the cause's, because Node's message is only "fetch failed". */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
