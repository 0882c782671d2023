import { pointerTo } from "./pointer.ts";

/** The engine's own function, whatever replaces `JSON.parse` later. */
const parseByEngine = JSON.parse;

type Reviver = (this: unknown, name: string, value: unknown, context?: unknown) => unknown;

/**
 * Parses like `JSON.parse`, without a fault of the engine. V8 since 12.8 (Node 24 and 26, browsers) compares a member's
 * escaped name to names of earlier texts before it decodes the escapes, and may confuse them (nodejs/node#63785). So
 * one text's sender could change how the next text is read.
 *
 * The engine gets no escaped names. A text without backslashes costs nothing extra, nor does any text in a correct
 * engine.
 *
 * @throws SyntaxError with the engine's message
 */
export function parseJson(text: string, reviver?: Reviver): unknown {
  return isSound || !`${text}`.includes("\\") ? parseByEngine(text, reviver) : parseRespelled(text, reviver);
}

/**
 * A fault for which readers may take a JSON text for different values (RFC 7493, I-JSON): its place, the broken rule,
 * and what to do. A SyntaxError, like that of a text that is not JSON.
 */
export class JsonFault extends SyntaxError {
  override name = "JsonFault";
  readonly keyword: "utf-8" | "duplicate" | "number";
  /** a JSON pointer */
  readonly path: string;
  /** the name or the number as written in the text */
  readonly found: string;

  constructor(keyword: JsonFault["keyword"], path: string, message: string, found = "") {
    super(message);
    this.keyword = keyword;
    this.path = path;
    this.found = found;
  }
}

/**
 * Reads JSON of other authors that is stored or hashed here. Accepts UTF-8 alone, each name of an object once, and no
 * number that loses digits.
 *
 * @throws JsonFault for these three; SyntaxError for a text that is not JSON
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

/** Finds the first byte that belongs to no whole character of UTF-8. */
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
  // The beginning of a character, of at most three bytes, may end there.
  while (!isGood(good, false)) good--;
  return good;
}

/**
 * Whether a number's double prints as another value than the text. For example, 0.1000000000000000055 prints as 0.1,
 * and 1e-400 prints as 0. The texts 1.0, 100e-2 and 1 are one value.
 */
export function losesDigits(number: string): boolean {
  const read = Number(number);
  const printed = String(read);
  return printed !== number && (!Number.isFinite(read) || spellOnce(number) !== spellOnce(printed));
}

/** Writes a decimal number in the one canonical spelling of its value. */
function spellOnce(number: string): string {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return "0";
  let length = digits.length;
  while (digits[length - 1] === "0") length--;
  return `${sign}${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`;
}

/** An open object or list of the scan: its names so far, and the current member. */
type Open = { names: Set<string> | null; member: string | number };
const numberAt = /-?\d[\d.eE+-]*/y;

/**
 * Finds the first doubled name of an object, or bad number, which `JSON.parse` does not report.
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

/** Parses JSON in an engine with the fault. */
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
    // The engine refuses invalid JSON with a message about the original text. An error of the reviver passes through.
    parseByEngine(written);
    throw error;
  }
}

/** The prefix of a number that replaces a name which JSON cannot write without an escape. */
const mark = "\u00ad";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON writes with an escape alone
const unwritable = /["\\\u0000-\u001f]/;

/** Rewrites a text without escaped names. Returns it with the names that its numbers stand for. */
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
      // Only names are misread; string values are not.
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

/** Finds the end of the string that begins at a quote; -1 if it does not end. */
function endOfString(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 92) before--;
    // After an even number of backslashes, a quote is not escaped.
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

/** Whether a colon follows a string, which makes it a member's name. */
function isName(text: string, close: number): boolean {
  let at = close + 1;
  while (" \t\n\r".includes(text[at] ?? "\0")) at++;
  return text[at] === ":";
}

function nameOf(written: string, names: string[]): string {
  return written.startsWith(mark) ? (names[Number(written.slice(1))] as string) : written;
}

/** Restores the names without recursion, because the depth of a value is untrusted. */
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

/** Restores an object's names in their order. */
function nameMembers<Value>(value: Value, names: string[]): Value {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const written = Object.keys(value);
  if (!written.some((name) => name.startsWith(mark))) return value;
  const named: Record<string, unknown> = {};
  for (const name of written) {
    const member = (value as Record<string, unknown>)[name];
    // An assignment to this name would create no member.
    if (name !== "__proto__") named[nameOf(name, names)] = member;
    else {
      const property = { value: member, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(named, name, property);
    }
  }
  return named as Value;
}

/**
 * Whether the engine misreads escaped names after similar ones. The probe's names are random, so no sender knows them.
 */
function probe(): boolean {
  const own = `probe ${Math.random()}`;
  const texts: [earlier: string, later: string, name: string][] = [
    [`{"${own}":0,"\\\\":0}`, `{"${own}":0,"\\n":0}`, "\n"],
    [`{"${own} a":0,"gr\\\\u0":0}`, `{"${own} a":0,"gr\\u00f6\\u00dfe":0}`, "größe"],
    [`[{"${own} b":[],"q\\\\":0}]`, `[{"${own} b":0,"q\\t":0}]`, "q\t"],
  ];
  const values: unknown[] = [];
  return texts.every(([earlier, later, name]) => {
    // A retained text keeps its names in the engine's cache.
    values.push(parseByEngine(earlier));
    return [parseByEngine(later)].flat().every((one) => Object.hasOwn(one, name));
  });
}

const isSound = probe();
