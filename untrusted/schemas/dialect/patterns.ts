import { RE2JS } from "re2js";

/** A pattern that cannot be run with the meaning that ECMA-262 gives it. The message says why, after "is". */
export class PatternError extends Error {
  override name = "PatternError";
}

export type Pattern = { test(text: string): boolean };

/**
 * A pattern with the meaning that ECMA-262 gives it under the flag `u`, run by RE2: it has no look-around and no
 * back-references, and never backtracks.
 *
 * @throws PatternError
 */
export function compilePattern(pattern: string): Pattern {
  assertPattern(pattern);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(translate(pattern));
  } catch (cause) {
    if (cause instanceof PatternError) throw cause;
    const reason = String((cause as Error).message).replace("error parsing regexp: ", "");
    throw new PatternError(`no pattern that RE2 can run (${reason})`);
  }
  return { test: (text) => compiled.test(text) };
}

function assertPattern(pattern: string): void {
  try {
    new RegExp(pattern, "u");
  } catch (cause) {
    const reason = String((cause as Error).message).replace(/^Invalid regular expression: /, "");
    throw new PatternError(`no pattern of ECMA-262 under the flag u (${reason})`);
  }
}

/** The parts of a pattern that RE2 writes otherwise or does not have. All else means the same to both. */
const escapes = String.raw`\\(?:u\{(?<point>[\da-fA-F]+)\}|u(?<high>[dD][89abAB][\da-fA-F]{2})\\u(?<low>[dD][c-fC-F][\da-fA-F]{2})|u(?<unit>[\da-fA-F]{4})|x(?<byte>[\da-fA-F]{2})|c(?<control>[a-zA-Z])|(?<property>[pP]\{[^}]*\})|(?<other>.))`;
const inClass = new RegExp(`${escapes}|.`, "suy");
const outside = new RegExp(String.raw`${escapes}|\[\^?|\((?:\?(?:<[^=!>]+>|.))?|.`, "suy");
type Part = Partial<
  Record<"point" | "high" | "low" | "unit" | "byte" | "control" | "property" | "other", string>
>;

/** Characters that RE2 always takes literally. */
const plain = /[\p{L}\p{N}]/u;

/** As ranges within a class. ECMA-262's white space is more than RE2's. */
const space =
  "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const noSpace =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const all = "\\x{0}-\\x{10ffff}";

/** @param pattern is one of ECMA-262 under the flag `u` */
function translate(pattern: string): string {
  let translated = "";
  let isInClass = false;
  for (let at = 0; at < pattern.length; ) {
    const parts: RegExp = isInClass ? inClass : outside;
    parts.lastIndex = at;
    const found: RegExpExecArray | null = parts.exec(pattern);
    const token = found?.[0] ?? "";
    const groups: Part = found?.groups ?? {};
    at += token.length;
    if (token.startsWith("\\")) translated += translateEscape(token, groups, isInClass);
    else if (isInClass) {
      isInClass = token !== "]";
      translated += token === "]" || token === "-" ? token : spell(token.codePointAt(0) as number);
    } else if (token.startsWith("[")) {
      // RE2 has no spelling of an empty class: it takes the bracket for the first character.
      if (pattern[at] === "]") translated += token === "[" ? `[^${all}]` : `[${all}]`;
      else translated += token;
      isInClass = pattern[at] !== "]";
      if (!isInClass) at++;
    } else if (token.startsWith("(")) {
      if (token !== "(" && token !== "(?:" && !token.endsWith(">")) {
        throw new PatternError(`no pattern that RE2 can run (it has no ${token})`);
      }
      translated += "(?:";
    } else translated += token === "." ? "[^\\n\\r\\x{2028}\\x{2029}]" : token;
  }
  return translated;
}

function translateEscape(token: string, groups: Part, isInClass: boolean): string {
  const { point, high, low, unit, byte, control, property, other = "" } = groups;
  if (property !== undefined) return propertyOf(token, isInClass);
  if (control !== undefined) return spell(control.charCodeAt(0) % 32);
  const hex = point ?? unit ?? byte;
  if (hex !== undefined) return spell(Number.parseInt(hex, 16));
  if (high !== undefined && low !== undefined) {
    const pair = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
    return spell(pair.codePointAt(0) as number);
  }
  return translateLetter(other, isInClass);
}

function translateLetter(letter: string, isInClass: boolean): string {
  if (letter === "s") return isInClass ? space : `[${space}]`;
  if (letter === "S") return isInClass ? noSpace : `[${noSpace}]`;
  if (letter === "0") return spell(0);
  if (letter === "b" && isInClass) return spell(8);
  if (/[bBdDwWtnvfr]/.test(letter)) return `\\${letter}`;
  if (/[1-9k]/.test(letter))
    throw new PatternError("no pattern that RE2 can run (it has no back-references)");
  return spell(letter.codePointAt(0) as number);
}

/** Every character, in order. The engine itself tells which of them have a property. */
let everyCharacter = "";

function readEveryCharacter(): string {
  let characters = "";
  for (let code = 0; code < 0x11_0000; code += 0x800) {
    if (code === 0xd800) continue;
    characters += String.fromCodePoint(...Array.from({ length: 0x800 }, (_, at) => code + at));
  }
  return characters;
}

/** The ranges of properties; a schema names few. */
const properties = new Map<string, string>();
const mostProperties = 64;

/** The characters that have a property of Unicode, as the engine knows them. */
function propertyOf(token: string, isInClass: boolean): string {
  const ranges = properties.get(token) ?? rangesOf(token);
  if (properties.size >= mostProperties) properties.clear();
  properties.set(token, ranges);
  return isInClass ? ranges : `[${ranges || `^${all}`}]`;
}

function rangesOf(token: string): string {
  // A check may be interrupted at any point, so the text is stored only when it is whole.
  everyCharacter ||= readEveryCharacter();
  const runs = everyCharacter.matchAll(new RegExp(`${token}+`, "gu"));
  return Array.from(runs, ([run]) => {
    const last = [...run.slice(-2)].at(-1) ?? "";
    return `${spell(run.codePointAt(0) as number)}-${spell(last.codePointAt(0) as number)}`;
  }).join("");
}

function spell(code: number): string {
  if (code >= 0xd800 && code <= 0xdfff) {
    throw new PatternError("no pattern that a text can match (it names half of a surrogate pair)");
  }
  const character = String.fromCodePoint(code);
  return plain.test(character) ? character : `\\x{${code.toString(16)}}`;
}
