import type { LogLookup } from "./lookup.ts";
import type { LogMemory } from "./memory.ts";

/** The parts of a browser that are used. */
declare const localStorage: {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
};

const nameOf = (origin: string) => `earnest-log:${origin}`;

/** Remembers logs in this browser, for all pages of one address; nothing where the browser keeps nothing for them. */
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
export function sayHistory(seen: LogLookup["seen"]): string {
  if (seen === null) return "This browser keeps nothing for this page, so nothing was compared.";
  return seen === "nothing"
    ? "This browser sees the log for the first time, and remembers it from now on."
    : "The log continues what this browser saw of it before.";
}
