import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { checkPayload, checkSchema } from "../../../untrusted/schemas/payloads.ts";

const paths = (violations: { path: string }[]) => violations.map(({ path }) => path);

/** `allOf` of two references at each level: 2^40 steps for any payload at all. */
const doubling = {
  $ref: "#/$defs/level0",
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/$defs/level${at + 1}` };
      return [`level${at}`, { allOf: [next, next] }];
    }).concat([["level40", { allOf: [] as never }]]),
  ),
};
doubling.$defs.level40 = { required: ["x"] } as never;

function nested(levels: number, keyword: "allOf" | "not"): object {
  let schema: object = {};
  for (let at = 0; at < levels; at += 1) schema = { [keyword]: keyword === "allOf" ? [schema] : schema };
  return schema;
}

describe("checkSchema", () => {
  test.each([
    ["an empty schema", {}],
    ["an object with properties", { type: "object", properties: { a: { type: "string" } }, required: ["a"] }],
    ["one that names its dialect", { $schema: "https://json-schema.org/draft/2020-12/schema" }],
    ["one of several types, with object among them", { type: ["object", "null"] }],
    ["references within", { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } }],
    ["a reference to itself through a property", { properties: { child: { $ref: "#" } } }],
    ["an anchor", { properties: { a: { $ref: "#here" } }, $defs: { a: { $anchor: "here" } } }],
    [
      "its own id",
      {
        $id: "https://a.example/s",
        properties: { a: { $ref: "https://a.example/s#/$defs/b" } },
        $defs: { b: {} },
      },
    ],
    [
      "keywords nobody knows",
      { "x-note": "mine", properties: { a: { format: "colour", widget: "slider" } } },
    ],
    [
      "prefixItems, unevaluated and dependent keywords",
      {
        properties: { a: { prefixItems: [{}], items: false, minContains: 0, contains: {} } },
        dependentRequired: { a: ["b"] },
        unevaluatedProperties: false,
      },
    ],
    [
      "a property named as a keyword",
      { properties: { $ref: { type: "string" }, pattern: { const: "(?=x)" } } },
    ],
    ["patterns of RE2", { properties: { a: { pattern: "^[\\w.-]+@\\p{L}{1,64}(?<top>\\.[a-z]+)$" } } }],
  ])("accepts %s", (_, schema) => {
    expect(checkSchema(schema)).toEqual([]);
  });

  test.each([
    ["a boolean", true, [""]],
    ["a list", [], [""]],
    ["null", null, [""]],
    ["a text", "{}", [""]],
    ["a root that is no object", { type: "array" }, ["/type"]],
    ["a root of types without object", { type: ["string", "null"] }, ["/type"]],
    ["another dialect", { $schema: "http://json-schema.org/draft-07/schema#" }, ["/$schema"]],
    ["items as draft 7 had them", { properties: { a: { items: [{}] } } }, ["/properties/a/items"]],
    ["a minimum in words", { properties: { a: { minimum: "1" } } }, ["/properties/a/minimum"]],
    [
      "two faults at once",
      { required: "a", properties: { b: { maxLength: -1 } } },
      ["/properties/b/maxLength", "/required"],
    ],
    [
      "a reference to elsewhere",
      { properties: { a: { $ref: "https://a.example/s" } } },
      ["/properties/a/$ref"],
    ],
    ["a reference to a file", { properties: { a: { $ref: "file:///etc/passwd" } } }, ["/properties/a/$ref"]],
    ["a reference to nothing", { properties: { a: { $ref: "#/$defs/b" } } }, ["/properties/a/$ref"]],
    ["a reference to itself", { $ref: "#" }, [""]],
    [
      "references in a ring",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      [""],
    ],
    ["a pattern that is none", { properties: { a: { pattern: "(" } } }, ["/properties/a/pattern"]],
    [
      "a pattern that looks ahead",
      { properties: { a: { pattern: "^(?=.*\\d)" } } },
      ["/properties/a/pattern"],
    ],
    ["a pattern that refers back", { properties: { a: { pattern: "(a)\\1" } } }, ["/properties/a/pattern"]],
    [
      "a pattern that repeats too often",
      { properties: { a: { pattern: "^.{1,1001}$" } } },
      ["/properties/a/pattern"],
    ],
    [
      "a property pattern that is none",
      { patternProperties: { "a/(?!b)": {} } },
      ["/patternProperties/a~1(?!b)"],
    ],
    ["nesting without end", nested(100_000, "allOf"), [""]],
    ["nesting of 65 levels", { properties: nested(64, "not") }, [""]],
    ["a dynamic reference to itself", { $dynamicAnchor: "n", $dynamicRef: "#n" }, ["/$dynamicRef"]],
    ["a dynamic reference to elsewhere", { $dynamicRef: "https://a.example/s#n" }, ["/$dynamicRef"]],
    [
      "the draft itself, which is elsewhere",
      { $ref: "https://json-schema.org/draft/2020-12/schema" },
      ["/$ref"],
    ],
    [
      "repetitions that multiply",
      { properties: { a: { pattern: "((a{10}){100}){2}" } } },
      ["/properties/a/pattern"],
    ],
    ["over 64 kB", { description: "x".repeat(64 * 1024) }, [""]],
    ["references that double at each level", doubling, [""]],
  ])("refuses %s, with the path", (_, schema, expected) => {
    const violations = checkSchema(schema);
    expect([...new Set(paths(violations))].sort()).toEqual(expected);
    for (const { keyword, message } of violations) {
      expect(keyword).not.toBe("");
      expect(message).not.toBe("");
    }
  });

  test("explains each refusal", () => {
    expect(checkSchema({ properties: { a: { pattern: "(?=x)" } } })).toEqual([
      {
        path: "/properties/a/pattern",
        keyword: "pattern",
        message: "is no pattern that RE2 can run (it has no (?=)",
      },
    ]);
    expect(checkSchema(doubling)).toEqual([
      { path: "", keyword: "timeout", message: "takes too long to be checked; simplify the schema" },
    ]);
  });
});

test("a process that stands still during its first check, as on a busy machine, checks the next schema", async () => {
  const program = `
    import { spawn } from "node:child_process";
    import { checkSchema } from ${JSON.stringify(import.meta.resolve("../../../untrusted/schemas/payloads.ts"))};
    const pause = \`sleep 0.03; kill -STOP \${process.pid}; sleep 2.4; kill -CONT \${process.pid}\`;
    spawn("sh", ["-c", pause], { stdio: "ignore" });
    const until = performance.now() + 28;
    while (performance.now() < until);
    let checks = 0;
    let found;
    do found = checkSchema({ type: "object" });
    while (found[0]?.keyword === "timeout" && ++checks < 5);
    console.log(JSON.stringify(found));`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
  expect(JSON.parse(stdout)).toEqual([]);
});

describe("checkPayload", () => {
  test.each([
    [0.01, [19.99, 4.35, 123_456_789.12, 0, -0.07, 1e21, 1e-2], [19.999, 0.005, 1e-3]],
    [0.1, [0.3, 1.1, 1e300], [0.35]],
    [1e-300, [1, 1.5e-300 * 2, 1e300], [1.5e-300, 5e-324]],
    [3, [9, -9, 3e15, 9007199254740990], [10, 1.5, 9007199254740991]],
    [1.5, [4.5, 3], [4, 1]],
    [1e300, [0, 5e300, 1e308], [1, 1e299, 1.5e300]],
  ])("a multiple of %d is decided by its digits, not by division of doubles", (multipleOf, good, bad) => {
    const schema = { properties: { a: { items: { multipleOf } } } };
    expect(checkPayload(schema, { a: good })).toEqual([]);
    expect(checkPayload(schema, { a: bad })).toEqual(
      bad.map((_, at) => ({
        path: `/a/${at}`,
        keyword: "multipleOf",
        message: `must be multiple of ${multipleOf}`,
      })),
    );
  });

  test("names every violation, each with its pointer", () => {
    const schema = {
      type: "object",
      properties: {
        text: { type: "string", minLength: 3 },
        "a/b~c": { type: "integer" },
        list: { type: "array", items: { enum: ["x", "y"] }, uniqueItems: true },
        when: { format: "date-time" },
        fixed: { const: { a: 1 } },
      },
      required: ["text", "missing"],
      dependentRequired: { list: ["size"] },
      propertyNames: { maxLength: 8 },
      additionalProperties: false,
    };
    const payload = {
      text: "ab",
      "a/b~c": 1.5,
      list: ["x", "z", "x"],
      when: "yesterday",
      fixed: { a: 2 },
      unforeseen: 1,
    };
    const expected = [
      ["/text", "minLength", "must NOT have fewer than 3 characters"],
      ["/a~1b~0c", "type", "must be integer"],
      ["/list/1", "enum", 'must be one of ["x","y"]'],
      ["/list", "uniqueItems", "must NOT have duplicate items"],
      ["/when", "format", 'must match format "date-time"'],
      ["/fixed", "const", 'must be {"a":1}'],
      ["/missing", "required", "is required"],
      ["/size", "dependentRequired", expect.any(String)],
      ["/unforeseen", "maxLength", "must NOT have more than 8 characters"],
      ["/unforeseen", "propertyNames", "property name must be valid"],
      ["/unforeseen", "additionalProperties", "is not a property that the schema allows"],
    ];
    const violations = checkPayload(schema, payload);
    expect(violations).toHaveLength(expected.length);
    expect(violations).toEqual(
      expect.arrayContaining(expected.map(([path, keyword, message]) => ({ path, keyword, message }))),
    );
  });

  test.each([
    ["nothing", undefined],
    ["a list", []],
    ["a text", "{}"],
  ])("refuses %s even under an empty schema", (_, payload) => {
    expect(checkPayload({}, payload)).toEqual([{ path: "", keyword: "type", message: "must be an object" }]);
  });

  test("lets the schema decide whether a payload may be absent", () => {
    expect(checkPayload({}, null)).toEqual([]);
    expect(checkPayload({ type: ["object", "null"], required: ["a"] }, null)).toEqual([]);
    expect(checkPayload({ type: "object" }, null)).toEqual([
      { path: "", keyword: "type", message: "must be object" },
    ]);
    expect(checkPayload({ not: { type: "null" } }, null)).toHaveLength(1);
    const either = { anyOf: [{ type: "null" }, { type: "object", required: ["a"] }] };
    expect(checkPayload(either, null)).toEqual([]);
    // A schema without a type still requires a payload with its required members.
    expect(checkPayload({ properties: { a: { pattern: "x" } } }, null)).toEqual([]);
    expect(checkPayload({ required: ["a"] }, null)).toEqual([
      { path: "/a", keyword: "required", message: "is required" },
    ]);
  });

  test("leaves the payload unchanged", () => {
    const payload = { n: "1", nested: {} };
    const schema = {
      properties: { n: { type: "number" }, nested: { properties: { d: { default: 1 } } } },
      additionalProperties: false,
    };
    expect(checkPayload(schema, payload)).toHaveLength(1);
    expect(payload).toEqual({ n: "1", nested: {} });
  });

  test("takes no inherited member for a property", () => {
    expect(paths(checkPayload({ required: ["toString", "constructor"] }, {}))).toEqual([
      "/toString",
      "/constructor",
    ]);
    expect(checkPayload({ required: ["constructor"] }, { constructor: 1 })).toEqual([]);
  });

  test("distinguishes two patterns of one schema", () => {
    const schema = { properties: { a: { pattern: "^a+$" }, b: { pattern: "^b+$" } } };
    expect(checkPayload(schema, { a: "aa", b: "bb" })).toEqual([]);
    expect(paths(checkPayload(schema, { a: "bb", b: "aa" }))).toEqual(["/a", "/b"]);
  });

  test("separates the ids of two schemas", () => {
    const $id = "https://a.example/s";
    const property = (type: string) => ({
      $id,
      properties: { a: { $ref: `${$id}#/$defs/t` } },
      $defs: { t: { type } },
    });
    expect(checkPayload(property("string"), { a: "x" })).toEqual([]);
    expect(checkPayload(property("number"), { a: 1 })).toEqual([]);
    expect(checkPayload(property("string"), { a: 1 })).toHaveLength(1);
    // A third schema uses neither.
    expect(checkSchema({ properties: { a: { $ref: `${$id}#/$defs/t` } } })).toHaveLength(1);
  });

  test("stops its list at 100 and gives the number of the rest", () => {
    const schema = { properties: { list: { items: { type: "string" } } } };
    const violations = checkPayload(schema, { list: Array.from({ length: 250 }, () => 1) });
    expect(violations).toHaveLength(100);
    expect(violations[98]).toEqual({ path: "/list/98", keyword: "type", message: "must be string" });
    expect(violations[99]).toEqual({
      path: "",
      keyword: "limit",
      message: "151 more violations are not listed",
    });
    expect(checkPayload(schema, { list: Array.from({ length: 100 }, () => 1) })).toHaveLength(100);
  });

  test("has the same result for a plain schema with and without a time limit", () => {
    const schema = {
      type: "object",
      properties: {
        text: { type: "string", minLength: 2, maxLength: 5 },
        pages: { type: "array", items: { type: "integer", minimum: 1 }, maxItems: 2 },
        any: true,
        none: false,
      },
      required: ["text"],
      additionalProperties: { enum: [null, "x"] },
    };
    const watched = { ...schema, allOf: [{}] };
    for (const payload of [
      { text: "abc", pages: [1, 2], any: [{}], other: null },
      { text: "a", pages: [0, 1.5, "2"], none: 1, other: "y" },
      { text: "abcdef", pages: {} },
      {},
    ]) {
      expect(checkPayload(schema, payload)).toEqual(checkPayload(watched, payload));
    }
    expect(checkPayload(schema, { text: "a", none: 1 })).toHaveLength(2);
  });

  test("works when more schemas were used than it caches", () => {
    const schema = (at: number) => ({ properties: { a: { const: at } } });
    for (let at = 0; at < 120; at++) expect(checkPayload(schema(at), { a: at })).toEqual([]);
    expect(checkPayload(schema(0), { a: 1 })).toHaveLength(1);
  });

  describe("is not blocked by", () => {
    // A check may take half a second; the rest is for a busy machine.
    const limit = 10_000;
    const timed = (schema: Record<string, unknown>, payload: unknown) => {
      const started = performance.now();
      const violations = checkPayload(schema, payload);
      expect(performance.now() - started).toBeLessThan(limit);
      return violations;
    };

    test("a pattern that backtracks without end elsewhere", () => {
      for (const pattern of ["^(a+)+$", "^(a|aa)+$", "^(.*,){20}x$", "(x+x+)+y"]) {
        expect(timed({ properties: { a: { pattern } } }, { a: `${"a".repeat(100_000)}!` })).toHaveLength(1);
      }
    });

    test.each([
      ["an enum as large as a schema may be", { enum: Array.from({ length: 4000 }, (_, at) => ({ at })) }],
      ["numbers at the edge of what there is", { multipleOf: 5e-324, maximum: 1.7e308, minLength: 1.7e308 }],
      ["thousands of patterns", { pattern: `^(${"a?".repeat(400)}){2}$` }],
      ["a search in each of many lists", { contains: { const: 1 }, items: { contains: { const: 1 } } }],
      ["formats of long texts", { anyOf: [{ format: "email" }, { format: "hostname" }, { format: "uri" }] }],
    ])("%s", (_, a) => {
      const lists = Array.from({ length: 300 }, () => Array(300).fill(0));
      for (const value of [1.7e308, "a.".repeat(60_000), lists, { at: -1 }]) {
        timed({ properties: { a, b: { items: a } } }, { a: value, b: Array(20).fill(value) });
      }
      expect(timed({ required: ["a"] }, {})).toHaveLength(1);
    });

    test("members that no schema evaluated, beside a thousand others", () => {
      const anyOf = Array.from({ length: 600 }, (_, at) => ({ properties: { [`p${at}`]: {} } }));
      const payload = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`q${at}`, 1]));
      expect(timed({ anyOf, unevaluatedProperties: false }, payload).length).toBeGreaterThan(0);
    });

    test("names that would be code in a generated program", () => {
      const evil = '"];process.exit(1)//`+process.exit(1)+`\u2028';
      const schema = {
        properties: { [evil]: { const: evil, pattern: "exit" } },
        required: [evil],
        $defs: { [evil]: {} },
      };
      expect(timed(schema, { [evil]: evil })).toEqual([]);
      expect(timed(schema, {})).toHaveLength(1);
    });

    test("members named __proto__, which change nothing", () => {
      const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
      timed(schema, JSON.parse('{"__proto__":{"polluted":1}}'));
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    });

    test("unique items among as many objects as a body holds", () => {
      const schema = { properties: { a: { uniqueItems: true } } };
      const list = Array.from({ length: 20_000 }, (_, at) => ({ at }));
      expect(timed(schema, { a: list })).toEqual([]);
      expect(timed(schema, { a: [...list, { at: 1 }] })).toHaveLength(1);
    });

    test("references that double at each level: it gives up with a refusal", () => {
      expect(timed(doubling, {})).toEqual([
        { path: "", keyword: "timeout", message: "takes too long to be checked; simplify the schema" },
      ]);
      // The next check is as fast as usual.
      expect(timed({ required: ["a"] }, { a: 1 })).toEqual([]);
    });

    test("a payload as deep as a body may be, under a recursive schema", () => {
      let deep: Record<string, unknown> = {};
      for (let at = 0; at < 64; at++) deep = { child: deep };
      expect(timed({ properties: { child: { $ref: "#" } }, additionalProperties: false }, deep)).toEqual([]);
    });
  });
});
