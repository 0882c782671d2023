import { pointerTo } from "./pointer.ts";

/** The engine's own, whatever stands in its place later. */
const parseByEngine = JSON.parse;

type Reviver = (this: unknown, name: string, value: unknown, context?: unknown) => unknown;

/**
 * The same as `JSON.parse`, also where the engine is wrong: V8 since 12.8 (Node 24 and 26, browsers) compares a member's
 * name that is written with escapes to names of earlier texts before it decodes it, and may take it for one of those
 * (nodejs/node#63785). So whoever sends one text chooses how the next one is read.
 *
 * It gives the engine no name with an escape. A text without backslashes costs nothing more; nor does any where the
 * engine is sound.
 *
 * @throws SyntaxError in the words of the engine
 */
export function parseJson(text: string, reviver?: Reviver): unknown {
  return isSound || !`${text}`.includes("\\") ? parseByEngine(text, reviver) : parseRespelled(text, reviver);
}

/**
 * A fault for which readers may take a JSON text for different values (RFC 7493, I-JSON): the place, which rule, and what to
 * do. It is a SyntaxError, as a text that is no JSON gives one.
 */
export class JsonFault extends SyntaxError {
  override name = "JsonFault";
  readonly keyword: "utf-8" | "duplicate" | "number";
  /** a JSON pointer */
  readonly path: string;
  /** the name or the number, as it is written in the text */
  readonly found: string;

  constructor(keyword: JsonFault["keyword"], path: string, message: string, found = "") {
    super(message);
    this.keyword = keyword;
    this.path = path;
    this.found = found;
  }
}

/**
 * The one way to read JSON that somebody else wrote and that is kept or hashed here. It takes UTF-8 alone, each name of an
 * object once, and no number that loses digits.
 *
 * @throws JsonFault for these three; SyntaxError for what is no JSON
 */
export function readJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  const value = parseJson(text);
  const fault = findFault(text, losesDigits);
  if (fault) throw fault;
  return value;
}

/** @throws JsonFault with the place of the first byte that is not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new JsonFault("utf-8", "", `is not UTF-8 at byte ${findInvalidByte(bytes)}, counted from 0`);
  }
}

/** The place of the first byte that is no part of a whole character of UTF-8. */
function findInvalidByte(bytes: Uint8Array): number {
  const isGood = (length: number, stream: boolean) => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream });
      return true;
    } catch {
      return false;
    }
  };
  let [good, bad] = [0, bytes.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isGood(middle, true)) good = middle;
    else bad = middle;
  }
  // The beginning of a character may end there, of at most three bytes.
  while (!isGood(good, false)) good--;
  return good;
}

/**
 * Whether a number's double prints as another value than the text has: 0.1000000000000000055 prints as 0.1, 1e400 as
 * no number, 1e-400 as 0. 1.0, 100e-2 and 1 are one value.
 */
export function losesDigits(number: string): boolean {
  const read = Number(number);
  const printed = String(read);
  return printed !== number && (!Number.isFinite(read) || spellOnce(number) !== spellOnce(printed));
}

/** A decimal number in the one spelling that its value has. */
function spellOnce(number: string): string {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return "0";
  let length = digits.length;
  while (digits[length - 1] === "0") length--;
  return `${sign}${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`;
}

/** An object or a list that the scan is in: its names so far, and the member that is read. */
type Open = { names: Set<string> | null; member: string | number };
const numberAt = /-?\d[\d.eE+-]*/y;

/**
 * The first name that stands twice in its object, or number that is bad: what `JSON.parse` does not tell.
 *
 * @param text valid JSON
 */
export function findFault(text: string, isBad: (number: string) => boolean): JsonFault | null {
  const open: Open[] = [];
  const pathOf = () => open.map(({ member }) => pointerTo(member)).join("");
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    const within = open.at(-1);
    if (character === "{") open.push({ names: new Set(), member: "" });
    else if (character === "[") open.push({ names: null, member: 0 });
    else if (character === "}" || character === "]") open.pop();
    else if (character === ",") {
      if (typeof within?.member === "number") within.member += 1;
    } else if (character === '"') {
      const close = endOfString(text, at);
      if (within?.names && isName(text, close)) {
        const token = text.slice(at, close + 1);
        const name = token.includes("\\") ? String(parseByEngine(token)) : token.slice(1, -1);
        within.member = name;
        if (within.names.has(name)) {
          const message = "stands twice in its object; give each member a name of its own";
          return new JsonFault("duplicate", pathOf(), message, name);
        }
        within.names.add(name);
      }
      at = close;
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      numberAt.lastIndex = at;
      const number = numberAt.exec(text)?.[0] ?? character;
      if (isBad(number)) {
        return new JsonFault("number", pathOf(), "would lose digits; send it as a string", number);
      }
      at += number.length - 1;
    }
  }
  return null;
}

/** `parseJson` as an engine needs it that is not sound. */
export function parseRespelled(text: string, reviver?: Reviver): unknown {
  const written = `${text}`;
  try {
    const { plain, names } = respell(written);
    if (names.length === 0) return parseByEngine(plain, reviver);
    if (!reviver) return nameAll(parseByEngine(plain), names);
    return parseByEngine(plain, function (this: unknown, name: string, value: unknown, context?: unknown) {
      return reviver.call(this, nameOf(name, names), nameMembers(value, names), context);
    } as Reviver);
  } catch (error) {
    // What is no JSON is refused in words about the text as it came; what a reviver throws is its own.
    parseByEngine(written);
    throw error;
  }
}

/** Before the number of a name that JSON cannot write without an escape, and that stands in for it while it is parsed. */
const mark = "\u00ad";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON writes with an escape alone
const unwritable = /["\\\u0000-\u001f]/;

/** A text whose names are written without escapes, and the names that numbers stand for in it. */
function respell(text: string): { plain: string; names: string[] } {
  const hasMark = text.includes(`"${mark}`);
  const nextBackslash = (from: number) => (text.indexOf("\\", from) + 1 || text.length + 1) - 1;
  const numbers = new Map<string, number>();
  let [plain, copied, backslash] = ["", 0, nextBackslash(0)];
  for (let open = text.indexOf('"'); open !== -1; ) {
    const close = endOfString(text, open);
    if (close === -1 || (backslash === text.length && !hasMark)) break;
    const isEscaped = backslash < close;
    if ((isEscaped || hasMark) && isName(text, close)) {
      const token = text.slice(open, close + 1);
      // Names are what is misread: as a value, the same string is not.
      const name = isEscaped ? String(parseByEngine(token)) : token.slice(1, -1);
      const isNumbered = name.startsWith(mark) || (isEscaped && unwritable.test(name));
      plain += `${text.slice(copied, open)}"${isNumbered ? mark + numberOf(name) : name}"`;
      copied = close + 1;
    }
    if (isEscaped) backslash = nextBackslash(close);
    open = text.indexOf('"', close + 1);
  }
  return { plain: plain + text.slice(copied), names: [...numbers.keys()] };

  function numberOf(name: string): number {
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  }
}

/** Where a string ends that begins at a quote; -1 where it does not. */
function endOfString(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 92) before--;
    // After an even number of backslashes a quote is not escaped.
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

/** Whether a colon follows on a string, which makes it a member's name. */
function isName(text: string, close: number): boolean {
  let at = close + 1;
  while (" \t\n\r".includes(text[at] ?? "\0")) at++;
  return text[at] === ":";
}

function nameOf(written: string, names: string[]): string {
  return written.startsWith(mark) ? (names[Number(written.slice(1))] as string) : written;
}

/** Without recursion: strangers choose how deep a value is. */
function nameAll(value: unknown, names: string[]): unknown {
  const all = [value];
  const rest: object[] = [all];
  for (let one = rest.pop(); one; one = rest.pop()) {
    const holder = one as Record<string | number, unknown>;
    for (const name of Array.isArray(one) ? one.keys() : Object.keys(one)) {
      const each = holder[name];
      if (typeof each !== "object" || each === null) continue;
      const named = nameMembers(each, names);
      if (named !== each) holder[name] = named;
      rest.push(named);
    }
  }
  return all[0];
}

/** An object with its own names, in their order. */
function nameMembers<Value>(value: Value, names: string[]): Value {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const written = Object.keys(value);
  if (!written.some((name) => name.startsWith(mark))) return value;
  const named: Record<string, unknown> = {};
  for (const name of written) {
    const member = (value as Record<string, unknown>)[name];
    // An assignment to this name would make no member.
    if (name !== "__proto__") named[nameOf(name, names)] = member;
    else {
      const property = { value: member, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(named, name, property);
    }
  }
  return named as Value;
}

/** Whether the engine reads escaped names right after others that look like them. No stranger knows the names in it. */
function probe(): boolean {
  const own = `probe ${Math.random()}`;
  const texts: [earlier: string, later: string, name: string][] = [
    [`{"${own}":0,"\\\\":0}`, `{"${own}":0,"\\n":0}`, "\n"],
    [`{"${own} a":0,"gr\\\\u0":0}`, `{"${own} a":0,"gr\\u00f6\\u00dfe":0}`, "größe"],
    [`[{"${own} b":[],"q\\\\":0}]`, `[{"${own} b":0,"q\\t":0}]`, "q\t"],
  ];
  const kept: unknown[] = [];
  return texts.every(([earlier, later, name]) => {
    // While the earlier is kept, the engine does not forget its names.
    kept.push(parseByEngine(earlier));
    return [parseByEngine(later)].flat().every((one) => Object.hasOwn(one, name));
  });
}

const isSound = probe();
