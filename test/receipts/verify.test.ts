import { createPrivateKey, sign } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proofInput } from "../../receipts/canonical-bytes.ts";
import type { SettlementDocument, SignedSettlementDocument } from "../../receipts/document.ts";
import { addProof, signDocument, signX402Receipt } from "../../receipts/sign.ts";
import { createSigningKey, multikeyMethodId } from "../../receipts/signing-keys.ts";
import { verifyReceipt } from "../../receipts/verify.ts";
import {
  BUYER,
  hash,
  ISSUED_AT,
  type Issuer,
  NOW,
  PROVIDER,
  sampleDocument,
  sampleDocument1,
  sampleReceipt,
  startIssuer,
} from "../harness/receipts/documents.ts";

let issuer: Issuer;
let other: Issuer;
let document: SignedSettlementDocument;
/** The key set is fetched for each check. A cache keeps the property tests fast. */
let cached: typeof fetch;

beforeAll(async () => {
  issuer = await startIssuer();
  other = await startIssuer();
  document = signDocument(sampleDocument(issuer), issuer.key, issuer.did);
  const body = await (await fetch(`${issuer.url}/.well-known/did.json`)).text();
  cached = async () => new Response(body);
});
afterAll(() => Promise.all([issuer.close(), other.close()]));

const check = (input: unknown, options = {}) =>
  verifyReceipt(input, { issuer: issuer.did, now: NOW, ...options });
const codeOf = async (input: unknown, options = {}) => {
  const result = await check(input, options);
  return result.valid ? "valid" : result.code;
};

/** Signs any content, as a faulty issuer would. */
function resign(statement: object, proof: object = {}, key = issuer.key) {
  const { proof: _old, ...unsigned } = statement as { proof?: unknown };
  const options = {
    type: "DataIntegrityProof" as const,
    cryptosuite: "eddsa-jcs-2022" as const,
    created: ISSUED_AT,
    verificationMethod: multikeyMethodId(issuer.did, key),
    proofPurpose: "assertionMethod" as const,
    ...proof,
  };
  return addProof(unsigned, options, createPrivateKey({ key: key.jwk, format: "jwk" }));
}

describe("a good settlement document", () => {
  test("is valid, its key set fetched from the issuer over HTTP", async () => {
    expect(await check(document)).toEqual({
      valid: true,
      kind: "settlement_document",
      claim: "released",
      document,
      issuer: issuer.did,
      keyId: `${issuer.did}#key-2-mb`,
      compromisedSince: null,
      status: "good",
      statusReason: null,
    });
  });

  test("is valid as text, in any layout", async () => {
    const shuffled = Object.fromEntries(Object.entries(document).reverse());
    expect(await codeOf(JSON.stringify(document))).toBe("valid");
    expect(await codeOf(JSON.stringify(shuffled, null, 4))).toBe("valid");
  });

  test("is valid for each claim, and without a delivery", async () => {
    for (const claim of ["funded", "released", "refunded"] as const) {
      const statement = sampleDocument(issuer, { claim, output_hash: null });
      expect(await check(signDocument(statement, issuer.key, issuer.did))).toMatchObject({
        valid: true,
        claim,
      });
    }
  });

  test("is valid in version 1, with only the fields of that version", async () => {
    const old = signDocument(sampleDocument1(issuer), issuer.key, issuer.did);
    expect(await check(old)).toMatchObject({ valid: true, document: { version: 1 } });
    const { $schema, terms, ...fields } = sampleDocument(issuer);
    for (const mixed of [
      { ...fields, version: 2 },
      { ...fields, version: 2, terms },
      { ...fields, version: 2, $schema },
      { ...fields, version: 1, terms },
      { ...fields, version: 1, $schema },
    ]) {
      expect(await codeOf(resign(mixed))).toBe("invalid_shape");
    }
  });

  test("is valid for a key that was retired after signing", async () => {
    const statement = sampleDocument(issuer, { issued_at: "2026-11-12T00:00:00.000Z" });
    const result = await check(signDocument(statement, issuer.retired, issuer.did));
    expect(result).toMatchObject({ valid: true, keyId: `${issuer.did}#key-1-mb` });
  });

  test("claims nothing about the chain", async () => {
    const result = await check(document);
    expect(Object.keys(result).sort()).toEqual([
      "claim",
      "compromisedSince",
      "document",
      "issuer",
      "keyId",
      "kind",
      "status",
      "statusReason",
      "valid",
    ]);
  });
});

/** Another valid value for every field, so that only the signature differs. */
const changes: Record<keyof Extract<SettlementDocument, { version: 2 }>, fc.Arbitrary<unknown>> = {
  $schema: fc.nat().map((n) => `http://localhost/schemas/${n}`),
  id: fc.nat().map((n) => `http://localhost/receipts/${n}`),
  type: fc.constantFrom("X402Receipt", "settlementdocument"),
  version: fc.constantFrom(0, 1, 3, "2"),
  issuer: fc.constantFrom("did:web:evil.example", "did:web:localhost", "did:web:localhost%3A1"),
  issued_at: fc
    .integer({ min: 1, max: 3600_000 })
    .map((ms) => new Date(Date.parse(ISSUED_AT) - ms).toISOString()),
  order_id: fc.stringMatching(/^ord_[0-9a-z]{10}$/),
  agreement_hash: fc.stringMatching(/^0x[0-9a-f]{64}$/),
  claim: fc.constantFrom("funded", "refunded"),
  chain: fc.integer({ min: 1, max: 31336 }).map((id) => `eip155:${id}`),
  contract: fc.constantFrom(BUYER, PROVIDER),
  escrow_id: fc.stringMatching(/^0x[0-9a-f]{64}$/),
  transaction: fc.stringMatching(/^0x[0-9a-f]{64}$/),
  block_number: fc.integer({ min: 43 }),
  block_hash: fc.stringMatching(/^0x[0-9a-f]{64}$/),
  log_index: fc.integer({ min: 4 }),
  buyer: fc.constant(PROVIDER),
  provider: fc.constant(BUYER),
  token: fc.constantFrom(BUYER, PROVIDER),
  amount: fc.bigInt({ min: 2500001n, max: 2n ** 128n - 1n }).map(String),
  output_hash: fc.option(fc.stringMatching(/^0x[0-9a-f]{64}$/)),
  released_so_far: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(String),
  terms: fc.record({
    amount: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(String),
    fund_by: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    delivery_window: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    acceptance_window: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    dispute_window: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    appeal_window: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    arbiter: fc.constantFrom(BUYER, PROVIDER),
  }),
};

describe("a tampered settlement document is refused", () => {
  test("the changes cover every field of a document", () => {
    const { proof: _proof, ...statement } = document;
    expect(Object.keys(changes).sort()).toEqual(Object.keys(statement).sort());
  });

  test.each(Object.keys(changes) as (keyof typeof changes)[])("when %s has another value", async (field) => {
    const expected = {
      type: "wrong_kind",
      version: "invalid_shape",
      released_so_far: "invalid_shape",
      issuer: "foreign_issuer",
    } as Record<string, string>;
    await fc.assert(
      fc.asyncProperty(changes[field], async (value) => {
        const result = await codeOf({ ...document, [field]: value }, { fetch: cached });
        expect(result).toBe(expected[field] ?? "invalid_signature");
      }),
      { numRuns: 20 },
    );
  });

  test.each(Object.keys(changes))("when %s is missing or of another form", async (field) => {
    const { [field]: _gone, ...rest } = document as Record<string, unknown>;
    const wrong = field === "type" ? "wrong_kind" : "invalid_shape";
    expect(await codeOf(rest, { fetch: cached })).toBe(wrong);
    // Values that keep the right form fail by their signature only.
    const isOfItsForm = (value: unknown) =>
      (/^(output_hash|released_so_far)$/.test(field) && value === null) ||
      (field === "amount" && typeof value === "string" && /^\d+$/.test(value)) ||
      (/^(block_number|log_index)$/.test(field) && Number.isSafeInteger(value) && Number(value) >= 0);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        if (isOfItsForm(value)) return;
        expect(await codeOf({ ...document, [field]: value }, { fetch: cached })).toBe(wrong);
      }),
      { numRuns: 30 },
    );
  });

  test("when a member is added, whatever its name", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.jsonValue(), async (name, value) => {
        if (name in document) return;
        const text = `${JSON.stringify(document).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`;
        expect(await codeOf(text, { fetch: cached })).toMatch(/^invalid_(shape|number)$/);
      }),
      { numRuns: 50 },
    );
    const text = `${JSON.stringify(document).slice(0, -1)},"__proto__":{"x":1}}`;
    expect(await codeOf(text, { fetch: cached })).toBe("invalid_shape");
  });

  test.each([
    ["created", { created: "2026-11-20T11:00:00.000Z" }, "invalid_signature"],
    ["created, of another form", { created: "yesterday" }, "invalid_proof"],
    ["type", { type: "Ed25519Signature2020" }, "unsupported_cryptosuite"],
    ["cryptosuite", { cryptosuite: "eddsa-rdfc-2022" }, "unsupported_cryptosuite"],
    ["proofPurpose", { proofPurpose: "authentication" }, "wrong_proof_purpose"],
    ["an unknown member", { domain: "example" }, "invalid_proof"],
    ["expires", { expires: "2099-01-01T00:00:00Z" }, "invalid_proof"],
    ["@context", { "@context": ["https://www.w3.org/ns/credentials/v2"] }, "invalid_proof"],
    ["an embedded key", { publicKeyMultibase: "z6Mk" }, "invalid_proof"],
    ["a proofValue that is no base58btc", { proofValue: "uAAAA" }, "invalid_encoding"],
    ["a proofValue with a letter base58 has not", { proofValue: `z0${"1".repeat(60)}` }, "invalid_encoding"],
    ["a proofValue of 65 bytes", { proofValue: `z${"1".repeat(65)}` }, "invalid_encoding"],
    ["a proofValue of zeros", { proofValue: `z${"1".repeat(64)}` }, "invalid_signature"],
  ])("when the proof's %s is changed", async (_field, change, code) => {
    expect(await codeOf({ ...document, proof: { ...document.proof, ...change } })).toBe(code);
  });

  test("when the proof is missing, null, a list or a text", async () => {
    const { proof, ...unsigned } = document;
    expect(await codeOf(unsigned)).toBe("missing_proof");
    expect(await codeOf({ ...unsigned, proof: null })).toBe("missing_proof");
    expect(await codeOf({ ...unsigned, proof: [proof] })).toBe("invalid_proof");
    expect(await codeOf({ ...unsigned, proof: "z" })).toBe("invalid_proof");
  });

  test("when the signature's scalar is not reduced", async () => {
    const { proofValue, ...options } = document.proof;
    const { proof: _proof, ...statement } = document;
    const key = createPrivateKey({ key: issuer.key.jwk, format: "jwk" });
    const signature = sign(null, proofInput(statement, options), key);
    // S + L verifies where the range of S is not checked (RFC 8032, 5.1.7).
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const scalar = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) + order;
    Buffer.from(scalar.toString(16).padStart(64, "0"), "hex").reverse().copy(signature, 32);
    const { base58 } = await import("@scure/base");
    const forged = { ...document, proof: { ...options, proofValue: `z${base58.encode(signature)}` } };
    expect(forged.proof.proofValue).not.toBe(proofValue);
    expect(await codeOf(forged)).toBe("invalid_signature");
  });
});

describe("a document of the wrong signer is refused", () => {
  test("when another issuer signed it for itself", async () => {
    const foreign = signDocument(sampleDocument(other), other.key, other.did);
    expect(await codeOf(foreign)).toBe("foreign_issuer");
  });

  test("when it names the expected issuer and another's key", async () => {
    const forged = resign(
      document,
      { verificationMethod: multikeyMethodId(other.did, other.key) },
      other.key,
    );
    expect(await codeOf(forged)).toBe("foreign_key");
  });

  test("when it names the expected issuer's key and another key signed it", async () => {
    const attacker = createSigningKey(issuer.key.kid);
    expect(await codeOf(resign(document, {}, attacker))).toBe("invalid_signature");
  });

  test.each([
    ["a key id under a longer host", "foreign_key", (did: string) => `${did}.evil.example#key-2-mb`],
    ["a key id under a path", "foreign_key", (did: string) => `${did}:evil#key-2-mb`],
    ["a key id with a query", "foreign_key", (did: string) => `${did}?x=1#key-2-mb`],
    ["a relative key id", "foreign_key", () => "#key-2-mb"],
    ["a did:key", "foreign_key", () => "did:key:z6Mk#z6Mk"],
    ["an unlisted key", "unknown_key", (did: string) => `${did}#key-9-mb`],
    ["the JWK form of the key", "unknown_key", (did: string) => `${did}#key-2`],
  ])("when its proof names %s", async (_what, code, name) => {
    expect(await codeOf(resign(document, { verificationMethod: name(issuer.did) }))).toBe(code);
  });

  test("when the caller expects an issuer with no key set", async () => {
    const gone = "did:web:localhost%3A1";
    const statement = resign({ ...document, issuer: gone }, { verificationMethod: `${gone}#key-2-mb` });
    expect(await codeOf(statement, { issuer: gone })).toBe("keys_unavailable");
  });

  test.each(["", "did:web:", "localhost", "did:web:LOCALHOST", "did:key:z6Mk", undefined, null, 7])(
    "when the expected issuer is %j",
    async (name) => {
      expect(await codeOf(document, { issuer: name })).toBe("invalid_issuer");
    },
  );
});

describe("a document signed at the wrong time is refused", () => {
  const at = (issued_at: string) => ({ ...sampleDocument(issuer), issued_at });

  test("before its key was valid", async () => {
    const early = "2026-10-31T23:59:59.999Z";
    expect(await codeOf(resign(at(early), { created: early }))).toBe("key_not_yet_valid");
    expect(await codeOf(resign(document, { created: early }))).toBe("key_not_yet_valid");
  });

  test("after its key was retired", async () => {
    expect(await codeOf(resign(document, {}, issuer.retired))).toBe("key_retired");
    const late = "2026-11-13T00:00:00.001Z";
    const inTime = "2026-11-13T00:00:00.000Z";
    expect(await codeOf(resign(at(late), { created: inTime }, issuer.retired))).toBe("key_retired");
    expect(await codeOf(resign(at(inTime), { created: inTime }, issuer.retired))).toBe("valid");
  });

  test("in the future, beyond a minute of clock skew", async () => {
    expect(await codeOf(document, { now: new Date(Date.parse(ISSUED_AT) - 60_000) })).toBe("valid");
    expect(await codeOf(document, { now: new Date(Date.parse(ISSUED_AT) - 60_001) })).toBe(
      "issued_in_future",
    );
  });
});

describe("a value that is no settlement document is refused", () => {
  test("a JWS, as text or in its envelope", async () => {
    const jws = await signX402Receipt(sampleReceipt(issuer), issuer.key, issuer.did);
    expect(await codeOf(jws)).toBe("wrong_kind");
    expect(await codeOf({ format: "jws", signature: jws })).toBe("wrong_kind");
  });

  test("a receipt object around it, a list, a number, nothing", async () => {
    const receipt = { id: "rcp_1", claim: "released", document };
    for (const input of [receipt, [document], 7, null, undefined, true, Symbol("x"), () => document]) {
      expect(await codeOf(input)).toBe("wrong_kind");
    }
  });

  test("a number in any notation other than the plain one", async () => {
    const text = JSON.stringify(document);
    for (const spelling of ["42.0", "4.2e1", "42e0", "42.00000000000000000001", "9007199254740993", "-0"]) {
      expect(await codeOf(text.replace('"block_number":42', `"block_number":${spelling}`))).toBe(
        "invalid_number",
      );
    }
  });

  test("a URL with characters that URLs lack", async () => {
    for (const id of [
      " https://a.example",
      "https://a.example/\n",
      "https://a.example/\\b",
      "https://a.example/\u00e9",
    ]) {
      expect(await codeOf(resign({ ...document, id }))).toBe("invalid_shape");
    }
    for (const id of [` ${document.id}`, `${document.id} `, `\t${document.id}`]) {
      expect(await codeOf({ ...document, id })).toBe("invalid_shape");
    }
  });

  test("a duplicate member, at the top or in the proof, in any notation", async () => {
    const text = JSON.stringify(document);
    expect(await codeOf(text.replace('"amount":', '"amount":"1","amount":'))).toBe("duplicate_member");
    expect(await codeOf(text.replace('"amount":', '"\\u0061mount":"1","amount":'))).toBe("duplicate_member");
    expect(await codeOf(text.replace('"created":', '"created":1,"created":'))).toBe("duplicate_member");
  });

  test("malformed or too long text", async () => {
    expect(await codeOf("{")).toBe("malformed");
    expect(await codeOf("")).toBe("malformed");
    expect(await codeOf(`${JSON.stringify(document)}${" ".repeat(70_000)}`)).toBe("too_large");
    expect(await codeOf("[".repeat(60_000))).toBe("malformed");
  });

  test("objects made to trip a verifier", async () => {
    const cyclic: Record<string, unknown> = { ...document };
    cyclic.order_id = cyclic;
    expect(await codeOf(cyclic)).toBe("invalid_shape");
    const throwing = {
      ...document,
      get amount(): string {
        throw new Error("trap");
      },
    };
    expect(await codeOf(throwing)).toBe("malformed");
    const disguised = { ...document, amount: "1", toJSON: () => document };
    expect(await codeOf(disguised)).toBe("invalid_shape");
    expect(await codeOf({ ...document, block_number: 42n })).toBe("invalid_shape");
    expect(await codeOf({ ...document, transaction: hash("33").toUpperCase() })).toBe("invalid_shape");
  });

  test("any input: each ends in a result", async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withNullPrototype: true, withBigInt: true }), async (input) => {
        expect(await check(input, { fetch: cached })).toMatchObject({ valid: false });
      }),
    );
  });
});
