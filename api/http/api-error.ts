import type { z } from "zod";
import { pointerTo } from "../../protocol/json/pointer.ts";
import { CodedError, type RefusalCode } from "../../trade/refusal.ts";
import type { Violation } from "../../untrusted/schemas/payloads.ts";

export { refuseField } from "../../trade/refusal.ts";

/** Every error code of the API, with its HTTP status. `docs/errors.md` explains each. */
export const errorStatus = {
  invalid_request: 400,
  unauthenticated: 401,
  payment_required: 402,
  insufficient_scope: 403,
  insufficient_role: 403,
  address_not_allowed: 403,
  spend_limit_exceeded: 403,
  approval_required: 403,
  account_banned: 403,
  forbidden_origin: 403,
  not_found: 404,
  not_logged_yet: 404,
  file_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  invalid_state: 409,
  payout_wallet_required: 409,
  agent_not_published: 409,
  service_incomplete: 409,
  quote_required: 409,
  subscription_required: 409,
  not_settled: 409,
  email_unavailable: 409,
  file_quota_exceeded: 409,
  file_erased: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  input_schema_violation: 422,
  output_schema_violation: 422,
  invalid_schema: 422,
  file_mismatch: 422,
  file_hash_mismatch: 422,
  idempotency_mismatch: 422,
  upload_busy: 423,
  rate_limited: 429,
  too_many_unpaid_orders: 429,
  too_many_streams: 429,
  internal_error: 500,
  dependency_unavailable: 503,
  checker_busy: 503,
  streams_full: 503,
  outcome_unknown: 503,
} as const satisfies Record<RefusalCode, number> & Record<string, number>;

export type ErrorCode = keyof typeof errorStatus;

/** The message of an unexpected error. It reveals nothing of the error. */
export const unexpectedErrorMessage =
  "Something went wrong on our side. Quote the request id when you report it.";

export type { Violation };

/** The JSON pointer (RFC 6901) of a path of names. */
export function pointerOf(names: readonly PropertyKey[]): string {
  return names.map(pointerTo).join("");
}

/** An error of a handler, answered in the error envelope. A verb of `trade/` throws a `Refusal` instead. The caller sees the message. */
export class ApiError extends CodedError<ErrorCode> {
  override name = "ApiError";
}

/**
 * Parses a value that no route's description covers.
 *
 * @param message what is wrong; the faults are in `details`
 * @throws ApiError `invalid_request` with each fault
 */
export function parseAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  message: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError(
    "invalid_request",
    `${message} \`details\` lists the faults.`,
    parsed.error.issues.map(({ path, code, message }) => ({ path: pointerOf(path), keyword: code, message })),
  );
}

/** Makes the refusal of a header. The message says what the header must be. */
export function refuseHeader(name: string, message: string): ApiError {
  return new ApiError("invalid_request", `The header ${name} ${message}.`, [
    { path: "", keyword: name.toLowerCase(), message },
  ]);
}
