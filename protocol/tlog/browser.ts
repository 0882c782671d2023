import type { LogLookup } from "./lookup.ts";
import type { LogMemory } from "./memory.ts";

/** The parts of a browser that are used. */
declare const localStorage: {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
};

const nameOf = (origin: string) => `earnest-log:${origin}`;

/** Returns a memory of logs in this browser, for all pages of one origin; undefined if the browser has no storage. */
export function rememberInBrowser(): LogMemory | undefined {
  try {
    localStorage.getItem(nameOf(""));
  } catch {
    return undefined;
  }
  return {
    get: (origin) => localStorage.getItem(nameOf(origin)),
    set: (origin, checkpoint) => localStorage.setItem(nameOf(origin), checkpoint),
  };
}

/** Describes how a log compares to this browser's memory, as a sentence. */
export function describeHistory(seen: LogLookup["seen"]): string {
  if (seen === null)
    return "This browser stores nothing for this page, so the log's history was not compared.";
  return seen === "nothing"
    ? "This browser sees the log for the first time, and remembers its checkpoint."
    : "The log continues the checkpoint that this browser remembers.";
}
