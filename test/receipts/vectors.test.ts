import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkSignature } from "../../receipts/native-ed25519.ts";
import {
  verifyOffer,
  verifyReceipt,
  verifyRecordStatement,
  verifyX402Receipt,
} from "../../receipts/verify.ts";
import type { Case, Kind } from "../../scripts/generate/vectors/case.ts";
import { makeVectors } from "../../scripts/generate/vectors/index.ts";
import type { Page } from "../../scripts/generate/vectors/issuers.ts";

const file = readFileSync(new URL("../../receipts/vectors.json", import.meta.url), "utf8");
const vectors = JSON.parse(file) as { pages: Record<string, Page>; cases: Case[] };

const verifiers = {
  settlement_document: verifyReceipt,
  x402_receipt: verifyX402Receipt,
  x402_offer: verifyOffer,
  record_statement: verifyRecordStatement,
};

/** A network with only the pages of a case. */
function networkOf({ addresses }: Case): typeof fetch {
  return async (url) => {
    const page = vectors.pages[addresses[String(url)] ?? ""];
    if (!page) throw new TypeError(`Nothing answers at ${url}.`);
    return new Response(page.body, { status: page.status, headers: page.headers });
  };
}

/** Verifies a case's input as its caller would. Returns the result in the form of the vectors. */
async function run(one: Case, more: object = {}): Promise<Case["result"]> {
  const { kind, input, issuer, now, options = {} } = one;
  // The caller unpacks the HTTP answer and parses the envelope.
  const envelope = kind.startsWith("x402_") && input.startsWith('{"format":');
  const settings = { issuer, now: new Date(now), fetch: networkOf(one), ...options, ...more };
  const result = await verifiers[kind](envelope ? JSON.parse(input) : input, settings as never);
  if (!result.valid) return { valid: false, code: result.code };
  const parts = partsOf(result);
  const expected = one.result.valid ? Object.keys(one.result.says) : [];
  return {
    valid: true,
    key_id: result.keyId,
    ...("status" in result ? { status: result.status } : {}),
    says: Object.fromEntries(Object.entries(parts).filter(([name]) => expected.includes(name))),
  };
}

function partsOf(result: Extract<Awaited<ReturnType<(typeof verifiers)[Kind]>>, { valid: true }>): object {
  if (result.kind === "settlement_document") return result.document;
  if (result.kind === "record_statement") return result.statement;
  return result.kind === "x402_receipt" ? result.receipt : result.offer;
}

describe("receipts/vectors.json", () => {
  test("equals the output of its generator", () => {
    expect(JSON.parse(JSON.stringify(makeVectors()))).toEqual(vectors);
  });

  test("names each case once, and each page that it uses", () => {
    const names = vectors.cases.map(({ kind, name }) => `${kind}: ${name}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    const used = new Set(vectors.cases.flatMap(({ addresses }) => Object.values(addresses)));
    expect([...used].filter((name) => !vectors.pages[name])).toEqual([]);
    expect(Object.keys(vectors.pages).filter((name) => !used.has(name))).toEqual([]);
  });

  test("has far more bad cases than good ones, of every kind, and no private key", () => {
    const bad = vectors.cases.filter(({ result }) => !result.valid);
    expect(vectors.cases.length).toBeGreaterThan(350);
    expect(bad.length).toBeGreaterThan(5 * (vectors.cases.length - bad.length));
    for (const kind of Object.keys(verifiers) as Kind[]) {
      const ofKind = vectors.cases.filter((one) => one.kind === kind);
      expect([
        kind,
        ofKind.some(({ result }) => result.valid),
        ofKind.some(({ result }) => !result.valid),
      ]).toEqual([kind, true, true]);
    }
    expect(file).not.toContain('"d":');
  });
});

describe.each(Object.keys(verifiers) as Kind[])("the verifier's results equal the vectors: %s", (kind) => {
  const cases = vectors.cases.filter((one) => one.kind === kind);
  test.each(cases.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
    expect(await run(one)).toEqual(one.result);
    expect(await run(one, { checkSignature })).toEqual(one.result);
  });
});
