import type { Violation } from "../untrusted/schemas/payloads.ts";

/** The codes of refusals. The API gives each an HTTP status, and `docs/errors.md` explains each. */
export type RefusalCode =
  | "invalid_request"
  | "payment_required"
  | "insufficient_role"
  | "spend_limit_exceeded"
  | "approval_required"
  | "account_banned"
  | "not_found"
  | "conflict"
  | "invalid_state"
  | "payout_wallet_required"
  | "agent_not_published"
  | "service_incomplete"
  | "quote_required"
  | "subscription_required"
  | "not_settled"
  | "file_not_found"
  | "file_erased"
  | "file_mismatch"
  | "file_hash_mismatch"
  | "file_quota_exceeded"
  | "upload_busy"
  | "input_schema_violation"
  | "output_schema_violation"
  | "invalid_schema"
  | "rate_limited"
  | "too_many_unpaid_orders"
  | "dependency_unavailable"
  | "checker_busy"
  | "outcome_unknown";

/** An error for the caller, with a stable code and a public message. */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;
  readonly details: Violation[] | undefined;
  /** whole seconds until a retry may succeed */
  readonly retryAfter: number | undefined;

  constructor(code: Code, message: string, details?: Violation[], retryAfter?: number) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** Thrown if a rule forbids an operation. The transaction is rolled back, so nothing is written. */
export class Refusal extends CodedError<RefusalCode> {
  override name = "Refusal";
}

/** Refuses one field of a request. The message says what the field must be. */
export function refuseField(field: string, keyword: string, message: string): Refusal {
  return new Refusal("invalid_request", message, [{ path: `/${field}`, keyword, message }]);
}
