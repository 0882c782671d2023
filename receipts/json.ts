import { Rejection } from "./errors.ts";

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/**
 * Parses JSON and refuses an object that names a member twice: `JSON.parse` keeps the last one, other parsers the
 * first, so two readers of one signed text could see different statements.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Rejection("malformed", "It is not JSON.");
  }
  // The text is valid JSON from here on, so a string right before a colon is a member's name.
  const open: Set<string>[] = [];
  let previous = "";
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const name: string = JSON.parse(previous);
      if (open.at(-1)?.has(name)) throw new Rejection("duplicate_member", `It is ${JSON.stringify(name)}.`);
      open.at(-1)?.add(name);
    }
    previous = token;
  }
  return value;
}
