import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { verifyOffer, verifyReceipt, verifyRecordStatement, verifyX402Receipt } from "../src/receipts.ts";

type Case = {
  kind: "settlement_document" | "x402_receipt" | "x402_offer" | "record_statement";
  name: string;
  input: string;
  issuer: string;
  now: string;
  options?: object;
  addresses: Record<string, string>;
  result: { valid: boolean; code?: string; key_id?: string };
};
type Page = { status: number; body: string; headers?: Record<string, string> };

const file = new URL("../../../receipts/vectors.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as { pages: Record<string, Page>; cases: Case[] };

const verifiers = {
  settlement_document: verifyReceipt,
  x402_receipt: verifyX402Receipt,
  x402_offer: verifyOffer,
  record_statement: verifyRecordStatement,
};

test.each(vectors.cases.map((one) => [`${one.kind}: ${one.name}`, one] as const))(
  "receipts/vectors.json, as the client exports the verifiers: %s",
  async (_, { kind, input, issuer, now, options, addresses, result }) => {
    const network: typeof fetch = async (url) => {
      const page = vectors.pages[addresses[String(url)] ?? ""];
      if (!page) throw new TypeError(`Nothing answers at ${url}.`);
      return new Response(page.body, { status: page.status, headers: page.headers });
    };
    const envelope = kind.startsWith("x402_") && input.startsWith('{"format":');
    const found = await verifiers[kind](envelope ? JSON.parse(input) : input, {
      issuer,
      now: new Date(now),
      fetch: network,
      ...options,
    } as never);
    expect(found).toMatchObject(
      result.valid ? { valid: true, keyId: result.key_id } : { valid: false, code: result.code },
    );
  },
);
