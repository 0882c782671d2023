import { afterAll, beforeAll, expect, test } from "vitest";
import { checkSignature } from "../../receipts/native-ed25519.ts";
import { signDocument, signX402Offer, signX402Receipt } from "../../receipts/sign.ts";
import { verifyReceipt, verifyReceipts, verifyX402Receipt } from "../../receipts/verify.ts";
import {
  type Issuer,
  NOW,
  sampleDocument,
  sampleOffer,
  sampleReceipt,
  startIssuer,
} from "../harness/receipts/documents.ts";

let issuer: Issuer;
let paths: string[];
/** The network, with a list of the requests. */
const counting: typeof fetch = (url, init) => {
  paths.push(new URL(String(url)).pathname);
  return fetch(url, init);
};

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer?.close());

/** Good and bad receipts of both kinds, and values that are no receipt. */
async function sampleReceipts(): Promise<unknown[]> {
  const document = signDocument(sampleDocument(issuer), issuer.key, issuer.did);
  const jws = await signX402Receipt(sampleReceipt(issuer), issuer.key, issuer.did);
  const offer = await signX402Offer(sampleOffer(issuer), issuer.key, issuer.did);
  const changed = { ...document, amount: "1" };
  return [document, JSON.stringify(document), jws, { format: "jws", signature: jws }, changed, offer, "{", 7];
}

test("a batch has the results of single checks, and fetches the issuer's documents once", async () => {
  const receipts = await sampleReceipts();
  const options = { issuer: issuer.did, now: NOW };
  const singly = await Promise.all(
    receipts.map((receipt, at) =>
      at === 2 || at === 3 || at === 5
        ? verifyX402Receipt(receipt, options)
        : verifyReceipt(receipt, options),
    ),
  );
  expect(singly.map((result) => (result.valid ? result.kind : result.code))).toEqual([
    "settlement_document",
    "settlement_document",
    "x402_receipt",
    "x402_receipt",
    "invalid_signature",
    "wrong_kind",
    "malformed",
    "wrong_kind",
  ]);
  paths = [];
  expect(await verifyReceipts(receipts, { ...options, fetch: counting })).toEqual(singly);
  expect(paths.sort()).toEqual(["/.well-known/did.json", "/.well-known/earnest-receipt-status.json"]);
});

test("the next batch fetches again: keys and revocations are not cached", async () => {
  const options = { issuer: issuer.did, now: NOW, fetch: counting };
  paths = [];
  await verifyReceipts(await sampleReceipts(), options);
  await verifyReceipts(await sampleReceipts(), options);
  expect(paths).toHaveLength(4);
});

test("an unreachable issuer is fetched once, and fails every receipt", async () => {
  const gone = { ...issuer, did: "did:web:localhost%3A1" };
  const document = signDocument(sampleDocument(gone), issuer.key, gone.did);
  paths = [];
  const results = await verifyReceipts([document, document], { issuer: gone.did, now: NOW, fetch: counting });
  expect(results).toMatchObject([{ code: "keys_unavailable" }, { code: "keys_unavailable" }]);
  expect(paths).toHaveLength(1);
});

test("node:crypto gives the same results as the portable check", async () => {
  const options = { issuer: issuer.did, now: NOW };
  const receipts = await sampleReceipts();
  expect(await verifyReceipts(receipts, { ...options, checkSignature })).toEqual(
    await verifyReceipts(receipts, options),
  );
});

test("a check that throws makes the signature invalid", async () => {
  const [document] = await sampleReceipts();
  const checkSignature = () => {
    throw new Error("no such algorithm");
  };
  const result = await verifyReceipt(document, { issuer: issuer.did, now: NOW, checkSignature });
  expect(result).toMatchObject({ valid: false, code: "invalid_signature" });
});
