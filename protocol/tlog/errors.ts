/** Why something of a log is refused. The codes are stable: programs may branch on them. */
export const logErrors = {
  // The input.
  malformed: "The input is not in the form of its standard.",
  too_large: "The input is larger than any of its kind.",
  malformed_key: "The text is no verifier key of a signed note, or its id is not that of its name and key.",
  unsupported_key: "The verifier key is of a kind that is not checked here.",
  malformed_policy: "The text is no policy of trust.",
  malformed_entry: "The entry is not one of the forms that this log has.",
  size_too_large: "A size or an index is beyond 2^53 - 1.",
  // The signers.
  no_trusted_log: "Neither a log's verifier key nor a policy that lists a log was given.",
  unknown_log: "No trusted log signed the checkpoint.",
  foreign_origin: "The checkpoint names another log than the key that signed it.",
  invalid_signature: "A signature of a trusted key does not match.",
  quorum_not_met: "Too few of the policy's witnesses cosigned the checkpoint.",
  // The hashes.
  not_included: "The proof does not lead from the entry to the checkpoint's root.",
  not_consistent: "The proof does not show that the newer tree continues the older one.",
  wrong_tile: "A tile does not lead to the checkpoint's root.",
  wrong_entries: "A bundle's entries do not hash to its tile.",
  tile_unavailable: "A tile could not be fetched.",
  // The issuer's answer about a receipt.
  log_unavailable: "The issuer's log could not be asked.",
  not_logged: "The issuer's log does not have the receipt, or does not have it yet.",
  no_receipt_id: "Nothing that was given names the receipt's id, which it is looked up by.",
  // The history.
  forked: "The log signed two checkpoints of which neither continues the other.",
  rolled_back: "The log's checkpoint is smaller than one that was seen before.",
  foreign_anchor: "The anchor is of another contract or publisher than the expected one.",
  anchored_otherwise: "The chain has another tree of this size than the checkpoint.",
  other_entry: "The entry is about something else than what was handed in.",
} as const;

export type LogErrorCode = keyof typeof logErrors;

/** The refused result that every verifying function returns instead of throwing. */
export interface LogFailure {
  valid: false;
  code: LogErrorCode;
  /** The fault and its place, for a person. */
  message: string;
}

/** The only error of parsing functions; verifying functions return its code. */
export class LogRejection extends Error {
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, detail?: string) {
    super(detail ? `${logErrors[code]} ${detail}` : logErrors[code]);
    this.name = "LogRejection";
    this.code = code;
  }
}

/** Turns what is thrown into a refusal, so that no input at all makes a verifier throw. */
export function answer<T>(check: () => T): T | LogFailure {
  try {
    return check();
  } catch (error) {
    return failureOf(error);
  }
}

/** The refusal that an error comes to. */
export function failureOf(error: unknown): LogFailure {
  const { code, message } =
    error instanceof LogRejection ? error : new LogRejection("malformed", String(error));
  return { valid: false, code, message };
}
