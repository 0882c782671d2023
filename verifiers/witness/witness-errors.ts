/** Why a witness does not run. The codes are stable. */
export const witnessErrors = {
  state_exists: "There is a witness's state already: a second one would forget what the first one signed.",
  state_missing:
    "There is no state: restore nothing in its place, since an older one lets a log go back. Make a new witness, with a key of its own.",
  state_unreadable:
    "The state cannot be read. Do not put an older one in its place: make a new witness, with a key of its own.",
  key_foreign: "The key is not the state's: the two belong together.",
  state_taken: "Another process writes to this state: a witness is one process.",
  key_unusable: "The key cannot be used.",
  logs_unusable: "The list of logs cannot be used.",
} as const;

/** Ends the program, with a sentence. */
export class WitnessError extends Error {
  override name = "WitnessError";
  readonly code: keyof typeof witnessErrors;

  constructor(code: keyof typeof witnessErrors, detail: string) {
    super(`${code}: ${witnessErrors[code]} ${detail}`);
    this.code = code;
  }
}
