import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import { test } from "vitest";
import { checkSignature } from "../../receipts/native-ed25519.ts";
import { signDocument, signStatusList, signX402Receipt } from "../../receipts/sign.ts";
import { createSigningKey, didDocumentOf } from "../../receipts/signing-keys.ts";
import { verifyReceipt, verifyReceipts, verifyX402Receipt } from "../../receipts/verify.ts";
import { sampleDocument, sampleReceipt } from "../../test/harness/receipts/documents.ts";
import { quantile } from "../quantile.ts";
import { printTable, reportFigure } from "./figures.ts";

const rounds = 7;
const msEach = 400;
const batch = 200;

const did = "did:web:market.example";
const issuer = { url: "https://market.example", did };
const begin = new Date("2026-11-01T00:00:00Z");
const key = createSigningKey("key-1", begin);
const statement = sampleDocument(issuer);
const receipt = sampleReceipt(issuer);
const now = new Date(Date.parse(statement.issued_at) + 60_000);
const list = {
  type: "ReceiptStatusList" as const,
  version: 1 as const,
  issuer: did,
  issued_at: statement.issued_at,
  valid_until: new Date(now.getTime() + 3_600_000).toISOString(),
  revoked: [],
};

const document = JSON.stringify(signDocument(statement, key, did));
const jws = await signX402Receipt(receipt, key, did);
const pages = new Map(
  Object.entries({
    "did.json": didDocumentOf(did, [key]),
    "earnest-receipt-status.json": signStatusList(list, key, did),
  }).map(([name, page]) => [
    `${issuer.url}/.well-known/${name}`,
    new TextEncoder().encode(JSON.stringify(page)),
  ]),
);
/**
 * Serves the issuer's documents without a network, whose time would distort the figures. Each is a stream of one chunk,
 * because creating a body from a text costs more than reading it.
 */
const fetchPage = (async (url: string) => {
  const start = (stream: ReadableStreamDefaultController) => {
    stream.enqueue(pages.get(url));
    stream.close();
  };
  return new Response(new ReadableStream({ start }));
}) as typeof fetch;
const portable = { issuer: did, now, fetch: fetchPage };
const native = { ...portable, checkSignature };

const bare = generateKeyPairSync("ed25519");
const barePublic = createPublicKey(bare.privateKey);
const message = randomBytes(64);
const signature = sign(null, message, bare.privateKey);
const bareSign = () => sign(null, message, bare.privateKey);
const bareVerify = () => verify(null, message, barePublic, signature);

/** Repeats a function for a while, and returns its runs per second. */
async function rate(act: () => unknown, each: number): Promise<number> {
  const start = performance.now();
  const inARow = each === 1 ? 10 : 1;
  let times = 0;
  let elapsed = 0;
  do {
    for (let n = 0; n < inARow; n++) await act();
    times += inARow * each;
    elapsed = performance.now() - start;
  } while (elapsed < msEach);
  return (times / elapsed) * 1000;
}

function expectValid(results: { valid: boolean }[]): void {
  if (results.some(({ valid }) => !valid)) throw new Error(`Not valid: ${JSON.stringify(results[0])}`);
}
const many = (one: string) => Array.from({ length: batch }, () => one);

test("receipts signed and verified in a second, beside bare Ed25519 of node:crypto", async () => {
  const documents = many(document);
  const jwss = many(jws);
  const rows = [["", "Earnest /s", "bare /s", "ratio (median)", "min", "max"]];
  for (const [name, act, baseline, each] of [
    ["sign a settlement document", () => signDocument(statement, key, did), bareSign, 1],
    ["sign an x402 receipt", () => signX402Receipt(receipt, key, did), bareSign, 1],
    [
      "verify a document, portable",
      async () => expectValid([await verifyReceipt(document, portable)]),
      bareVerify,
      1,
    ],
    [
      "verify a document, node:crypto",
      async () => expectValid([await verifyReceipt(document, native)]),
      bareVerify,
      1,
    ],
    [
      "verify an x402 receipt",
      async () => expectValid([await verifyX402Receipt(jws, portable)]),
      bareVerify,
      1,
    ],
    [
      `verify ${batch} documents at once, portable`,
      async () => expectValid(await verifyReceipts(documents, portable)),
      bareVerify,
      batch,
    ],
    [
      `verify ${batch} documents at once, node:crypto`,
      async () => expectValid(await verifyReceipts(documents, native)),
      bareVerify,
      batch,
    ],
    [
      `verify ${batch} x402 receipts at once`,
      async () => expectValid(await verifyReceipts(jwss, portable)),
      bareVerify,
      batch,
    ],
  ] as const) {
    const pairs: [number, number][] = [];
    await Promise.all([rate(act, each), rate(baseline, 1)]); // warms both
    for (let round = 0; round < rounds; round++) pairs.push([await rate(act, each), await rate(baseline, 1)]);
    const ratios = pairs.map(([ours, theirs]) => ours / theirs);
    reportFigure({
      name: `receipts: ${name}`,
      of: "bare Ed25519 of node:crypto",
      value: quantile(ratios, 0.5),
      better: "higher",
    });
    const median = (at: 0 | 1) =>
      quantile(
        pairs.map((pair) => pair[at]),
        0.5,
      ).toFixed(0);
    rows.push([
      name,
      median(0),
      median(1),
      quantile(ratios, 0.5).toFixed(3),
      Math.min(...ratios).toFixed(3),
      Math.max(...ratios).toFixed(3),
    ]);
  }
  printTable(`Signing and verifying, ${rounds} rounds of ${msEach} ms in turn`, rows);
});
