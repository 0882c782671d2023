/** The reasons for which a witness does not run. The codes are stable. */
export const witnessErrors = {
  state_exists:
    "The folder already has a witness's state. A second state would not know the earlier signatures.",
  state_missing:
    "There is no state. Do not restore an older one, because it would let a log roll back. Create a new witness with a new key.",
  state_unreadable:
    "The state cannot be read. Do not replace it by an older one: create a new witness with a new key.",
  key_foreign: "The key does not belong to the state.",
  state_taken: "Another process writes to this state. A witness is one process.",
  key_unusable: "The key cannot be used.",
  logs_unusable: "The list of logs cannot be used.",
} as const;

/** Ends the program with its message. */
export class WitnessError extends Error {
  override name = "WitnessError";
  readonly code: keyof typeof witnessErrors;

  constructor(code: keyof typeof witnessErrors, detail: string) {
    super(`${code}: ${witnessErrors[code]} ${detail}`);
    this.code = code;
  }
}
