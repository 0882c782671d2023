/** Options of one call. They override the client's options. */
export interface RequestOptions {
  /** The idempotency key of a write: the same for retries and for calls of the same intent. Default: a random key. */
  idempotencyKey?: string;
  /** The most retries of a call. Default: 2. */
  maxRetries?: number;
  /** The most milliseconds to wait for a retry. A longer `Retry-After` fails at once. Default: 30 seconds. */
  maxWaitMs?: number;
  /** The timeout of one attempt in milliseconds. Default: one minute. */
  timeoutMs?: number;
  /** Cancels the call, even while it waits for a retry. The call then throws the signal's reason. */
  signal?: AbortSignal;
  /** Further headers, which override the client's. */
  headers?: Record<string, string>;
  /** The organisation that a session acts for, such as `acc_...`; null for the session's own account. */
  organisation?: string | null;
}

/** A call of one operation, which the generated methods build. */
export interface Call {
  /** The operation's id in docs/openapi.json, for hooks and errors; null for a custom request. */
  operation: string | null;
  verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The escaped path below `/api/v1`. */
  path: string;
  /** Whether the path is below the service's root instead of `/api/v1`, as for responses that are not JSON. */
  root?: boolean;
  /** The media type of a response that is not JSON. */
  accept?: string;
  /** Whether the response is a file, of which the call returns the bytes. */
  file?: boolean;
  query?: object;
  body?: unknown;
  headers?: Record<string, string | undefined>;
  /** Sends no token. */
  open?: boolean;
  /** Whether the operation takes an `Idempotency-Key`. */
  takesKey?: boolean;
  /** False if a retry would not be the same request. A 429 is retried in any case. */
  mayRepeat?: boolean;
  /** The fields of the query and the body that a float would round. */
  exact?: Exact;
}

/** The kind of each exact field by name, or the exact fields of a nested object. */
export type Exact = { [name: string]: "amount" | "uint256" | Exact };

/** A raw response. */
export interface RawResponse {
  status: number;
  headers: Headers;
  /** The whole body; empty for a file. */
  text: string;
  /** The bytes of a file; null for other bodies. */
  bytes: Uint8Array | null;
  /** The number of attempts, including this one. */
  attempts: number;
  /** The header `X-Request-ID`. Include it in reports. */
  requestId: string | null;
  /** The idempotency key of the write. */
  idempotencyKey: string | null;
}

/** The result of a call. Await it for the data, or use `withResponse` for the data and the raw response. */
export class Answer<T> implements Promise<T> {
  readonly #response: Promise<RawResponse>;
  readonly #read: (response: RawResponse) => T;
  readonly [Symbol.toStringTag] = "Answer";

  constructor(response: Promise<RawResponse>, read: (response: RawResponse) => T) {
    this.#response = response;
    this.#read = read;
  }

  /** Returns the data with the raw response. */
  async withResponse(): Promise<{ data: T; response: RawResponse }> {
    const response = await this.#response;
    return { data: this.#read(response), response };
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#response.then(this.#read).then(done, failed);
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, failed);
  }

  finally(then?: (() => void) | null): Promise<T> {
    return this.then().finally(then);
  }
}
