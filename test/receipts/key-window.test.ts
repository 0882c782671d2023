import { DataIntegrityProof } from "@digitalbazaar/data-integrity";
import { createVerifyCryptosuite } from "@digitalbazaar/eddsa-jcs-2022-cryptosuite";
import { verifyReceiptSignatureJWS } from "@x402/extensions/offer-receipt";
import { compactVerify, createRemoteJWKSet } from "jose";
import jsigs from "jsonld-signatures";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SettlementDocument } from "../../receipts/document.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import { signDocument, signX402Offer, signX402Receipt } from "../../receipts/sign.ts";
import { createSigningKey, didDocumentOf, jwksOf, type SigningKey } from "../../receipts/signing-keys.ts";
import {
  type DocumentOptions,
  verifyOffer,
  verifyReceipt,
  verifyX402Receipt,
} from "../../receipts/verify.ts";
import { type Chain, startChain } from "../harness/receipts/chain.ts";
import {
  KEY_CREATED,
  sampleDocument,
  sampleOffer,
  sampleReceipt,
  serve,
} from "../harness/receipts/documents.ts";

const key = createSigningKey("key-1", KEY_CREATED);
const other = createSigningKey("key-2", KEY_CREATED);
let chain: Chain;
let server: Awaited<ReturnType<typeof serve>>;
let issuer: { url: string; did: string };
/** The issuer's statement on its keys; each test begins with both sound. */
let keys: SigningKey[];
/** The time of the release's block, in milliseconds. */
let released: number;

beforeAll(async () => {
  chain = await startChain();
  server = await serve((request, response) => {
    const bodies: Record<string, unknown> = {
      "/.well-known/did.json": didDocumentOf(issuer.did, keys),
      "/.well-known/jwks.json": jwksOf(issuer.did, keys),
    };
    const body = bodies[request.url ?? ""];
    response.writeHead(body ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  issuer = { url: server.url, did: issuerOf(server.url) };
  const block = await chain.client.getBlock({ blockHash: chain.released.block_hash as `0x${string}` });
  released = Number(block.timestamp) * 1000;
});
afterAll(() => Promise.all([server?.close(), chain?.stop()]));
beforeEach(() => {
  keys = [key, other];
});

const later = (seconds: number) => new Date(released + 1000 * seconds);
const compromise = (since: Date) => {
  keys = [{ ...key, compromised_since: since.toISOString() }, other];
};
/** A real release, dated 5 seconds after its block. */
const sign = (fields: Partial<SettlementDocument> = {}, signer = key) => {
  const statement = sampleDocument(issuer, { ...chain.released, issued_at: later(5).toISOString() });
  return signDocument({ ...statement, ...fields } as SettlementDocument, signer, issuer.did);
};
const witness = () => ({ client: chain.client, contract: chain.released.contract });
const check = (document: unknown, options: Partial<DocumentOptions> = {}) =>
  verifyReceipt(document, { issuer: issuer.did, now: later(3600), ...options });

describe("a signature of a compromised key is refused", () => {
  test("for any date, where the chain is not checked", async () => {
    expect(await check(sign())).toMatchObject({ valid: true, compromisedSince: null });
    compromise(later(60));
    expect(await check(sign())).toMatchObject({ valid: false, code: "key_compromised" });
    compromise(later(1));
    expect(await check(sign())).toMatchObject({ valid: false, code: "key_compromised" });
  });

  test("but another key's signature is not", async () => {
    compromise(later(60));
    expect(await check(sign({}, other))).toMatchObject({ valid: true, compromisedSince: null });
  });

  test("always on an x402 receipt and an offer, since they name no event", async () => {
    const jws = await signX402Receipt(
      { ...sampleReceipt(issuer), issuedAt: released / 1000 },
      key,
      issuer.did,
    );
    const offer = await signX402Offer(
      { ...sampleOffer(issuer), validUntil: released / 1000 + 9999 },
      key,
      issuer.did,
    );
    const options = { issuer: issuer.did, now: later(3600) };
    expect(await verifyX402Receipt(jws, options)).toMatchObject({ valid: true });
    expect(await verifyOffer(offer, options)).toMatchObject({ valid: true });
    compromise(later(60));
    expect(await verifyX402Receipt(jws, options)).toMatchObject({ valid: false, code: "key_compromised" });
    expect(await verifyOffer(offer, options)).toMatchObject({ valid: false, code: "key_compromised" });
  });

  test("by independent libraries too, for which the key is gone", async () => {
    const jws = await signX402Receipt(
      { ...sampleReceipt(issuer), issuedAt: released / 1000 },
      key,
      issuer.did,
    );
    const byX402 = () => verifyReceiptSignatureJWS({ format: "jws", signature: jws });
    const byJose = () =>
      compactVerify(jws, createRemoteJWKSet(new URL(`${issuer.url}/.well-known/jwks.json`)));
    const byDigitalBazaar = async () => {
      const did = didDocumentOf(issuer.did, keys);
      const { verified } = await jsigs.verify(sign(), {
        suite: new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() }),
        purpose: new jsigs.purposes.AssertionProofPurpose({ controller: did }),
        documentLoader: async (url: string) => {
          const method = did.verificationMethod.find(({ id }) => id === url);
          if (!method) throw new Error(`Nothing else is loaded: ${url}`);
          const context = "https://w3id.org/security/multikey/v1";
          return { documentUrl: url, contextUrl: null, document: { "@context": context, ...method } };
        },
      });
      return verified;
    };
    await expect(byX402()).resolves.toBeDefined();
    await expect(byJose()).resolves.toBeDefined();
    await expect(byDigitalBazaar()).resolves.toBe(true);
    compromise(later(60));
    await expect(byX402()).rejects.toThrow();
    await expect(byJose()).rejects.toThrow();
    await expect(byDigitalBazaar()).resolves.toBe(false);
  });
});

describe("an earlier document of a compromised key", () => {
  test("is valid where the chain has the event from before the compromise, and the result names the time", async () => {
    compromise(later(60));
    expect(await check(sign(), { chain: witness() })).toMatchObject({
      valid: true,
      keyId: `${issuer.did}#key-1-mb`,
      compromisedSince: later(60).toISOString(),
    });
  });

  test.each<[string, number, Partial<SettlementDocument>, object, RegExp]>([
    ["says it was signed later", 4, {}, {}, /compromised since/],
    [
      "is about an event from after that",
      60,
      { issued_at: "2026-11-02T00:00:00.000Z" },
      {},
      /not from before/,
    ],
    [
      "is about another amount",
      60,
      { amount: "1" },
      {},
      /chain does not confirm the document: (amount|terms)_mismatch/,
    ],
    [
      "is about nothing on the chain",
      60,
      { transaction: `0x${"99".repeat(32)}` },
      {},
      /transaction_not_found/,
    ],
    [
      "is about another contract than is known",
      60,
      {},
      { contract: `0x${"12".repeat(20)}` },
      /contract_mismatch/,
    ],
    ["is not deep enough", 60, {}, { confirmations: 1000 }, /too_few_confirmations/],
  ])("that %s is refused", async (what, since, fields, expected, message) => {
    compromise(what.includes("from after") ? new Date(released) : later(since));
    const result = await check(sign(fields), { chain: { ...witness(), ...expected } });
    expect(result).toMatchObject({
      valid: false,
      code: "key_compromised",
      message: expect.stringMatching(message),
    });
  });

  test("is refused where the node cannot tell", async () => {
    compromise(later(60));
    const blind = { ...chain.client, getBlock: () => Promise.reject(new Error("gone")) };
    expect(await check(sign(), { chain: { ...witness(), client: blind } })).toMatchObject({
      code: "key_compromised",
      message: expect.stringMatching(/time could not be read/),
    });
  });

  test("with another key's signature is just a bad signature", async () => {
    compromise(later(60));
    expect(await check({ ...sign(), amount: "1" }, { chain: witness() })).toMatchObject({
      code: "invalid_signature",
    });
  });
});

describe("the key documents, with a compromised key,", () => {
  test("keep it as a Multikey with `revoked`, for no purpose, and in a set of its own", () => {
    compromise(later(60));
    const did = didDocumentOf(issuer.did, keys);
    const ids = ["#key-1-mb", "#key-2", "#key-2-mb"].map((fragment) => issuer.did + fragment);
    expect(did.verificationMethod.map(({ id }) => id)).toEqual(ids);
    expect(did.assertionMethod).toEqual(ids.slice(1));
    expect(did.verificationMethod[0]).toMatchObject({ revoked: later(60).toISOString() });
    const jwks = jwksOf(issuer.did, keys);
    expect(jwks.keys.map(({ kid }) => kid)).toEqual([`${issuer.did}#key-2`]);
    expect(jwks.compromised_keys).toEqual([
      expect.objectContaining({
        kid: `${issuer.did}#key-1`,
        revoked: { revoked_at: released / 1000 + 60, reason: "compromised" },
      }),
    ]);
  });

  test("name the log and the list of revoked receipts as services of the issuer's own host", () => {
    expect(didDocumentOf("did:web:market.example:eu", keys).service).toEqual([
      {
        id: "did:web:market.example:eu#earnest-key-log",
        type: "KeyLog",
        serviceEndpoint: "https://market.example/eu/.well-known/earnest-key-log.json",
      },
      {
        id: "did:web:market.example:eu#earnest-status",
        type: "ReceiptStatusList",
        serviceEndpoint: "https://market.example/eu/.well-known/earnest-receipt-status.json",
      },
    ]);
  });
});
