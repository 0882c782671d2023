import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod";
import { documentVersions } from "../../receipts/document.ts";
import { signedRecordStatementSchema } from "../../receipts/record-statement.ts";
import { jsonSchemaOf, type SchemaName, schemaNames } from "../../receipts/schema.ts";
import { signDocument, signRecordStatement } from "../../receipts/sign.ts";
import { randomRuns } from "../harness/random-runs.ts";
import {
  type Issuer,
  sampleDocument,
  sampleDocument1,
  sampleRecord,
  startIssuer,
} from "../harness/receipts/documents.ts";

const schemas: Record<SchemaName, z.ZodType> = {
  "settlement-document-1.json": documentVersions[1],
  "settlement-document-2.json": documentVersions[2],
  "agent-record-statement-1.json": signedRecordStatementSchema,
};

let issuer: Issuer;
let signed: Record<SchemaName, { proof: object; $schema?: string }>;
let validate: Record<SchemaName, ValidateFunction>;

beforeAll(async () => {
  issuer = await startIssuer();
  const { key, did } = issuer;
  signed = {
    "settlement-document-1.json": signDocument(sampleDocument1(issuer), key, did),
    "settlement-document-2.json": signDocument(sampleDocument(issuer), key, did),
    "agent-record-statement-1.json": signRecordStatement(sampleRecord(issuer), key, did),
  };
  const compile = (name: SchemaName) => {
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    addFormats.default(ajv);
    return ajv.compile(jsonSchemaOf(name));
  };
  validate = Object.fromEntries(schemaNames.map((name) => [name, compile(name)])) as typeof validate;
});
afterAll(() => issuer?.close());

describe.each(schemaNames)("the JSON Schema %s", (name) => {
  test("accepts signed documents of its own kind and version only", () => {
    for (const other of schemaNames) {
      expect([other, validate[name](signed[other])]).toEqual([other, other === name]);
    }
  });

  test("requires every member, and allows no other", () => {
    for (const member of Object.keys(signed[name])) {
      const { [member]: _gone, ...rest } = signed[name] as Record<string, unknown>;
      expect([member, validate[name](rest)]).toEqual([member, false]);
    }
    expect(validate[name]({ ...signed[name], note: "x" })).toBe(false);
    expect(validate[name]({ ...signed[name], proof: { ...signed[name].proof, nonce: "x" } })).toBe(false);
  });

  test("refuses what the verifier refuses in any member, except checksums, names and sizes", () => {
    const members = Object.keys(signed[name]).filter((member) => member !== "issuer");
    const property = fc.property(fc.constantFrom(...members), fc.jsonValue(), (member, value) => {
      const changed = { ...signed[name], [member]: value };
      expect(validate[name](changed)).toBe(schemas[name].safeParse(changed).success);
    });
    fc.assert(property, { numRuns: randomRuns(2000) });
  });
});

test.each([1, 2] as const)("version %i accepts each claim, and a document without an output", (version) => {
  const name = `settlement-document-${version}.json` as const;
  for (const claim of ["funded", "released", "refunded"]) {
    expect(validate[name]({ ...signed[name], claim })).toBe(true);
  }
  const part = { claim: "part_released", ...(version === 2 ? { released_so_far: "1" } : {}) };
  expect(validate[name]({ ...signed[name], ...part })).toBe(version === 2);
  expect(validate[name]({ ...signed[name], output_hash: null })).toBe(true);
});

test("a newly signed document names its schema", () => {
  for (const name of schemaNames.filter((one) => one !== "settlement-document-1.json")) {
    expect(signed[name].$schema).toMatch(new RegExp(`/${name}$`));
  }
});
