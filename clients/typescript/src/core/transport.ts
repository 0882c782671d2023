import type { Call, RawResponse, RequestOptions } from "./call.ts";
import { ApiError, ConnectionError, EarnestError, errorOf, TimeoutError } from "./errors.ts";
import { parseExactly } from "./exact-json.ts";
import { apiPath, definedOf, type HttpRequest, writeRequest } from "./http-request.ts";
import { isJson, readBody, readBytes } from "./response-body.ts";
import { pause, waitBeforeRetry } from "./retry.ts";

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
      const report = reportOf(call, request, { attempt, idempotencyKey });
      try {
        return await this.#try(request, call, options, report);
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
        const mayRepeat = call.mayRepeat ?? true;
        const waitMs = waitBeforeRetry(error, { mayRepeat, attempt, maxRetries, maxWaitMs });
        if (waitMs === null) throw error;
        this.options.hooks?.onRetry?.({ ...report, waitMs, error });
        await pause(waitMs, options.signal);
      }
    }
  }

  /**
   * Sends a call once and returns the response as soon as it begins. The signal ends a body that is being read.
   *
   * @throws ApiError for an error response; ConnectionError without a response; the signal's reason if it aborts
   */
  async open(call: Call, options: RequestOptions & { signal: AbortSignal }): Promise<Response> {
    const request = this.#write(call, options, null);
    const report = reportOf(call, request, once);
    return await this.#attempt(request, options, { report, timeoutMs: null }, async (response, end) => {
      end();
      if (response.status === 200) return response;
      throw errorOf(await readText(response), once);
    });
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
    const headers = { ...part.headers, "tus-resumable": "1.0.0" };
    const call: Call = { operation: null, verb: "PATCH", path, root: true, headers };
    const written = this.#write(call, options, null);
    const request = { ...written, verb, ...(part.body ? { body: part.body } : {}) };
    const report = reportOf(call, request, once);
    const { timeoutMs = this.#timeoutMs } = options;
    return await this.#attempt(request, options, { report, timeoutMs }, async (response, end) => {
      const answer = await readText(response);
      end();
      const offset = Number(response.headers.get("upload-offset") ?? Number.NaN);
      if (response.ok && Number.isSafeInteger(offset)) return offset;
      throw errorOf(answer, once);
    });
  }

  #write(call: Call, options: RequestOptions, idempotencyKey: string | null): HttpRequest {
    const { organisation, headers } = this.options;
    return writeRequest(call, options, { baseUrl: this.baseUrl, organisation, headers }, idempotencyKey);
  }

  get #timeoutMs(): number {
    return this.options.timeoutMs ?? 60_000;
  }

  async #try(
    request: HttpRequest,
    call: Call,
    options: RequestOptions,
    report: RequestReport,
  ): Promise<RawResponse> {
    const { idempotencyKey, attempt: attempts } = report;
    const { timeoutMs = this.#timeoutMs } = options;
    const sending = { report, timeoutMs, isOpen: call.open };
    return await this.#attempt(request, options, sending, async (response, end) => {
      const { status, headers } = response;
      // The body belongs to the attempt: a truncated body is a connection error.
      const body = readBody(await readBytes(response), response.ok && call.file === true);
      const raw = { status, headers, ...body, requestId: requestIdOf(response), attempts, idempotencyKey };
      end();
      if (status !== 304 && !response.ok) {
        throw errorOf(raw, { idempotencyKey, attempts });
      }
      // Parsed here once, so that a truncated body can still be retried.
      if (isJson(headers)) parseExactly(raw.text || "null");
      return raw;
    });
  }

  /**
   * Makes one attempt, and reads its response. `read` calls `end` when the response is complete for the hooks.
   *
   * @throws ConnectionError or TimeoutError without a complete response; the signal's reason if it aborts
   */
  async #attempt<T>(
    { verb, url, headers, body }: HttpRequest,
    { signal }: RequestOptions,
    {
      report,
      timeoutMs,
      isOpen,
    }: { report: RequestReport; timeoutMs: number | null; isOpen?: boolean | undefined },
    read: (response: Response, end: () => void) => Promise<T>,
  ): Promise<T> {
    const { hooks } = this.options;
    const timeout = timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs);
    const signals = [signal, timeout].filter((one) => one !== undefined);
    signal?.throwIfAborted();
    const token = isOpen ? undefined : await readToken(this.#token);
    const begin = performance.now();
    hooks?.onRequest?.(report);
    try {
      const response = await (this.options.fetch ?? fetch)(url, {
        method: verb,
        headers: token ? { authorization: `Bearer ${token}`, ...headers } : headers,
        ...(body === undefined ? {} : { body }),
        // A redirect would send the token elsewhere. Some worker runtimes do not know "error".
        redirect: "manual",
        ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
      });
      return await read(response, () => {
        const { status } = response;
        const durationMs = performance.now() - begin;
        hooks?.onResponse?.({ ...report, status, requestId: requestIdOf(response), durationMs });
      });
    } catch (cause) {
      if (cause instanceof EarnestError) throw cause;
      if (signal?.aborted) throw signal.reason;
      const what = `${verb} ${new URL(url).pathname}`;
      const facts = { idempotencyKey: report.idempotencyKey, attempts: report.attempt, cause };
      if (timeout?.aborted) throw new TimeoutError(`${what}: no response within ${timeoutMs} ms.`, facts);
      throw new ConnectionError(`${what}: no complete response: ${messageOf(cause)}.`, facts);
    }
  }
}

/** The facts of a request that is sent once, without a key. */
const once = { idempotencyKey: null, attempts: 1 };

function reportOf(
  { operation }: Call,
  { verb, url }: HttpRequest,
  { attempt = 1, idempotencyKey }: { attempt?: number; idempotencyKey: string | null },
): RequestReport {
  return { operation, verb, url, attempt, idempotencyKey };
}

const requestIdOf = ({ headers }: Response) => headers.get("x-request-id");

async function readText(response: Response) {
  const { status, headers } = response;
  const body = readBody(await readBytes(response), false);
  return { status, headers, ...body, requestId: requestIdOf(response) };
}

async function readToken(token: Token | undefined): Promise<string | undefined> {
  return typeof token === "function" ? await token() : token;
}

/** Creates 128 random bits. Pages without https have no `crypto.randomUUID`. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the message with the cause's, because Node's message is only "fetch failed". */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
