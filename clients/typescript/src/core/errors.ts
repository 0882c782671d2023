import type { ErrorCode, PassedLimit, PaymentRequired, Violation } from "../generated/types.ts";
import { parseExactly } from "./exact-json.ts";
import { readRetryAfter } from "./retry-after.ts";

/** The base of all errors of this client, except invalid arguments (TypeError) and a caller's own abort. */
export class EarnestError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * The connection failed before a complete response. A write may have taken effect: repeat it with `idempotencyKey` to get
 * its result.
 */
export class ConnectionError extends EarnestError {
  readonly idempotencyKey: string | null;
  /** The number of attempts. */
  readonly attempts: number;

  constructor(message: string, facts: { idempotencyKey: string | null; attempts: number; cause?: unknown }) {
    super(message, { cause: facts.cause });
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts;
  }
}

/** No complete response came within `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

/** The contents of an error response. */
export interface Refusal {
  status: number;
  code: ErrorCode | (string & {});
  message: string;
  requestId: string | null;
  details: Violation[];
  /** The seconds of the header `Retry-After`, at most 366 days; null without one. */
  retryAfter: number | null;
  idempotencyKey: string | null;
  attempts: number;
  headers: Headers;
  /** The body, parsed if it is JSON. */
  body: unknown;
}

/** An error response of the service. `code` is stable: branch on it, or on the class. */
export class ApiError extends EarnestError implements Refusal {
  readonly status: number;
  /** The error code. The list may grow, so handle unknown codes. `unknown` means that a proxy answered. */
  readonly code: ErrorCode | (string & {});
  /** Include it in reports. */
  readonly requestId: string | null;
  /** The violations, each with a JSON pointer; empty if there are none. */
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

/** 400, 405, 413 or 415: the request is invalid. */
export class BadRequestError extends ApiError {}
/** 401. */
export class AuthenticationError extends ApiError {}
/** 402: the payment of an order was refused or is missing. */
export class PaymentRequiredError extends ApiError {
  /** The x402 payment requirements, if the response has them. */
  get paymentRequired(): PaymentRequired | null {
    if (!isObject(this.body) || !("accepts" in this.body)) return null;
    // `error` is the service's error object, not the x402 member of this name.
    const { error: _, ...document } = this.body;
    return document as unknown as PaymentRequired;
  }
}
/** 403. */
export class PermissionDeniedError extends ApiError {
  /** The limit of the API key that the order exceeds, if the code is `spend_limit_exceeded`. */
  get spendLimit(): PassedLimit | null {
    const error = isObject(this.body) && isObject(this.body.error) ? this.body.error : {};
    return isObject(error.spend_limit) ? (error.spend_limit as unknown as PassedLimit) : null;
  }
}
/** 404. */
export class NotFoundError extends ApiError {}
/** 409. */
export class ConflictError extends ApiError {}
/** 412: the resource was changed in the meantime. */
export class PreconditionFailedError extends ApiError {}
/** 422: a schema is violated, or the idempotency key belongs to another request. */
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

/** Builds the error of an error response. */
export function errorOf(
  response: { status: number; headers: Headers; text: string; requestId: string | null },
  facts: { idempotencyKey: string | null; attempts: number },
): ApiError {
  const { status, headers } = response;
  const body = parseOrText(response.text);
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const Class = byStatus[status] ?? (status >= 500 ? ServerError : ApiError);
  const reason =
    isObject(body) && typeof body.error === "string" ? body.error : `The response has the status ${status}`;
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
