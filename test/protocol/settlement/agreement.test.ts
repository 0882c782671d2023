import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AgreementFields, createAgreement } from "../../../protocol/settlement/agreement.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";

const fields: AgreementFields = {
  orderId: "ord_01jd3w8x2mfhz8w9q4t6n5k7ra",
  agent: { id: "agt_01jd3w8x2mfhz8w9q4t6n5k7rb", slug: "translator" },
  service: {
    id: "svc_01jd3w8x2mfhz8w9q4t6n5k7rc",
    slug: "german-to-english",
    title: "Übersetzung, German to English",
    pricingModel: "per_unit",
  },
  inputSchema: { type: "object", required: ["text"] },
  outputSchema: null,
  inputPayload: { text: "Guten Tag €", pages: 2.5 },
  quantity: 3,
  unitPrice: 2_500_000n,
  amount: 7_500_000n,
  token: { address: "0x5fbdb2315678afecb367f032d93f642f64180aa3", symbol: "TUSD", decimals: 6 },
  chainId: 31_337,
  escrowContract: "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
  buyer: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
  provider: "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
  arbiter: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
  fundBy: 1_800_000_000,
  deliveryWindow: 86_400,
  acceptanceWindow: 172_800,
  disputeWindow: 604_800,
  appealWindow: 172_800,
};

describe("the agreement", () => {
  test("of fixed fields has a fixed document and hash", () => {
    const agreement = createAgreement(fields);
    // The digests come from another program, Python's json and hashlib.
    expect(agreement).toEqual({
      version: 1,
      order_id: "ord_01jd3w8x2mfhz8w9q4t6n5k7ra",
      agent_id: "agt_01jd3w8x2mfhz8w9q4t6n5k7rb",
      agent_slug: "translator",
      service_id: "svc_01jd3w8x2mfhz8w9q4t6n5k7rc",
      service_slug: "german-to-english",
      service_title: "Übersetzung, German to English",
      pricing_model: "per_unit",
      input_schema_digest: "0xbfcba292825c11bcdc991c377e42f44e22ebb8a40db25e8e8b16204f08b7cf2a",
      output_schema_digest: null,
      input_digest: "0x49312ca0e07047e4cbcc8854714d35ff96cc08a529162c43cbe8dc2b6707a81f",
      quantity: 3,
      unit_price_base_units: "2500000",
      amount_base_units: "7500000",
      token: { address: "0x5FbDB2315678afecb367f032d93F642f64180aa3", symbol: "TUSD", decimals: 6 },
      chain: "eip155:31337",
      escrow_contract: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
      buyer: "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
      provider: "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
      arbiter: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      fund_by: 1_800_000_000,
      delivery_window_seconds: 86_400,
      acceptance_window_seconds: 172_800,
      dispute_window_seconds: 604_800,
      appeal_window_seconds: 172_800,
    });
    expect(digestOf(agreement)).toBe("0x83770bc8906c00da8fdd29637f3f0c4a422b413ba6c26b83f4aeb02d9785d6ac");
  });

  test("has the same hash after a database has reordered its members", () => {
    const agreement = createAgreement(fields);
    const reordered = Object.fromEntries(Object.entries(agreement).reverse());
    expect(digestOf(reordered)).toBe(digestOf(agreement));
  });

  test.each<[string, Partial<AgreementFields>]>([
    ["order", { orderId: "ord_01jd3w8x2mfhz8w9q4t6n5k7rz" }],
    ["service", { service: { ...fields.service, id: "svc_01jd3w8x2mfhz8w9q4t6n5k7rz" } }],
    ["input schema", { inputSchema: { type: "object" } }],
    ["output schema", { outputSchema: {} }],
    ["input", { inputPayload: { text: "Guten Tag €", pages: 2.4 } }],
    ["quantity", { quantity: 4 }],
    ["unit price", { unitPrice: 2_500_001n }],
    ["amount", { amount: 7_500_001n }],
    ["token", { token: { ...fields.token, address: fields.buyer } }],
    ["chain", { chainId: 1 }],
    ["escrow contract", { escrowContract: fields.buyer }],
    ["buyer", { buyer: fields.arbiter }],
    ["provider", { provider: fields.arbiter }],
    ["arbiter", { arbiter: fields.token.address }],
    ["funding deadline", { fundBy: 1_800_000_001 }],
    ["delivery window", { deliveryWindow: 86_401 }],
    ["acceptance window", { acceptanceWindow: 86_401 }],
    ["dispute window", { disputeWindow: 86_401 }],
    ["appeal window", { appealWindow: 86_401 }],
  ])("with another %s has another hash", (_, change) => {
    expect(digestOf(createAgreement({ ...fields, ...change }))).not.toBe(digestOf(createAgreement(fields)));
  });
});

describe("digestOf", () => {
  test("is the SHA-256 of the canonical text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalize(value) as string;
        expect(digestOf(value)).toBe(`0x${createHash("sha256").update(text).digest("hex")}`);
        expect(digestOf(JSON.parse(JSON.stringify(value)))).toBe(digestOf(value));
      }),
    );
  });

  test("refuses values without a JSON form", () => {
    expect(() => digestOf(undefined)).toThrow("no JSON form");
  });
});
