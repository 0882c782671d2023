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
  if (isUnambiguous(text, value)) return value;
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

/**
 * Whether nothing is wrong, told in one pass: each name of the text is a member, and each number is plain. A number that
 * is long or has a sign is left to who looks closely.
 */
function isUnambiguous(text: string, value: unknown): boolean {
  let names = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COLON) names++;
    else if (code === MINUS) return false;
    else if (isDigit(code)) {
      const begin = i;
      while (isDigit(text.charCodeAt(i + 1))) i++;
      const next = text.charCodeAt(i + 1);
      if (i - begin >= SAFE_DIGITS || next === POINT || next === SMALL_E || next === LARGE_E) return false;
    }
  }
  // A name that comes twice is one member.
  return names === countMembers(value);
}

const [QUOTE, COLON, MINUS, POINT, SMALL_E, LARGE_E, BACKSLASH] = [34, 58, 45, 46, 101, 69, 92];
/** So many digits are less than 2^53. */
const SAFE_DIGITS = 15;
const isDigit = (code: number) => code >= 48 && code <= 57;

function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    // After an even number of backslashes a quote is not escaped.
    if ((end - before) % 2 === 1) return end;
  }
}

/** The members of all objects in a value, without recursion: strangers choose its depth. */
function countMembers(value: unknown): number {
  let count = 0;
  const rest = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (typeof one !== "object" || one === null) continue;
    const inner = Object.values(one);
    if (!Array.isArray(one)) count += inner.length;
    for (const each of inner) if (typeof each === "object") rest.push(each);
  }
  return count;
}
