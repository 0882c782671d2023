import fc from "fast-check";
import { visit } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { urlSchema } from "../../receipts/document.ts";
import { Rejection } from "../../receipts/errors.ts";
import { parseJson } from "../../receipts/json.ts";

describe("a URL that is accepted without parsing", () => {
  test("can be parsed by the platform", () => {
    const unit = fc.constantFrom(..."abz09.-:/?#[]@!$&'()*+,;=%_~X");
    const url = fc
      .tuple(fc.constantFrom("http://", "https://"), fc.string({ unit, maxLength: 12 }), fc.string({ unit }))
      .map(([scheme, host, rest]) => `${scheme}a${host}/${rest}`);
    const odd = [
      "xn--a",
      "a.1",
      "a.0x1",
      "a-b.c",
      "a.b-1",
      "a:99999",
      "a:9999",
      "a.-b",
      "a-.b",
      "a..b",
      "1.2.3.4",
    ];
    for (const host of odd) {
      const one = `https://${host}/path`;
      expect([one, urlSchema.safeParse(one).success]).toEqual([one, URL.canParse(one)]);
    }
    fc.assert(
      fc.property(url, (one) => {
        expect([one, urlSchema.safeParse(one).success]).toEqual([one, URL.canParse(one)]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("JSON that is signed", () => {
  const name = fc.constantFrom("a", "b", "a:", "a\\u0062", "\\u0061", '\\"', "\\\\", "__proto__", "1", "");
  const string = fc.constantFrom(
    '"a"',
    '":"',
    '"\\":"',
    '"-1.5e3"',
    '"{\\"a\\":1,\\"a\\":1}"',
    '"\\\\"',
    '""',
  );
  const odd = [
    "-0",
    "-5",
    "1.0",
    "0.5",
    "1e3",
    "4.2E1",
    "123456789012345",
    "1234567890123456",
    "12345678901234567",
  ];
  const number = fc.oneof(
    fc.nat().map(String),
    fc.constantFrom("0", "9007199254740991", "9007199254740992", "90071992547409910", ...odd),
  );
  const space = fc.constantFrom("", "", "", " ", "\n");
  const text = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
    value: fc.oneof({ depthSize: "small" }, number, string, fc.constant("true"), tie("object"), tie("array")),
    object: fc
      .array(fc.tuple(space, name, space, tie("value"), space), { maxLength: 4 })
      .map((all) => `{${all.map(([a, n, b, v, c]) => `${a}"${n}"${b}:${v}${c}`).join(",")}}`),
    array: fc.array(tie("value"), { maxLength: 3 }).map((all) => `[${all.join(", ")}]`),
  })).object;

  /** The code of the first fault, from a parser that knows the position of each name and number. */
  function fault(json: string): string | null {
    const names: Set<string>[] = [];
    let first: string | null = null;
    visit(json, {
      onObjectBegin: () => void names.push(new Set()),
      onObjectEnd: () => void names.pop(),
      onObjectProperty: (property) => {
        if (names.at(-1)?.has(property)) first ??= "duplicate_member";
        names.at(-1)?.add(property);
      },
      onLiteralValue: (value, offset, length) => {
        const isPlain = /^(?:0|-?[1-9][0-9]*)$/.test(json.slice(offset, offset + length));
        if (typeof value === "number" && !(isPlain && Number.isSafeInteger(value)))
          first ??= "invalid_number";
      },
    });
    return first;
  }

  test("is refused for the fault that another parser finds first, and for no other", () => {
    let good = 0;
    fc.assert(
      fc.property(text, (json) => {
        const code = fault(json);
        if (code === null) {
          good++;
          expect(() => parseJson(json)).not.toThrow();
          return;
        }
        let thrown: unknown;
        try {
          parseJson(json);
        } catch (error) {
          thrown = error;
        }
        expect([json, thrown instanceof Rejection && thrown.code]).toEqual([json, code]);
      }),
      { numRuns: 3000 },
    );
    expect(good).toBeGreaterThan(300);
    expect(good).toBeLessThan(2700);
  });
});
