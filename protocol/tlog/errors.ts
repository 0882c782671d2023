/** Meanings of the error codes of a log's verifier. The codes are stable: programs may branch on them. */
export const logErrors = {
  // The input.
  malformed: "The input does not have the form of its standard.",
  too_large: "The input exceeds the size limit of its kind.",
  malformed_key:
    "The text is not the verifier key of a signed note, or its id does not match its name and key.",
  unsupported_key: "The verifier key is of an unsupported kind.",
  malformed_policy: "The text is not a policy of trust.",
  malformed_entry: "The entry has none of the forms of this log.",
  size_too_large: "A size or an index exceeds 2^53 - 1.",
  // The signers.
  no_trusted_log: "No log is trusted: give a verifier key, or a policy that lists a log.",
  unknown_log: "No trusted log signed the checkpoint.",
  foreign_origin: "The checkpoint names another log than the key that signed it.",
  invalid_signature: "A signature of a trusted key does not match.",
  quorum_not_met: "Too few of the policy's witnesses cosigned the checkpoint.",
  // The hashes.
  not_included: "The proof does not lead from the entry to the root of the checkpoint.",
  not_consistent: "The proof does not show that the newer tree continues the older one.",
  wrong_tile: "A tile does not lead to the root of the checkpoint.",
  wrong_entries: "The entries of a bundle do not hash to its tile.",
  tile_unavailable: "A tile could not be fetched.",
  // The lookup of a receipt.
  log_unavailable: "The log of the issuer could not be reached.",
  not_logged: "The log of the issuer does not contain the receipt, or not yet.",
  no_receipt_id: "The input does not name the id of the receipt, which the lookup needs.",
  // The history.
  forked: "The log signed two checkpoints that do not belong to one history.",
  rolled_back: "The checkpoint of the log is smaller than an earlier one.",
  foreign_anchor: "The anchor comes from another contract or publisher than expected.",
  anchored_otherwise: "The chain has another root for this size than the checkpoint.",
  other_entry: "The entry is about something else than the input.",
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

/** Runs a check and returns a thrown error as a failure, so that no input makes a verifier throw. */
export function answer<T>(check: () => T): T | LogFailure {
  try {
    return check();
  } catch (error) {
    return failureOf(error);
  }
}

/** Converts an error into a failure. */
export function failureOf(error: unknown): LogFailure {
  const { code, message } =
    error instanceof LogRejection ? error : new LogRejection("malformed", String(error));
  return { valid: false, code, message };
}
