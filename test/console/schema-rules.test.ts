import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { build } from "esbuild";
import { expect, test } from "vitest";
import metaschemas from "../../console/src/form/json-schema-2020-12.json" with { type: "json" };
import { checkSchema } from "../../untrusted/schemas/payloads.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const member = (a: unknown, more: object = {}) => ({ type: "object", properties: { a }, ...more });

/** Schemas on both sides of each rule, and members that only have the names of keywords. */
const schemas: unknown[] = [
  ...[{}, [], 5, null, true, "x"],
  ...["object", "array", ["object", "null"], ["string"], "strng"].map((type) => ({ type })),
  ...["2020-12/schema", "draft-07/schema#"].map((end) => ({
    $schema: `https://json-schema.org/draft/${end}`,
  })),
  ...["^a+$", "(?=a)", "(a)\\1", "[", "\\p{L}+", "\\-", "a{1,2000}", "(?<y>a)", "(?i:a)", "\\ud800"].map(
    (pattern) => member({ pattern }),
  ),
  ...["^x-", "(?=x)", "["].map((name) => ({ patternProperties: { [name]: {} } })),
  ...["pattern", "patternProperties", "$ref", "$id", "type", "enum", "default", "items", "format"].map(
    (name) => ({ properties: { [name]: { type: "string" } } }),
  ),
  ...["default", "const"].map((name) => member({ [name]: { pattern: "(", $ref: "#/nope" } })),
  ...["enum", "examples"].map((name) => member({ [name]: [{ pattern: "(", $ref: "#/nope" }] })),
  ...[
    "#",
    "#/$defs/x",
    "#/$defs/nope",
    "#/parts/x",
    "#anchor",
    "#nope",
    "#/%",
    "",
    "https://example.com/x",
  ].map(($ref) => member({ $ref }, { $defs: { x: { $anchor: "anchor" } }, parts: { x: {} } })),
  { $ref: "#" },
  { $id: "http://[" },
  { $id: "urn:a", $ref: "urn:a#/$defs/x", $defs: { x: {} } },
  { $dynamicAnchor: "a", $dynamicRef: "#a" },
  member({ $dynamicRef: "#a" }),
  member({ $schema: "http://json-schema.org/draft-07/schema#" }),
  member({ contains: {}, unevaluatedItems: false }),
  member({ anyOf: [{ prefixItems: [{}] }, true], unevaluatedItems: {} }),
  member({ prefixItems: [{}], unevaluatedItems: false }),
  member({}, { $defs: { x: { $anchor: "a" }, y: { $anchor: "a" } } }),
  member({ $ref: "#/parts/x" }, { parts: { x: { type: "strng" } } }),
  JSON.parse('{"properties":{"__proto__":{}}}'),
  { $id: "not a uri" },
  { $id: "https://example.com/a", ...member({ $ref: "b" }, { $defs: { x: { $id: "b" } } }) },
  { properties: { a: { $ref: "#/properties/größe" }, größe: {} } },
  ...[
    { enum: [] },
    { enum: [1, 1] },
    { minLength: -1 },
    { minimum: "1" },
    { multipleOf: 0 },
    { required: "b" },
    { required: ["b", "b"] },
    { items: [{}] },
    { prefixItems: [] },
    { allOf: [] },
    { format: "nonsense", unknown: 5 },
    { dependencies: { b: ["c"] } },
    { title: 5 },
    null,
    false,
  ].map((part) => member(part)),
];

test("the editor and the service accept and refuse the same schemas", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earnest-schema-rules-"));
  try {
    const outfile = join(folder, "rules.mjs");
    await build({
      entryPoints: [join(root, "console/src/form/schema-check.ts")],
      outfile,
      bundle: true,
      format: "esm",
      mainFields: ["module", "main"],
    });
    const { checkSchemaText }: typeof import("../../console/src/form/schema-check.ts") = await import(
      outfile
    );
    const verdicts = schemas.map((schema) => [
      JSON.stringify(schema),
      checkSchemaText(JSON.stringify(schema), []).faults.length === 0,
    ]);
    expect(verdicts).toEqual(
      schemas.map((schema) => [JSON.stringify(schema), checkSchema(schema).length === 0]),
    );
    const says = (text: string) =>
      checkSchemaText(text, []).faults.map(({ offset, message }) => [
        text.slice(offset).split(/[,}]/)[0],
        message,
      ]);
    expect(says('{"contains":true,"unevaluatedItems":false}')).toEqual([
      ["false", '"unevaluatedItems" is not enforced beside contains.'],
    ]);
    expect(says('{"properties":{"a/b":{"$dynamicRef":"#x","pattern":"(?i:a)"}}}')).toEqual([
      ['"#x"', '"$dynamicRef" is not enforced here; use $ref.'],
      ['"(?i:a)"', '"pattern" is no pattern that RE2 can run (it has no (?i).'],
    ]);
    expect(says('{"type":"array"}')).toEqual([
      ['"array"', '"type" must be object: inputs and outputs are objects.'],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the editor has the dialect's own schemas, byte for byte", () => {
  const ajv = new Ajv2020();
  for (const schema of metaschemas) expect(ajv.getSchema(schema.$id)?.schema).toEqual(schema);
});
