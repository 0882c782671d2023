import { describe, expect, test } from "vitest";
import { issuerOf, locateIssuer } from "../../receipts/issuer.ts";
import { signDocument, signX402Receipt } from "../../receipts/sign.ts";
import { createSigningKey, currentKey, didDocumentOf, jwksOf } from "../../receipts/signing-keys.ts";
import { sampleDocument, sampleReceipt } from "../harness/receipts/documents.ts";

const did = "did:web:market.example";
const retired = {
  ...createSigningKey("key-1", new Date("2026-01-01T00:00:00Z")),
  retired_at: "2026-06-01T00:00:00Z",
};
const active = createSigningKey("key-2", new Date("2026-05-01T00:00:00Z"));

describe("issuer names", () => {
  test.each([
    ["https://market.example", "did:web:market.example", "https://market.example/.well-known/did.json"],
    [
      "https://market.example:8443/",
      "did:web:market.example%3A8443",
      "https://market.example:8443/.well-known/did.json",
    ],
    [
      "https://market.example/eu/one",
      "did:web:market.example:eu:one",
      "https://market.example/eu/one/did.json",
    ],
    ["https://market.example/8443", "did:web:market.example:8443", "https://market.example/8443/did.json"],
    ["http://localhost:42069", "did:web:localhost%3A42069", "http://localhost:42069/.well-known/did.json"],
    ["http://127.0.0.1:80/", "did:web:127.0.0.1", "http://127.0.0.1/.well-known/did.json"],
  ])("%s is %s, its keys at %s", (url, name, didDocumentUrl) => {
    expect(issuerOf(url)).toBe(name);
    expect(locateIssuer(name)?.didDocumentUrl).toBe(didDocumentUrl);
  });

  test.each([
    "",
    "did:web:",
    "did:key:z6Mk",
    "https://market.example",
    "did:web:Market.example",
    "did:web:market.example%3a8443",
    "did:web:market.example%3A443",
    "did:web:market.example%3A",
    "did:web:market.example%3A1%3A2",
    "did:web:market.example%3A99999",
    "did:web:market.example:..:x",
    "did:web:market.example::x",
    "did:web:market.example:",
    "did:web:market.example:a%2Fb",
    "did:web:market.example#key-1",
    "did:web:market.example?x=1",
    "did:web:user@market.example",
    "did:web:market.example/x",
    "did:web:0x7f.1",
    `did:web:market.example:${"a".repeat(600)}`,
  ])("%j is no issuer name", (name) => {
    expect(locateIssuer(name)).toBeNull();
  });

  test.each([
    "ftp://market.example",
    "https://user:secret@market.example",
    "https://market.example/?a=1",
    "https://[::1]:8080",
    "https://market.example/a b",
  ])("%s cannot be named", (url) => {
    expect(() => issuerOf(url)).toThrow(/did:web cannot name/);
  });
});

describe("the published keys", () => {
  test("hold no private key", () => {
    const published = JSON.stringify([jwksOf(did, [retired, active]), didDocumentOf(did, [retired, active])]);
    for (const { jwk } of [retired, active]) expect(published).not.toContain(jwk.d);
    expect(published).not.toContain('"d"');
  });

  test("are a JWKS whose kid matches that of a JWS, and retired keys have their end", () => {
    expect(jwksOf(did, [retired, active])).toEqual({
      keys: [
        {
          kty: "OKP",
          crv: "Ed25519",
          x: retired.jwk.x,
          kid: `${did}#key-1`,
          alg: "EdDSA",
          use: "sig",
          nbf: 1767225600,
          exp: 1780272000,
        },
        {
          kty: "OKP",
          crv: "Ed25519",
          x: active.jwk.x,
          kid: `${did}#key-2`,
          alg: "EdDSA",
          use: "sig",
          nbf: 1777593600,
        },
      ],
    });
  });

  test("are a DID document with absolute ids, two forms of each key, all for assertions", () => {
    const document = didDocumentOf(did, [retired, active]);
    const ids = [`${did}#key-1`, `${did}#key-1-mb`, `${did}#key-2`, `${did}#key-2-mb`];
    expect(document.id).toBe(did);
    expect(document["@context"][0]).toBe("https://www.w3.org/ns/did/v1");
    expect(document.assertionMethod).toEqual(ids);
    expect(document.verificationMethod.map((method) => method.id)).toEqual(ids);
    expect(document.verificationMethod[1]).toMatchObject({
      type: "Multikey",
      controller: did,
      publicKeyMultibase: expect.stringMatching(/^z6Mk/),
      validFrom: "2026-01-01T00:00:00.000Z",
      validUntil: "2026-06-01T00:00:00Z",
    });
    expect(document.verificationMethod[2]).not.toHaveProperty("validUntil");
  });
});

describe("the current key", () => {
  test("is the newest key that is valid at a time", () => {
    expect(currentKey([retired, active], new Date("2026-04-01T00:00:00Z"))).toBe(retired);
    expect(currentKey([active, retired], new Date("2026-05-15T00:00:00Z"))).toBe(active);
    expect(currentKey([retired, active], new Date("2026-07-01T00:00:00Z"))).toBe(active);
    expect(() => currentKey([retired, active], new Date("2025-07-01T00:00:00Z"))).toThrow(/No signing key/);
  });
});

describe("signing", () => {
  const issuer = { url: "https://market.example", did };

  test("gives the same bytes for the same statement", () => {
    const sign = () => signDocument(sampleDocument(issuer), active, did);
    expect(sign()).toEqual(sign());
  });

  test("refuses a statement of another issuer, an unknown field or a key outside its time", async () => {
    expect(() => signDocument(sampleDocument(issuer), active, "did:web:other.example")).toThrow(/names/);
    expect(() => signDocument({ ...sampleDocument(issuer), note: "x" } as never, active, did)).toThrow(
      /note/,
    );
    expect(() => signDocument(sampleDocument(issuer), retired, did)).toThrow(/not valid at/);
    await expect(signX402Receipt(sampleReceipt(issuer), retired, did)).rejects.toThrow(/not valid at/);
  });

  test.each([
    ["a lower-case address", { buyer: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8" }],
    ["a text that is no address", { buyer: "0x70" }],
    ["an upper-case hash", { transaction: `0x${"AB".repeat(32)}` }],
    ["an amount with a point", { amount: "2.5" }],
    ["an amount with a leading zero", { amount: "0250" }],
    ["an amount beyond 128 bits", { amount: (2n ** 128n).toString() }],
    ["a time without offset", { issued_at: "2026-11-20T12:00:00" }],
    ["a day that does not exist", { issued_at: "2026-02-30T12:00:00Z" }],
    ["a fractional block", { block_number: 1.5 }],
    ["a chain that is no CAIP-2 name", { chain: "31337" }],
  ])("refuses %s", (_what, fields) => {
    expect(() => signDocument({ ...sampleDocument(issuer), ...fields }, active, did)).toThrow();
  });
});
