import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { checkSignature } from "../../receipts/native-ed25519.ts";
import { signDocument, signStatusList, signX402Offer, signX402Receipt } from "../../receipts/sign.ts";
import { didDocumentOf, type SigningKey } from "../../receipts/signing-keys.ts";
import { verifyOffer, verifyReceipt, verifyReceipts, type verifyX402Receipt } from "../../receipts/verify.ts";
import { keys, market } from "../../scripts/generate/vectors/issuers.ts";
import { randomRuns } from "../harness/random-runs.ts";
import {
  hash,
  sampleDocument,
  sampleDocument1,
  sampleOffer,
  sampleReceipt,
} from "../harness/receipts/documents.ts";
import {
  type Chance,
  createChance,
  mutateJws,
  mutateText,
  mutateValue,
  rewrite,
} from "../harness/receipts/mutate.ts";

// Every run of a seed is the same; FUZZ_SEED sets another seed.
const seed = Number(process.env.FUZZ_SEED ?? 20_261_120);
const now = new Date("2026-11-20T12:05:00.000Z");
const issuer = { url: "https://market.example", did: market };
const { current, retired, foreign } = keys;

const did = didDocumentOf(market, [retired, current]);
const status = signStatusList(
  {
    type: "ReceiptStatusList",
    version: 1,
    issuer: market,
    issued_at: "2026-11-20T12:04:00.000Z",
    valid_until: "2026-11-20T13:04:00.000Z",
    revoked: [
      {
        id: "https://market.example/api/v1/receipts/rcp_1",
        revoked_at: "2026-11-20T12:00:00Z",
        x402_sha256: null,
      },
    ],
  },
  current,
  market,
);

/** The market's documents, or replacements of them. */
function networkOf(didText = JSON.stringify(did), statusText = JSON.stringify(status)): typeof fetch {
  return async (url) => new Response(String(url).endsWith("/did.json") ? didText : statusText);
}
const options = { issuer: market, now, fetch: networkOf(), checkSignature };

const earlier = { issued_at: "2026-11-12T00:00:00.000Z" };
const sign = (statement: Parameters<typeof signDocument>[0], key: SigningKey = current) =>
  signDocument(statement, key, market);
const documents = [
  sign(sampleDocument(issuer)),
  sign(sampleDocument(issuer, { claim: "funded", output_hash: null, amount: "1", transaction: hash("77") })),
  sign(sampleDocument1(issuer)),
  sign(sampleDocument(issuer, { claim: "refunded", ...earlier }), retired),
];
const signReceipt = (fields: object = {}, key: SigningKey = current) =>
  signX402Receipt({ ...sampleReceipt(issuer), ...fields }, key, market);
const receipts = [
  await signReceipt(),
  await signReceipt({ transaction: hash("77") }),
  await signReceipt({ issuedAt: Date.parse(earlier.issued_at) / 1000 }, retired),
];
const offers = [
  await signX402Offer(sampleOffer(issuer), current, market),
  await signX402Offer({ ...sampleOffer(issuer), amount: "1" }, current, market),
];
/** Documents of another signer in the market's name, whose parts may be mixed in. */
const forged = [
  await signX402Receipt(sampleReceipt(issuer), foreign, market),
  await signX402Offer(sampleOffer(issuer), foreign, market),
];

type Result = Awaited<ReturnType<typeof verifyReceipt | typeof verifyX402Receipt | typeof verifyOffer>>;

/** Fails with the data that reproduces the case. */
function complain(what: string, input: unknown, result: unknown): never {
  throw new Error(`${what} (seed ${seed}): ${JSON.stringify(input)} gave ${JSON.stringify(result)}`);
}

/** Asserts that a valid result has exactly the signed content. */
function checkResult(input: unknown, result: Result, tally: Map<string, number>): void {
  const code = result.valid ? "valid" : result.code;
  tally.set(code, (tally.get(code) ?? 0) + 1);
  if (!result.valid) {
    if (typeof result.code !== "string" || result.message === "") complain("No reason", input, result);
    return;
  }
  if (result.kind === "settlement_document") {
    const read = typeof input === "string" ? JSON.parse(input) : input;
    const isSigned = documents.some(
      (document) => isDeepStrictEqual(result.document, document) && isDeepStrictEqual({ ...read }, document),
    );
    if (!isSigned) complain("Good, though it is not what was signed", input, result);
    return;
  }
  const jws = typeof input === "string" ? input : (input as { signature: string }).signature;
  const originals = result.kind === "x402_offer" ? offers : receipts;
  if (!originals.includes(jws)) complain("Good, though it is not what was signed", input, result);
}

/** Verifies mutated inputs in batches. Returns the count of each result. */
async function fuzz(
  runs: number,
  salt: number,
  mutate: (chance: Chance) => unknown,
  verify: (inputs: unknown[]) => Promise<Result[]>,
): Promise<Map<string, number>> {
  const chance = createChance(seed + salt);
  const tally = new Map<string, number>();
  for (let done = 0; done < runs; done += 500) {
    const inputs = Array.from({ length: Math.min(500, runs - done) }, () => mutate(chance));
    const results = await verify(inputs);
    for (const [at, input] of inputs.entries()) checkResult(input, results[at] as Result, tally);
  }
  expect([...tally.values()].reduce((sum, count) => sum + count, 0)).toBe(runs);
  return tally;
}
const asReceipts = (inputs: unknown[]) => verifyReceipts(inputs, options);

// Each test takes some seconds, and more where many share the machine.
const timeout = 180_000;

describe("no mutated receipt makes the verifier throw or is valid with other content", {
  timeout,
}, () => {
  test("documents with characters changed", async () => {
    const tally = await fuzz(
      randomRuns(10_000),
      1,
      (chance) =>
        mutateText(JSON.stringify(chance.one(documents)), JSON.stringify(chance.one(documents)), chance),
      asReceipts,
    );
    for (const code of [
      "malformed",
      "invalid_shape",
      "invalid_signature",
      "duplicate_member",
      "invalid_number",
    ]) {
      expect([code, (tally.get(code) ?? 0) > 0]).toEqual([code, true]);
    }
  });

  test.each([
    ["as text", rewrite],
    ["as objects", (value: unknown) => value],
  ])("documents with members and values changed, %s", async (form, write) => {
    const tally = await fuzz(
      randomRuns(14_000),
      form.length,
      (chance) => write(mutateValue(chance.one(documents), chance.one(documents), chance), chance),
      asReceipts,
    );
    const codes = ["invalid_shape", "invalid_signature", "wrong_kind", "foreign_issuer", "foreign_key"];
    for (const code of [
      ...codes,
      "missing_proof",
      "invalid_proof",
      "unsupported_cryptosuite",
      "invalid_encoding",
    ]) {
      expect([code, (tally.get(code) ?? 0) > randomRuns(10)]).toEqual([code, true]);
    }
  });

  test("x402 receipts with changed characters, parts and content", async () => {
    const tally = await fuzz(
      8_000,
      3,
      (chance) => {
        const [jws, other] = [chance.one(receipts), chance.one([...receipts, ...offers, ...forged])];
        const mutated =
          chance.below(4) === 0 ? mutateText(jws, other, chance) : mutateJws(jws, other, chance);
        return chance.below(4) === 0 ? { format: "jws", signature: mutated } : mutated;
      },
      asReceipts,
    );
    const codes = [
      "invalid_shape",
      "invalid_signature",
      "wrong_kind",
      "invalid_encoding",
      "unsupported_algorithm",
    ];
    for (const code of [...codes, "foreign_key", "foreign_resource", "malformed"]) {
      expect([code, (tally.get(code) ?? 0) > 10]).toEqual([code, true]);
    }
  });

  test("x402 offers", async () => {
    await fuzz(
      2_000,
      4,
      (chance) => mutateJws(chance.one(offers), chance.one([...receipts, ...offers, ...forged]), chance),
      (inputs) => Promise.all(inputs.map((input) => verifyOffer(input, options))),
    );
  });

  test("500 with the portable check of signatures, which agrees with node:crypto", async () => {
    const chance = createChance(seed + 5);
    const { checkSignature: _native, ...portable } = options;
    const inputs = Array.from({ length: 500 }, (_, at) =>
      at % 2 === 0
        ? mutateValue(chance.one(documents), chance.one(documents), chance)
        : mutateJws(chance.one(receipts), chance.one([...receipts, ...forged]), chance),
    );
    const [native, noble] = [await asReceipts(inputs), await verifyReceipts(inputs, portable)];
    for (const [at, input] of inputs.entries()) {
      if (!isDeepStrictEqual(native[at], noble[at])) complain("Two answers", input, [native[at], noble[at]]);
    }
  });
});

test("documents with another notation of the same content stay valid", { timeout }, async () => {
  const tally = await fuzz(
    randomRuns(1_000),
    6,
    (chance) => rewrite(chance.one(documents), chance),
    asReceipts,
  );
  expect([...tally]).toEqual([["valid", randomRuns(1_000)]]);
});

test("mutated key documents and revocation lists: a result each time, and no forged list is accepted", {
  timeout,
}, async () => {
  const chance = createChance(seed + 7);
  const original = documents[0];
  for (let run = 0; run < randomRuns(1_500); run++) {
    const mutate = (value: object) =>
      chance.below(2) === 0
        ? JSON.stringify(mutateValue(value, value, chance))
        : mutateText(JSON.stringify(value), JSON.stringify(value), chance);
    const ofKeys = run % 2 === 0;
    const page = mutate(ofKeys ? did : status);
    const fetch = ofKeys ? networkOf(page) : networkOf(undefined, page);
    const result = await verifyReceipt(original, { ...options, fetch });
    if (result.valid !== true && typeof result.code !== "string") complain("No answer", page, result);
    if (ofKeys || (result.valid && result.status === "unknown")) continue;
    // An accepted list must be the signed one.
    const believed = result.valid && isDeepStrictEqual(JSON.parse(page), JSON.parse(JSON.stringify(status)));
    if (!believed) complain("A changed list was believed", page, result);
  }
});
