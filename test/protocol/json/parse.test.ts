import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonFault, losesDigits, parseJson, parseRespelled, readJson } from "../../../protocol/json/parse.ts";

/** The names of a parsed value: an object's first, then those of the objects in it. */
const namesOf = (value: unknown): string[] =>
  typeof value === "object" && value !== null
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(namesOf)]
    : [];

describe("after a text whose name looks like the beginning of another's escape", () => {
  // Each pair has a first name of its own, so that no other test affects it.
  test.each([
    ["of one character", '{"a":0,"\\\\":0}', '{"a":0,"\\n":0}', ["a", "\n"]],
    ["at the beginning", '{"b":0,"\\\\u0061":0}', '{"b":0,"\\u0061mount":0}', ["b", "amount"]],
    ["in the middle", '{"c":0,"gr\\\\u0":0}', '{"c":0,"gr\\u00f6\\u00dfe":0}', ["c", "größe"]],
    ["of a quote", '{"d":[],"\\\\":0}', '{"d":1,"\\"":2}', ["d", '"']],
    ["in a list", '{"e":0,"q\\\\":0}', '[{"e":0,"q\\t":0},[{"e":0,"q\\f":0}]]', ["e", "q\t", "e", "q\f"]],
    ["of this very text", "null", '[{"f":0,"q\\\\":0},{"f":0,"q\\b":0}]', ["f", "q\\", "f", "q\b"]],
  ])("reads a name %s as it is written", (_, earlier, text, names) => {
    const values = [parseJson(earlier)];
    expect(namesOf(parseJson(text))).toEqual(names);
    expect(namesOf(parseRespelled(text))).toEqual(names);
    expect(namesOf(parseJson(text, (_name, value) => value))).toEqual(names);
    expect(values).toHaveLength(1);
  });
});

/** Reads valid JSON character by character: slow and simple. */
function readSlowly(text: string): unknown {
  let at = 0;
  const skip = () => {
    while (/[ \t\n\r]/.test(text[at] ?? "")) at++;
  };
  const readText = (): string => {
    let read = "";
    for (at++; text[at] !== '"'; at++) {
      if (text[at] !== "\\") read += text[at];
      else if (text[++at] === "u") {
        read += String.fromCharCode(Number.parseInt(text.slice(at + 1, at + 5), 16));
        at += 4;
      } else {
        read += { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }[text[at] as string] ?? text[at];
      }
    }
    at++;
    return read;
  };
  const readAll = (end: string, readOne: () => void) => {
    at++;
    for (skip(); text[at] !== end; skip()) {
      if (text[at] === ",") at++;
      skip();
      readOne();
    }
    at++;
  };
  const readValue = (): unknown => {
    skip();
    if (text[at] === '"') return readText();
    if (text[at] === "[") {
      const list: unknown[] = [];
      readAll("]", () => list.push(readValue()));
      return list;
    }
    if (text[at] === "{") {
      const members = new Map<string, unknown>();
      readAll("}", () => {
        const name = readText();
        skip();
        at++;
        members.set(name, readValue());
      });
      return Object.fromEntries(members);
    }
    const [word = ""] = /^[-\w.+]+/.exec(text.slice(at)) ?? [];
    at += word.length;
    return { null: null, true: true, false: false }[word] ?? (word === "null" ? null : Number(word));
  };
  return readValue();
}

const space = fc.constantFrom("", "", "", " ", "\n\t", "\r ");
/** A character in any form that JSON allows: itself, or one of its escapes. */
const character = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...'abu01é"\\/\n\t\b\u0000\u001f\u00ad\ud83d\udc24\u2028', "__proto__"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
    fc.constantFrom("itself", "short", "unicode", "UNICODE"),
  )
  .map(([text, way]) => {
    const code = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
    const escaped = text.replaceAll(/[\s\S]/g, (one) => code(one));
    if (way === "unicode") return escaped;
    if (way === "UNICODE") return escaped.toUpperCase().replaceAll("\\U", "\\u");
    if (way === "short" && text === "/") return "\\/";
    return JSON.stringify(text).slice(1, -1);
  });
const string = fc.array(character, { maxLength: 5 }).map((parts) => `"${parts.join("")}"`);
const { json } = fc.letrec<{ json: string }>((tie) => {
  const member = fc
    .tuple(string, space, space, tie("json"))
    .map(([name, before, after, value]) => `${name}${before}:${after}${value}`);
  const between = (open: string, close: string) => (parts: string[]) => `${open}${parts.join(" , ")}${close}`;
  return {
    json: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("0", "-0", "1.5e3", "true", "false", "null", "[]", "{}"),
      string,
      fc.array(tie("json"), { maxLength: 4 }).map(between("[", "]")),
      fc.array(member, { maxLength: 6 }).map(between("{", "}")),
    ),
  };
});

/** The result of a text: its value with the order of all names, or the engine's error message. */
function outcomeOf(read: (text: string) => unknown, text: string) {
  try {
    const value = read(text);
    return { value, names: namesOf(value) };
  } catch (error) {
    return { error: [(error as Error).name, (error as Error).message] };
  }
}

const runs = { numRuns: 1500, seed: 20_261_123 };

test("reads every text as the simple reader does", () => {
  fc.assert(
    fc.property(json, (text) => {
      const plain = outcomeOf(readSlowly, text);
      expect(outcomeOf(parseJson, text)).toStrictEqual(plain);
      expect(outcomeOf(parseRespelled, text)).toStrictEqual(plain);
      expect(outcomeOf((one) => parseRespelled(one, (_name, value) => value), text).value).toEqual(
        plain.value,
      );
    }),
    runs,
  );
});

test("refuses every malformed text with the engine's message", () => {
  const odd = fc.constantFrom('"', "\\", "\\u00zz", "\u0000", "\u00ad", ":", "{", "]", "\\x", "\ud800");
  fc.assert(
    fc.property(json, fc.nat(), odd, fc.nat(2), (text, place, piece, cut) => {
      const at = place % (text.length + 1);
      const broken = text.slice(0, at) + piece + text.slice(at + cut);
      const { error } = outcomeOf(JSON.parse, broken);
      expect(outcomeOf(parseRespelled, broken).error).toEqual(error);
      if (!error) expect(outcomeOf(parseRespelled, broken)).toStrictEqual(outcomeOf(readSlowly, broken));
    }),
    runs,
  );
});

test("passes a reviver the names and values of the text, and its exceptions on to the caller", () => {
  const text = '{"a":{"\\n":[1],"\\u0062":2},"\\\\":null}';
  const seen: unknown[] = [];
  const revived = parseRespelled(text, (name, value) => {
    seen.push([name, structuredClone(value)]);
    return name === "b" ? undefined : value;
  });
  expect(seen.slice(0, -1)).toEqual([
    ["0", 1],
    ["\n", [1]],
    ["b", 2],
    ["a", { "\n": [1] }],
    ["\\", null],
  ]);
  expect(revived).toEqual({ a: { "\n": [1] }, "\\": null });
  const failing = () =>
    parseRespelled(text, () => {
      throw new RangeError("mine");
    });
  expect(failing).toThrow(new RangeError("mine"));
});

test("treats other values as JSON.parse does", () => {
  for (const value of [null, 1, true, Buffer.from('{"\\n":1}'), { toString: () => "[]" }]) {
    expect(parseRespelled(value as never)).toEqual(JSON.parse(value as never));
  }
  expect(outcomeOf(parseJson, undefined as never)).toEqual(outcomeOf(JSON.parse, undefined as never));
});

test("reads any depth and any number of names", () => {
  const deep = `${'{"\\n":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  let levels = 0;
  for (let one = parseJson(deep); typeof one === "object"; one = (one as Record<string, unknown>)["\n"])
    levels++;
  expect(levels).toBe(50_000);
  const many = `{${Array.from({ length: 20_000 }, (_, i) => `"\\t${i}":${i}`).join()}}`;
  expect(Object.entries(parseJson(many) as object)).toEqual(
    Array.from({ length: 20_000 }, (_, i) => [`\t${i}`, i]),
  );
});

/** The fault that `readJson` finds in bytes, written in Latin-1: each character is one byte. */
function faultOf(latin1: string): Pick<JsonFault, "keyword" | "path" | "message"> | null {
  try {
    readJson(Buffer.from(latin1, "latin1"));
    return null;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { keyword, path, message } = error;
    return { keyword, path, message };
  }
}

describe("foreign JSON", () => {
  test("is read as JSON.parse reads it where it is valid", () => {
    const value = {
      a: [1, -0.5, 1e-7, 9007199254740991],
      ü: { a: "\ud83e\udd86", "": null },
      b: [{ a: 1 }, { a: 1 }],
    };
    expect(readJson(new TextEncoder().encode(JSON.stringify(value, null, 2)))).toEqual(value);
    expect(readJson(new TextEncoder().encode("\ufeff{}"))).toEqual({});
    expect(() => readJson(new TextEncoder().encode("{"))).toThrow(SyntaxError);
  });

  test.each([
    ["a byte of Latin-1", '{"a":"caf\xe9"}', 9],
    ["a character that is cut off", '{"a":"\xc3"}', 6],
    ["the end in a character", '"\xf0\x9f\xa6', 1],
    ["an overlong slash", '"\xc0\xaf"', 1],
    ["a surrogate", '"\xed\xa0\x80"', 1],
    ["a code point above all", '"abc\xf4\x90\x80\x80"', 4],
    ["UTF-16", "\xff\xfe{\0}\0", 0],
  ])("that has %s is refused with the position of the byte", (_, latin1, byte) => {
    const message = `is not UTF-8 at byte ${byte}, counted from 0`;
    expect(faultOf(latin1)).toEqual({ keyword: "utf-8", path: "", message });
  });

  test("is refused with the right position wherever the byte is", () => {
    const bytes = fc.tuple(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\xff", "\x80", "\xfe"),
      fc.string(),
    );
    fc.assert(
      fc.property(bytes, ([before, bad, after]) => {
        const good = Buffer.from(before).toString("latin1");
        expect(faultOf(good + bad + after)?.message).toMatch(
          new RegExp(`^is not UTF-8 at byte ${good.length}, `),
        );
      }),
    );
  });

  test.each([
    ['{"a":1,"a":2}', "/a"],
    ['{"a":1,"\\u0061":1}', "/a"],
    ['{"b":[0,{"c":[{"x/y~":1 , "x/y~" :2}]}]}', "/b/1/c/0/x~1y~0"],
    ['{"":0,"b":{},"":0}', "/"],
    ['[[],{"\\"":0,"\\"":0}]', '/1/"'],
    ['{"__proto__":1,"__proto__":1}', "/__proto__"],
  ])("that names a member twice, as %s, is refused with its position", (text, path) => {
    expect(faultOf(text)).toMatchObject({ keyword: "duplicate", path });
  });

  test.each([
    ["0.1000000000000000055", "/0"],
    ["12345678901234567890", "/0"],
    ["9007199254740993", "/0"],
    ["1e400", "/0"],
    ["-1e400", "/0"],
    ["1e-400", "/0"],
    ["4.9e-324", "/0"],
    ["3.14159265358979323846", "/0"],
    ['1,{"b":[2.00000000000000000001]}', "/1/b/0"],
  ])("that has the number %s is refused with its position", (numbers, path) => {
    expect(faultOf(`[${numbers}]`)).toEqual({
      keyword: "number",
      path,
      message: "would lose digits; send it as a string",
    });
  });

  test("keeps every number whose double prints the same value, in any notation", () => {
    const good = [
      "0",
      "-0",
      "0.0",
      "0e999",
      "1.0",
      "1.50",
      "100e-2",
      "1E2",
      "1e+2",
      "0.1",
      "19.99",
      "5e-324",
    ];
    const large = ["1e21", "1.7976931348623157e308", "123456789012345680000", `1.${"0".repeat(1000)}`];
    for (const number of [...good, ...large]) expect([number, losesDigits(number)]).toEqual([number, false]);
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (one) => !losesDigits(String(one))),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: 1, max: 1e15 }), (one) =>
        losesDigits(`${one.toPrecision(17)}12345`),
      ),
    );
  });

  test("takes linear time for texts made to be slow", () => {
    const began = performance.now();
    for (const text of [
      `"${"\\\\".repeat(130_000)}"`,
      `[${'"\\"",'.repeat(40_000)}0]`,
      `[1${"0".repeat(250_000)}.${"0".repeat(10)}]`,
      `[0.${"0".repeat(250_000)}1]`,
      `${"[".repeat(900)}${"]".repeat(900)}`,
      `{${Array.from({ length: 20_000 }, (_, at) => `"${at}":0`).join()}}`,
    ]) {
      faultOf(text);
    }
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
