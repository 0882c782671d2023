/**
 * The reasons for which a provider's endpoint refuses a call. No refused call is paid for: its amount is used again by the
 * next call.
 */
export const sessionErrorCodes = [
  /** a header has another form */
  "malformed",
  /** the voucher or the close request is not signed by the buyer's key */
  "wrong_signature",
  /** the work hash is not that of this session, amount and input */
  "wrong_work_hash",
  /** the session is not known, or not funded yet */
  "unknown_session",
  /** the amount is not the price of one more call; `expected_amount` is, and `newest` is the newest answered voucher */
  "wrong_amount",
  /** the balance does not pay one more call */
  "balance_used",
  /** another call of the session is at work, or this one takes longer */
  "call_in_progress",
  /** the session takes no more calls: it closes, or its deadline is near */
  "session_ended",
  /** the input is too large */
  "input_too_large",
  /** the input arrived too slowly */
  "input_too_slow",
  /** the handler threw, or its output is too large; the call may be sent again */
  "handler_failed",
  /** the provider has too much to do */
  "busy",
] as const;
export type SessionErrorCode = (typeof sessionErrorCodes)[number];

/** The HTTP status of each refusal. */
export const sessionErrorStatus: Record<SessionErrorCode, number> = {
  malformed: 400,
  wrong_signature: 401,
  balance_used: 402,
  unknown_session: 404,
  input_too_slow: 408,
  wrong_amount: 409,
  call_in_progress: 409,
  session_ended: 410,
  input_too_large: 413,
  wrong_work_hash: 422,
  busy: 429,
  handler_failed: 500,
};

/** Refusals that end by themselves: the same call is sent again after `Retry-After`. */
export const temporaryErrors: readonly SessionErrorCode[] = ["unknown_session", "call_in_progress", "busy"];
