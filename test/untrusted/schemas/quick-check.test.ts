import { describe, expect, test } from "vitest";
import { isQuick } from "../../../untrusted/schemas/quick-check.ts";

const quick = (schema: Record<string, unknown>, payload: Record<string, unknown> = { a: 1 }) =>
  isQuick(schema, payload);

describe("isQuick", () => {
  test("accepts a schema that visits each part of a payload once", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", maxLength: 5 }, list: { items: { enum: [1, null] } }, any: true },
      additionalProperties: { minimum: 0 },
      required: ["a"],
    };
    expect(quick(schema)).toBe(true);
  });

  test.each([
    ["a pattern", { pattern: "^(a+)+$" }],
    ["patterns of names", { patternProperties: { "(a+)+$": {} } }],
    ["a format", { format: "uri" }],
    ["a reference", { $ref: "#" }],
    ["definitions", { $defs: { a: {} } }],
    ["all of some", { allOf: [{}] }],
    ["any of some", { anyOf: [{}] }],
    ["one of some", { oneOf: [{}] }],
    ["what is left out", { not: {} }],
    ["a condition", { if: {} }],
    ["what each item differs in", { uniqueItems: true }],
    ["one that some item fits", { contains: {} }],
    ["items by their places", { prefixItems: [{}] }],
    ["parts that nothing else looked at", { unevaluatedProperties: false }],
    ["a keyword that nobody knows", { "x-own": 1 }],
  ])("refuses a schema with %s, wherever it is", (_, keyword) => {
    expect(quick(keyword)).toBe(false);
    expect(quick({ properties: { a: keyword } })).toBe(false);
    expect(quick({ items: keyword })).toBe(false);
    expect(quick({ additionalProperties: { properties: { a: keyword } } })).toBe(false);
  });

  test("refuses a check that could be long: many parts of a payload, each compared with much of a schema", () => {
    const schema = { additionalProperties: { enum: Array.from({ length: 1000 }, (_, at) => `value ${at}`) } };
    const payload = (parts: number) =>
      Object.fromEntries(Array.from({ length: parts }, (_, at) => [`part ${at}`, "none"]));
    expect(quick(schema, payload(1))).toBe(true);
    expect(quick(schema, payload(1000))).toBe(false);
  });
});
