/** What a caller may say of one call; the client's own options are taken where this says nothing. */
export interface RequestOptions {
  /** Of a write: the same key over the retries of this call, and over calls that mean the same. One is made unless given. */
  idempotencyKey?: string;
  /** How often a call is tried again; 2 unless told. */
  maxRetries?: number;
  /** The longest wait before a try, in milliseconds; a longer `Retry-After` is an error at once. 30 seconds unless told. */
  maxWaitMs?: number;
  /** How long one try may take, in milliseconds; a minute unless told. */
  timeoutMs?: number;
  /** Cancels the call, also while it waits for a try. The call then throws the signal's reason. */
  signal?: AbortSignal;
  /** More headers, or other values of the client's own. */
  headers?: Record<string, string>;
  /** The organisation that a session acts for, as in `acc_...`; null: the session's own account. */
  organisation?: string | null;
}

/** One operation with what it is asked; the generated methods make it. */
export interface Call {
  /** As in docs/openapi.json, for hooks and errors; null for a request that is written by hand. */
  operation: string | null;
  verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/v1`, escaped. */
  path: string;
  /** The path is below the service's own address, beside `/api/v1`: what is no JSON lies there. */
  root?: boolean;
  /** The media type of the answer where it is no JSON. */
  accept?: string;
  query?: object;
  body?: unknown;
  headers?: Record<string, string | undefined>;
  /** No token is sent. */
  open?: boolean;
  /** Whether the service keeps the answer under an `Idempotency-Key`. */
  takesKey?: boolean;
  /** False where a second try would not be the same request; a 429 is tried again all the same. */
  retries?: boolean;
  /** The fields of query and body that a float would spoil. */
  exact?: Exact;
}

/** By name: what a field holds, or which fields of the object in it hold such. */
export type Exact = { [name: string]: "amount" | "uint256" | Exact };

/** An answer as it came. */
export interface RawResponse {
  status: number;
  headers: Headers;
  /** The body, whole. */
  text: string;
  /** How often the request was sent, with this answer's try. */
  attempts: number;
  /** As in the header `X-Request-ID`; quote it in reports. */
  requestId: string | null;
  /** The key that the write was sent with. */
  idempotencyKey: string | null;
}

/** The answer to a call: await it for what it holds, or take it together with the raw response. */
export class Answer<T> implements Promise<T> {
  readonly #response: Promise<RawResponse>;
  readonly #read: (response: RawResponse) => T;
  readonly [Symbol.toStringTag] = "Answer";

  constructor(response: Promise<RawResponse>, read: (response: RawResponse) => T) {
    this.#response = response;
    this.#read = read;
  }

  /** What the answer holds, with its status, headers and text. */
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
