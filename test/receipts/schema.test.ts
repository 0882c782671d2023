import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentVersions, type SignedSettlementDocument } from "../../receipts/document.ts";
import { documentJsonSchema, schemaName } from "../../receipts/schema.ts";
import { signDocument } from "../../receipts/sign.ts";
import { type Issuer, sampleDocument, sampleDocument1, startIssuer } from "../harness/receipts/documents.ts";

const versions = [1, 2] as const;

let issuer: Issuer;
let signed: Record<1 | 2, SignedSettlementDocument>;
let validate: Record<1 | 2, ValidateFunction>;

beforeAll(async () => {
  issuer = await startIssuer();
  const sign = (document: Parameters<typeof signDocument>[0]) =>
    signDocument(document, issuer.key, issuer.did);
  signed = { 1: sign(sampleDocument1(issuer)), 2: sign(sampleDocument(issuer)) };
  const compile = (version: 1 | 2) => {
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    addFormats.default(ajv);
    return ajv.compile(documentJsonSchema(version));
  };
  validate = { 1: compile(1), 2: compile(2) };
});
afterAll(() => issuer?.close());

describe.each(versions)("the JSON Schema of version %i", (version) => {
  test("takes what is signed, for each claim, and of its own version only", () => {
    for (const claim of ["funded", "released", "refunded"]) {
      expect(validate[version]({ ...signed[version], claim })).toBe(true);
    }
    expect(validate[version]({ ...signed[version], output_hash: null })).toBe(true);
    expect(validate[version](signed[version === 1 ? 2 : 1])).toBe(false);
  });

  test("asks for every member, and allows no other", () => {
    for (const member of Object.keys(signed[version]) as (keyof SignedSettlementDocument)[]) {
      const { [member]: _gone, ...rest } = signed[version];
      expect([member, validate[version](rest)]).toEqual([member, false]);
    }
    expect(validate[version]({ ...signed[version], note: "x" })).toBe(false);
    expect(validate[version]({ ...signed[version], proof: { ...signed[version].proof, nonce: "x" } })).toBe(
      false,
    );
  });

  test("refuses what the verifier refuses in any member, but for checksums, names and sizes", () => {
    const members = Object.keys(signed[version]).filter((member) => member !== "issuer");
    const property = fc.property(fc.constantFrom(...members), fc.jsonValue(), (member, value) => {
      const changed = { ...signed[version], [member]: value };
      expect(validate[version](changed)).toBe(documentVersions[version].safeParse(changed).success);
    });
    fc.assert(property, { numRuns: 2000 });
  });
});

test("a document names the schema of its version", () => {
  expect((signed[2] as { $schema?: string }).$schema).toMatch(new RegExp(`/${schemaName(2)}$`));
});
