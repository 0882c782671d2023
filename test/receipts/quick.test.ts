import { base58 } from "@scure/base";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { visit } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { decode64, encode64 } from "../../receipts/base58.ts";
import { proofSchema, settlementDocumentSchema, urlSchema } from "../../receipts/document.ts";
import { Rejection } from "../../receipts/errors.ts";
import { parseJson } from "../../receipts/json.ts";
import { compile, proofInputNatively } from "../../receipts/native.ts";
import { canonicalText, proofInput } from "../../receipts/proof.ts";
import { recordStatementSchema } from "../../receipts/record-statement.ts";
import { x402OfferSchema, x402ReceiptSchema } from "../../receipts/x402.ts";
import {
  sampleDocument,
  sampleDocument1,
  sampleOffer,
  sampleReceipt,
  sampleRecord,
} from "../harness/receipts/documents.ts";
import { createChance, mutateValue } from "../harness/receipts/mutate.ts";

const issuer = { url: "https://market.example", did: "did:web:market.example" };
const characters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

describe("base58btc of 64 bytes", () => {
  const bytes = fc
    .tuple(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.nat(64), fc.constantFrom(0, 1, 255))
    .map(([random, count, filling]) => random.fill(filling, 0, count));

  test("is what the library writes and reads, whatever the bytes begin with", () => {
    fc.assert(
      fc.property(bytes, (each) => {
        const text = base58.encode(each);
        expect(encode64(each)).toBe(text);
        expect(decode64(text)).toEqual(each);
      }),
      { numRuns: 1000 },
    );
  });

  test("is read where the library reads 64 bytes, and from no other text", () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(...characters), minLength: 80, maxLength: 90 }),
      fc
        .tuple(fc.string({ unit: fc.constantFrom("1", "z"), maxLength: 90 }), fc.string())
        .map((two) => two.join("")),
      fc.tuple(bytes, fc.nat(87), fc.string({ unit: "binary", maxLength: 2 })).map(([each, at, other]) => {
        const written = base58.encode(each);
        return written.slice(0, at) + other + written.slice(at + 1);
      }),
    );
    fc.assert(
      fc.property(text, (each) => {
        let read: Uint8Array | null = null;
        try {
          read = base58.decode(each);
        } catch {}
        expect(decode64(each)).toEqual(read?.length === 64 ? read : null);
      }),
      { numRuns: 1000 },
    );
    for (const odd of ["", "1", "1".repeat(64), "1".repeat(88), "z".repeat(87), "z".repeat(88)]) {
      const read = base58.decode(odd);
      expect(decode64(odd)).toEqual(read.length === 64 ? read : null);
    }
  });

  test("is of no other number of bytes", () => {
    for (const length of [0, 63, 65]) expect(() => encode64(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe("a URL that is taken without being parsed", () => {
  test("is one that the platform can parse", () => {
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

describe("JSON that is read in one pass", () => {
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

  /** The code of what is wrong first, as a parser finds it that tells each name and number with its place. */
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

  test("is refused for what another parser finds in it first, and for nothing else", () => {
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

describe("a compiled schema", () => {
  const chance = createChance(20_261_126);
  const documents = [
    sampleDocument(issuer),
    sampleDocument(issuer, { claim: "funded", output_hash: null }),
    sampleDocument1(issuer),
  ];
  const proof = {
    type: "DataIntegrityProof",
    cryptosuite: "eddsa-jcs-2022",
    created: "2026-11-20T12:00:00.000Z",
    verificationMethod: "did:web:market.example#key-1-mb",
    proofPurpose: "assertionMethod",
    proofValue: "z1",
  };

  test.each([
    ["settlement documents", settlementDocumentSchema, documents],
    ["proofs", proofSchema, [proof]],
    ["statements of a record", recordStatementSchema, [sampleRecord(issuer)]],
    ["x402 receipts", x402ReceiptSchema, [{ version: 1, ...sampleReceipt(issuer) }]],
    ["x402 offers", x402OfferSchema, [{ version: 1, ...sampleOffer(issuer) }]],
  ] as const)("says of 2,000 %s what the schema says", (_, schema, originals) => {
    let good = 0;
    for (let n = 0; n < 2000; n++) {
      const original: unknown = chance.one(originals as readonly unknown[]);
      const value =
        n % 4 === 0 ? original : mutateValue(original, chance.one(originals as readonly unknown[]), chance);
      const [plain, quick] = [schema.safeParse(value), compile(schema).safeParse(value)];
      expect(quick.success).toBe(plain.success);
      if (plain.success) good++;
      expect(JSON.stringify(quick.data)).toBe(JSON.stringify(plain.data));
      // They are signed as they are written.
      if (quick.success && schema === settlementDocumentSchema) {
        expect(JSON.stringify(quick.data)).toBe(canonicalize(value));
      }
      expect(quick.error?.issues).toEqual(plain.error?.issues);
    }
    expect(good).toBeGreaterThanOrEqual(500);
    expect(good).toBeLessThan(2000);
  });

  test("gives a settlement document whose members are in the order in which they are signed", () => {
    for (const document of documents) {
      const parsed = settlementDocumentSchema.parse(document);
      expect(parsed).toEqual(document);
      expect(JSON.stringify(parsed)).toBe(canonicalize(document));
    }
  });
});

describe("what a proof signs", () => {
  test("is the same by node:crypto", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.string(), (value, created) => {
        const [document, options] = [
          { value, a: created },
          { type: "DataIntegrityProof", created },
        ];
        expect(new Uint8Array(proofInputNatively(document, options))).toEqual(proofInput(document, options));
      }),
    );
  });

  test("is the canonical text also of what is in order down to a member that is not", () => {
    const odd = [
      { a: 1, b: { a: 1, c: { b: 2, a: 1 } }, c: [{ b: 1, a: 2 }] },
      { a: [], b: [1, [{ d: 1 }]], c: null },
      { a: { b: { d: 1, c: 2 } } },
      { a: 1, b: { toJSON: () => "text" } },
    ];
    for (const one of odd) {
      const before = JSON.stringify(one);
      expect(canonicalText(one)).toBe(canonicalize(one));
      expect(JSON.stringify(one)).toBe(before);
    }
  });
});
