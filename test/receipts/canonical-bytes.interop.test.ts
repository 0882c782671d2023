import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { DataIntegrityProof } from "@digitalbazaar/data-integrity";
import { fromJwk } from "@digitalbazaar/ed25519-multikey";
import { createSignCryptosuite, createVerifyCryptosuite } from "@digitalbazaar/eddsa-jcs-2022-cryptosuite";
import { base58 } from "@scure/base";
import {
  createReceiptJWS,
  extractJWSHeader,
  verifyOfferSignatureJWS,
  verifyReceiptSignatureJWS,
} from "@x402/extensions/offer-receipt";
import { compactVerify, createRemoteJWKSet } from "jose";
import jsigs from "jsonld-signatures";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalBytes, proofInput } from "../../receipts/canonical-bytes.ts";
import { addProof, signDocument, signX402Offer, signX402Receipt } from "../../receipts/sign.ts";
import type { didDocumentOf } from "../../receipts/signing-keys.ts";
import { verifyReceipt, verifyX402Receipt } from "../../receipts/verify.ts";
import {
  ISSUED_AT,
  type Issuer,
  NOW,
  sampleDocument,
  sampleOffer,
  sampleReceipt,
  startIssuer,
} from "../harness/receipts/documents.ts";

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

/** Loads the DID document and its methods over HTTP, and nothing else. */
async function documentLoader(url: string) {
  const response = await fetch(`${issuer.url}/.well-known/did.json`);
  const did = (await response.json()) as ReturnType<typeof didDocumentOf>;
  const document = url === did.id ? did : did.verificationMethod.find((method) => method.id === url);
  if (!document) throw new Error(`Nothing else is loaded: ${url}`);
  const context = "https://w3id.org/security/multikey/v1";
  return { documentUrl: url, document: { "@context": context, ...document }, contextUrl: null };
}

const AssertionProofPurpose = jsigs.purposes.AssertionProofPurpose;
const suite = () => new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() });

describe("Digital Bazaar's libraries", () => {
  test("accept our settlement document, its controller document loaded from our DID", async () => {
    const document = signDocument(sampleDocument(issuer), issuer.key, issuer.did);
    const options = { suite: suite(), purpose: new AssertionProofPurpose(), documentLoader };
    expect(await jsigs.verify(document, options)).toMatchObject({ verified: true });
  });

  test("accept a document of a key that was retired later, from the controller and its methods only", async () => {
    const statement = sampleDocument(issuer, { issued_at: "2026-11-12T00:00:00.000Z" });
    const document = signDocument(statement, issuer.retired, issuer.did);
    const { document: controller } = await documentLoader(issuer.did);
    const purpose = new AssertionProofPurpose({ controller });
    const options = { suite: suite(), purpose, documentLoader };
    expect(await jsigs.verify(document, options)).toMatchObject({ verified: true });
  });

  test("refuse our document once a field is changed", async () => {
    const document = { ...signDocument(sampleDocument(issuer), issuer.key, issuer.did), amount: "2500001" };
    const options = { suite: suite(), purpose: new AssertionProofPurpose(), documentLoader };
    expect(await jsigs.verify(document, options)).toMatchObject({ verified: false });
  });

  test("make proofs of our documents that our verifier accepts", async () => {
    const id = `${issuer.did}#${issuer.key.kid}-mb`;
    const pair = await fromJwk({ jwk: issuer.key.jwk, secretKey: true, id, controller: issuer.did });
    const signing = new DataIntegrityProof({
      cryptosuite: createSignCryptosuite(),
      signer: pair.signer(),
      date: ISSUED_AT,
    });
    const document = sampleDocument(issuer);
    const purpose = new AssertionProofPurpose();
    const proof = await signing.createProof({ document, purpose, documentLoader });
    const signed = { ...document, proof };
    expect(await verifyReceipt(signed, { issuer: issuer.did, now: NOW })).toMatchObject({ valid: true });
  });
});

describe("the W3C vectors of eddsa-jcs-2022", () => {
  const read = (name: string) => readFileSync(new URL(`vectors/${name}`, import.meta.url), "utf8").trim();
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  const document = JSON.parse(read("unsigned.json"));
  const { "@context": _context, ...options } = JSON.parse(read("proofConfigJCS.json"));

  test("have our canonical forms", () => {
    expect(new TextDecoder().decode(canonicalBytes(document))).toBe(read("canonDocJCS.txt"));
    const proof = JSON.parse(read("proofConfigJCS.json"));
    expect(new TextDecoder().decode(canonicalBytes(proof))).toBe(read("proofCanonJCS.txt"));
  });

  test("have our hashes", () => {
    const input = hex(proofInput(document, JSON.parse(read("proofConfigJCS.json"))));
    expect(input).toBe(read("proofHashJCS.txt") + read("docHashJCS.txt"));
    expect(input).toBe(read("combinedHashJCS.txt"));
  });

  test("are reproduced by our signer to the byte", () => {
    const { publicKeyMultibase, privateKeyMultibase } = JSON.parse(read("keyPair.json"));
    const [x, d] = [publicKeyMultibase, privateKeyMultibase].map((key: string) =>
      Buffer.from(base58.decode(key.slice(1)).slice(2)).toString("base64url"),
    );
    const key = createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", x, d }, format: "jwk" });
    const signed = addProof(document, options, key);
    expect(signed).toEqual(JSON.parse(read("signedJCS.json")));
    expect(signed.proof.proofValue).toBe(read("sigBTC58JCS.txt"));
    expect(hex(base58.decode(signed.proof.proofValue.slice(1)))).toBe(read("sigHexJCS.txt"));
  });
});

describe("x402's own functions", () => {
  test("accept our receipt, key found through our DID", async () => {
    const signature = await signX402Receipt(sampleReceipt(issuer), issuer.key, issuer.did);
    const payload = await verifyReceiptSignatureJWS({ format: "jws", signature });
    expect(payload).toEqual({ version: 1, ...sampleReceipt(issuer) });
    expect(extractJWSHeader(signature)).toEqual({ alg: "EdDSA", kid: `${issuer.did}#key-2` });
  });

  test("accept our offer, key found through our DID", async () => {
    const signature = await signX402Offer(sampleOffer(issuer), issuer.key, issuer.did);
    const payload = await verifyOfferSignatureJWS({ format: "jws", signature });
    expect(payload).toEqual({ version: 1, ...sampleOffer(issuer) });
  });

  test("refuse our receipt once its payload is changed", async () => {
    const [header, , signature] = (
      await signX402Receipt(sampleReceipt(issuer), issuer.key, issuer.did)
    ).split(".");
    const payload = Buffer.from(JSON.stringify({ version: 1, ...sampleReceipt(issuer), payer: "0x0" }));
    const forged = `${header}.${payload.toString("base64url")}.${signature}`;
    await expect(verifyReceiptSignatureJWS({ format: "jws", signature: forged })).rejects.toThrow();
  });

  test("write the same bytes as our signer, and our verifier accepts theirs", async () => {
    const { createPrivateKey, sign } = await import("node:crypto");
    const key = createPrivateKey({ key: issuer.key.jwk, format: "jwk" });
    const { issuedAt: _now, ...input } = sampleReceipt(issuer);
    const theirs = await createReceiptJWS(input, {
      format: "jws",
      algorithm: "EdDSA",
      kid: `${issuer.did}#key-2`,
      sign: async (bytes) => sign(null, bytes, key).toString("base64url"),
    });
    const now = new Date();
    const verified = await verifyX402Receipt(theirs, { issuer: issuer.did, now });
    if (!verified.valid) throw new Error(verified.message);
    expect(await signX402Receipt(verified.receipt, issuer.key, issuer.did)).toBe(theirs.signature);
  });
});

test("jose accepts our receipt with the key set only", async () => {
  const keys = createRemoteJWKSet(new URL(`${issuer.url}/.well-known/jwks.json`));
  const jws = await signX402Receipt(sampleReceipt(issuer), issuer.key, issuer.did);
  const { payload } = await compactVerify(jws, keys);
  expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({ version: 1, ...sampleReceipt(issuer) });
});
