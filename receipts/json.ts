import { parseJson as parseAny } from "../json/parse.ts";
import { Rejection } from "./errors.ts";

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]|-?\d[\d.eE+-]*/g;
const PLAIN_NUMBER = /^(?:0|-?[1-9]\d*)$/;

/**
 * Parses JSON and refuses what two readers of one signed text could take for different statements: an object that names
 * a member twice (`JSON.parse` keeps the last one, other parsers the first), and numbers that are not whole, safe and
 * written plainly (`4.2e1` and `42.00000000000000000001` are 42 to some parsers).
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = parseAny(text);
  } catch {
    throw new Rejection("malformed", "It is not JSON.");
  }
  // The text is valid JSON from here on, so a string right before a colon is a member's name.
  const open: Set<string>[] = [];
  let previous = "";
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^[-\d]/.test(token) && !(PLAIN_NUMBER.test(token) && Number.isSafeInteger(Number(token)))) {
      throw new Rejection("invalid_number", `It is ${token.slice(0, 40)}.`);
    }
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
