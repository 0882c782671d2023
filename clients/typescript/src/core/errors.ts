import type { ErrorCode, PassedLimit, PaymentRequired, Violation } from "../generated/types.ts";
import { parseExactly } from "./exact-json.ts";
import { readRetryAfter } from "./retry-after.ts";

/** Whatever this client throws of its own accord, but for wrong arguments (TypeError) and a caller's own abort. */
export class EarnestError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * No whole answer came: the connection failed, or the answer was cut. A write may have been made: send it again with
 * `idempotencyKey` to learn what became of it.
 */
export class ConnectionError extends EarnestError {
  readonly idempotencyKey: string | null;
  /** How often the request was sent. */
  readonly attempts: number;

  constructor(message: string, facts: { idempotencyKey: string | null; attempts: number; cause?: unknown }) {
    super(message, { cause: facts.cause });
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts;
  }
}

/** No whole answer came within `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

/** What an answer that refuses tells. */
export interface Refusal {
  status: number;
  code: ErrorCode | (string & {});
  message: string;
  requestId: string | null;
  details: Violation[];
  /** Seconds, as the header `Retry-After` says, 366 days at most; null where it says nothing. */
  retryAfter: number | null;
  idempotencyKey: string | null;
  attempts: number;
  headers: Headers;
  /** The body, parsed where it is JSON. */
  body: unknown;
}

/** The service refused. `code` is stable: decide by it, or by the class. */
export class ApiError extends EarnestError implements Refusal {
  readonly status: number;
  /** The list may grow: have a default where you switch. `unknown` where something else than the service answered. */
  readonly code: ErrorCode | (string & {});
  /** Quote it in reports. */
  readonly requestId: string | null;
  /** What is wrong, each with its place; empty where the refusal names none. */
  readonly details: Violation[];
  readonly retryAfter: number | null;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
  readonly headers: Headers;
  readonly body: unknown;

  constructor(refusal: Refusal) {
    const details = refusal.details.map(({ path, message }) => `${path}: ${message}`).slice(0, 5);
    const request = refusal.requestId ? ` (${refusal.requestId})` : "";
    super([`${refusal.code}: ${refusal.message}${request}`, ...details].join("\n  "));
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.details = refusal.details;
    this.retryAfter = refusal.retryAfter;
    this.idempotencyKey = refusal.idempotencyKey;
    this.attempts = refusal.attempts;
    this.headers = refusal.headers;
    this.body = refusal.body;
  }
}

/** 400, 405, 413, 415: the request is not one that the operation takes. */
export class BadRequestError extends ApiError {}
/** 401. */
export class AuthenticationError extends ApiError {}
/** 402: an order's payment was refused, or none came. */
export class PaymentRequiredError extends ApiError {
  /** x402's document of what to pay, where the answer is one. */
  get paymentRequired(): PaymentRequired | null {
    if (!isObject(this.body) || !("accepts" in this.body)) return null;
    // The service's own error stands in the place of x402's.
    const { error: _, ...document } = this.body;
    return document as unknown as PaymentRequired;
  }
}
/** 403. */
export class PermissionDeniedError extends ApiError {
  /** Which limit of the API key the order would pass, where the code is `spend_limit_exceeded`. */
  get spendLimit(): PassedLimit | null {
    const error = isObject(this.body) && isObject(this.body.error) ? this.body.error : {};
    return isObject(error.spend_limit) ? (error.spend_limit as unknown as PassedLimit) : null;
  }
}
/** 404. */
export class NotFoundError extends ApiError {}
/** 409. */
export class ConflictError extends ApiError {}
/** 412: somebody else changed it since. */
export class PreconditionFailedError extends ApiError {}
/** 422: a schema is violated, or an idempotency key stands for another request. */
export class UnprocessableError extends ApiError {}
/** 429. */
export class RateLimitError extends ApiError {}
/** 5xx. */
export class ServerError extends ApiError {}

const byStatus: Record<number, typeof ApiError> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  405: BadRequestError,
  409: ConflictError,
  412: PreconditionFailedError,
  413: BadRequestError,
  415: BadRequestError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** The error of an answer that is not good. */
export function errorOf(
  response: { status: number; headers: Headers; text: string; requestId: string | null },
  facts: { idempotencyKey: string | null; attempts: number },
): ApiError {
  const { status, headers } = response;
  const body = parseOrText(response.text);
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const Class = byStatus[status] ?? (status >= 500 ? ServerError : ApiError);
  const reason = isObject(body) && typeof body.error === "string" ? body.error : `The answer is ${status}`;
  return new Class({
    status,
    code: typeof error.code === "string" ? error.code : status === 402 ? "payment_required" : "unknown",
    message: typeof error.message === "string" ? error.message : reason,
    requestId: typeof error.request_id === "string" ? error.request_id : response.requestId,
    details: Array.isArray(error.details) ? (error.details as Violation[]) : [],
    retryAfter: readRetryAfter(headers.get("retry-after")),
    ...facts,
    headers,
    body,
  });
}

function parseOrText(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
