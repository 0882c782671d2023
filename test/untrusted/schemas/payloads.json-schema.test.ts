import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkDialect, checkPayload, checkValue } from "../../../untrusted/schemas/payloads.ts";

/** A schema, with valid and invalid data. */
type Group = [schema: Record<string, unknown> | boolean, tests: [data: unknown, valid: boolean][]];

/**
 * The schemas and the data of the official suite's tests for 2020-12, by its files, without their descriptions:
 * https://github.com/json-schema-org/JSON-Schema-Test-Suite, commit 44401e0c046704b476ec9d2e2fccdaee618f259d (MIT). The npm
 * package `@json-schema-org/tests` holds no tests.
 */
const suite: Record<string, Group[]> = JSON.parse(
  readFileSync(new URL("./json-schema-2020-12.vectors.json", import.meta.url), "utf8"),
);

/** The rules by which the service refuses groups of the suite when a schema is written, by file. */
const refusals: Record<string, [keyword: string, groups: number][]> = {
  "defs.json": [["$ref", 1]],
  "dynamicRef.json": [
    ["$dynamicRef", 15],
    ["$ref", 5],
  ],
  "enum.json": [["enum", 1]],
  "properties.json": [["properties", 1]],
  "ref.json": [["$ref", 1]],
  "refRemote.json": [["$ref", 15]],
  "unevaluatedItems.json": [
    ["$dynamicRef", 1],
    ["unevaluatedItems", 9],
  ],
  "unevaluatedProperties.json": [["$dynamicRef", 1]],
  "vocabulary.json": [["$schema", 2]],
  "optional/cross-draft.json": [["$ref", 1]],
  "optional/dynamicRef.json": [["$dynamicRef", 1]],
  "optional/format-assertion.json": [["$schema", 2]],
};

/** Formats that accept more than their RFCs, or are only annotations. */
const notes = ["idn-email.json", "idn-hostname.json", "iri.json", "iri-reference.json", "unknown.json"];

/** Tests whose result the standard leaves open, and where the service differs. */
const otherwise: Record<string, (data: unknown, valid: boolean) => boolean> = {
  // The service enforces formats.
  "format.json": (_, valid) => valid,
  // A keyword of draft 7, which is an annotation here.
  "optional/dependencies-compatibility.json": (_, valid) => !valid,
  // A label in Punycode is not decoded.
  "optional/format/hostname.json": (data, valid) => /xn--/i.test(String(data)) && !valid,
};

/** At the service, boolean schemas are nested in objects. */
const asObject = (schema: Group[0]) => (typeof schema === "boolean" ? { allOf: [schema] } : schema);

function runFile(file: string): void {
  const refused: Record<string, number> = {};
  const wrong: string[] = [];
  let right = 0;
  for (const [given, tests] of suite[file] as Group[]) {
    const schema = asObject(given);
    const [violation] = checkDialect(schema);
    if (violation) {
      expect(violation.path, JSON.stringify(schema)).not.toBe("");
      refused[violation.keyword] = (refused[violation.keyword] ?? 0) + 1;
      continue;
    }
    for (const [data, valid] of tests) {
      const isValid = checkValue(schema, data).length === 0;
      if (isValid === valid || otherwise[file]?.(data, valid)) right++;
      else wrong.push(`${JSON.stringify(schema)}: ${JSON.stringify(data)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(refused).toEqual(Object.fromEntries(refusals[file] ?? []));
  if (Object.keys(refused).length === 0) expect(right).toBeGreaterThan(0);
}

describe("the official suite of JSON Schema 2020-12: each enforced keyword is enforced right, and others are refused with their path", () => {
  const isNote = (file: string) => notes.some((name) => file.endsWith(`/${name}`));
  const files = Object.keys(suite);
  test.each(files.filter((file) => !isNote(file)))("%s", runFile);
  test.each(files.filter(isNote))("%s is an annotation: everything is valid", (file) => {
    for (const [schema, tests] of suite[file] as Group[]) {
      expect(checkDialect(asObject(schema))).toEqual([]);
      for (const [data] of tests) expect(checkValue(asObject(schema), data)).toEqual([]);
    }
  });
});

const isValid = (schema: Record<string, unknown>, payload: unknown) => {
  expect(checkDialect(schema)).toEqual([]);
  return checkPayload(schema, payload).length === 0;
};

describe("a keyword that JSON Schema 2020-12 lacks is an annotation", () => {
  test.each([
    ["$async", true],
    ["nullable", true],
    ["nullable", "yes"],
    ["id", "https://a.example/s"],
    ["id", 5],
    ["$recursiveRef", "#"],
    ["$recursiveAnchor", "node"],
    ["dependencies", { a: ["b"] }],
    ["additionalItems", false],
    ["discriminator", { propertyName: "kind" }],
    ["formatMinimum", "2030-01-01"],
    ["instanceof", "Date"],
    ["patternRequired", ["x"]],
    ["$data", "1/x"],
    ["strict", true],
    ["required_", ["zzz"]],
  ])("%s: %j changes nothing, at the root and below", (keyword, value) => {
    const rules = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
    const within = { properties: { a: { type: "string", [keyword]: value } }, required: ["a"] };
    for (const schema of [{ ...rules, [keyword]: value }, within]) {
      expect(isValid(schema, { a: "x" })).toBe(true);
      expect(isValid(schema, { a: 1 })).toBe(false);
      expect(isValid(schema, { a: null })).toBe(false);
      expect(isValid(schema, {})).toBe(false);
    }
  });
});

describe("equality", () => {
  const hostile: Record<string, unknown>[] = [
    { valueOf: 1 },
    { valueOf: { a: 1 }, toString: null },
    { toString: "x", constructor: 5, hasOwnProperty: null },
    { toJSON: 1 },
  ];

  test.each(hostile)("of %j with an enum, a const or another item compares members", (value) => {
    const choice = { properties: { a: { enum: [{ valueOf: 2 }, value] } } };
    const constant = { properties: { a: { const: value } } };
    const unique = { properties: { a: { uniqueItems: true } } };
    for (const schema of [choice, constant]) {
      expect(isValid(schema, { a: structuredClone(value) })).toBe(true);
      expect(isValid(schema, { a: { ...value, more: 1 } })).toBe(false);
      expect(isValid(schema, { a: { valueOf: 3 } })).toBe(false);
      expect(isValid(schema, { a: JSON.stringify(value) })).toBe(false);
    }
    expect(isValid(unique, { a: [value, structuredClone(value)] })).toBe(false);
    expect(isValid(unique, { a: [value, { ...value, more: 1 }] })).toBe(true);
  });
});

describe("references", () => {
  const id = "urn:uuid:deadbeef-1234-0000-0000-4321feebdaed";

  test("are followed by urn, by anchor, by pointer and through annotations", () => {
    const schema = {
      $id: id,
      properties: {
        a: { $ref: `${id}#/$defs/text` },
        b: { $ref: "#here" },
        c: { $ref: "#/components/schemas/text" },
        d: { $ref: "#/definitions/text" },
        e: { $ref: "urn:example:other" },
        self: { $ref: "#" },
      },
      $defs: {
        text: { type: "string", $anchor: "here" },
        other: { $id: "urn:example:other", type: "string" },
      },
      definitions: { text: { type: "string" } },
      components: { schemas: { text: { $ref: "#/components/schemas/more" }, more: { type: "string" } } },
    };
    const good = { a: "x", b: "x", c: "x", d: "x", e: "x" };
    expect(isValid(schema, { ...good, self: good })).toBe(true);
    for (const name of Object.keys(good)) {
      expect(isValid(schema, { ...good, [name]: 1 })).toBe(false);
      expect(isValid(schema, { self: { ...good, [name]: 1 } })).toBe(false);
    }
  });

  test.each([
    ["two schemas of one id", { $defs: { a: { $id: "urn:a:b" }, b: { $id: "urn:a:b" } } }, "/$defs/b/$id"],
    [
      "two schemas of one anchor",
      { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } },
      "/$defs/b/$anchor",
    ],
    [
      "a place that has a fault where no schema stands",
      { $ref: "#/x/y", x: { y: { type: 5 } } },
      "/x/y/type",
    ],
    ["a pattern of a place where no schema stands", { $ref: "#/x", x: { pattern: "(" } }, "/x/pattern"],
    [
      "another dialect below",
      { $defs: { a: { $schema: "http://json-schema.org/draft-07/schema#" } } },
      "/$defs/a/$schema",
    ],
    ["a pattern that nothing refers to", { $defs: { a: { pattern: "(?=x)" } } }, "/$defs/a/pattern"],
    ["a broken escape", { $ref: "#/%zz" }, "/$ref"],
  ])("of %s are refused with the path", (_, schema, path) => {
    expect(checkDialect(schema).map((violation) => violation.path)).toContain(path);
  });
});

describe("unevaluatedItems is refused beside keywords under which it would not be enforced", () => {
  test.each([
    ["contains", '{"contains":{"const":1},"unevaluatedItems":false}'],
    ["contains in a branch", '{"anyOf":[{"contains":true}],"unevaluatedItems":false}'],
    ["items in a branch", '{"anyOf":[{"items":{}},true],"unevaluatedItems":{}}'],
    ["items of a place in a condition", '{"if":{"prefixItems":[true]},"unevaluatedItems":{}}'],
  ])("%s", (_, text) => {
    const schema = JSON.parse(text);
    const path = "/unevaluatedItems";
    const violation = { keyword: path.slice(1), message: expect.stringMatching(/^is not enforced beside /) };
    expect(checkDialect(schema)).toEqual([{ path, ...violation }]);
    expect(checkDialect({ properties: { x: schema } })).toEqual([
      { path: `/properties/x${path}`, ...violation },
    ]);
    const { unevaluatedItems, ...rest } = schema;
    expect(checkDialect({ $ref: "#/$defs/a", $defs: { a: rest }, unevaluatedItems })).toEqual([
      { path, ...violation },
    ]);
  });
});

describe("a keyword that Ajv alone enforces wrongly, or throws at, is enforced right", () => {
  test.each([
    [
      "what a condition has evaluated that does not hold",
      '{"if":{"patternProperties":{"b":false}},"then":{"title":"x"},"unevaluatedProperties":false}',
      [{}],
      [{ b: 1 }, { c: 1 }],
    ],
    [
      "what a condition without then has evaluated",
      '{"if":{"properties":{"a":{"const":1}}},"unevaluatedProperties":false}',
      [{}, { a: 1 }],
      [{ a: 2 }, { b: 1 }],
    ],
    [
      "what a branch has evaluated that does not hold",
      '{"anyOf":[{"allOf":[{"patternProperties":{"^a":true}},{"required":["z"]}]},true],"unevaluatedProperties":false}',
      [{}],
      [{ a: 1 }],
    ],
    [
      "patternProperties beside a branch that has evaluated nothing",
      '{"anyOf":[{"required":["b"]},{"additionalProperties":{"type":"string"}}],"patternProperties":{"^a":{}}}',
      [{ a: "x" }, { a: 1, b: 1 }],
      [{ a: 1 }],
    ],
    [
      "patternProperties in a condition that never holds",
      '{"if":{"patternProperties":{"^a":true},"not":{}},"then":false}',
      [{}, { a: 1 }],
      [],
    ],
    [
      "contains in each of many lists",
      '{"additionalProperties":{"items":{"contains":{"const":1}}}}',
      [{ l: [[1], [2, 1]] }],
      [{ l: [[1], []] }, { l: [[1], [1], [2]] }, { l: [[], [1]] }],
    ],
  ])("%s", (_, text, good, bad) => {
    const schema = JSON.parse(text);
    for (const payload of good) expect([payload, isValid(schema, payload)]).toEqual([payload, true]);
    for (const payload of bad) expect([payload, isValid(schema, payload)]).toEqual([payload, false]);
  });
});
