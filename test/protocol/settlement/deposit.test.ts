import fc from "fast-check";
import { getAddress, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { type AgreementFields, createAgreement } from "../../../protocol/settlement/agreement.ts";
import { deriveDeposit, findAgreement } from "../../../protocol/settlement/deposit.ts";
import {
  depositAddressOf,
  depositImplementationOf,
  digestOf,
  escrowIdOf,
} from "../../../protocol/settlement/terms.ts";

const anyAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => getAddress(`0x${Buffer.from(bytes).toString("hex")}` as Hex));
const anyWindow = fc.integer({ min: 0, max: 0xffff_ffff });

const anyFields: fc.Arbitrary<AgreementFields> = fc.record({
  orderId: fc.string(),
  agent: fc.record({ id: fc.string(), slug: fc.string() }),
  service: fc.record({ id: fc.string(), slug: fc.string(), title: fc.string(), pricingModel: fc.string() }),
  inputSchema: fc.constantFrom(null, { type: "object" }),
  outputSchema: fc.constantFrom(null, { type: "object" }),
  inputPayload: fc.dictionary(fc.string(), fc.string()),
  quantity: fc.integer({ min: 1 }),
  unitPrice: fc.bigInt(1n, 2n ** 128n - 1n),
  amount: fc.bigInt(1n, 2n ** 128n - 1n),
  token: fc.record({ address: anyAddress, symbol: fc.string(), decimals: fc.integer({ min: 0, max: 36 }) }),
  chainId: fc.integer({ min: 1 }),
  escrowContract: anyAddress,
  buyer: anyAddress,
  provider: anyAddress,
  arbiter: anyAddress,
  fundBy: fc.integer({ min: 1, max: 0xffff_ffff_ffff }),
  deliveryWindow: anyWindow,
  acceptanceWindow: anyWindow,
  disputeWindow: anyWindow,
  appealWindow: anyWindow,
});

describe("findAgreement", () => {
  const [fields] = fc.sample(anyFields, { numRuns: 1, seed: 1 });
  if (!fields) throw new Error("There is no sample.");
  const agree = (change: Partial<AgreementFields>) =>
    JSON.parse(JSON.stringify(createAgreement({ ...fields, ...change }))) as object;
  const [first, second] = [agree({ chainId: 1 }), agree({ chainId: 31_338, amount: 250n })];
  const offered = { agreement: first, other_agreements: [second] };
  const payableOf = (agreement: object) => {
    const { chainId, depositAddress: payTo, terms } = deriveDeposit(agreement);
    return { network: `eip155:${chainId}`, asset: terms.token, amount: String(terms.amount), payTo };
  };

  test("finds the agreement of each token, with its deposit", () => {
    for (const agreement of [first, second]) {
      const found = findAgreement(offered, payableOf(agreement));
      expect(found).toEqual({ ...deriveDeposit(agreement), agreement });
    }
  });

  test.each<[what: string, change: Partial<ReturnType<typeof payableOf>>]>([
    ["another chain", { network: "eip155:1" }],
    ["another token", { asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" }],
    ["another amount", { amount: "251" }],
    ["the deposit of another agreement", { payTo: payableOf(first).payTo }],
  ])("refuses %s", (_, change) => {
    const changed = { ...payableOf(second), ...change };
    expect(() => findAgreement(offered, changed)).toThrow(/^No agreement pays/);
  });
});

describe("deriveDeposit", () => {
  test("reads the order's terms from its agreement", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        // The agreement comes as others get it: from JSON.
        const agreement: unknown = JSON.parse(JSON.stringify(createAgreement(fields)));
        const { chainId, escrowContract, buyer, provider, amount, fundBy, arbiter } = fields;
        const { deliveryWindow, acceptanceWindow, disputeWindow, appealWindow } = fields;
        const windows = { deliveryWindow, acceptanceWindow, disputeWindow, appealWindow };
        const parties = { buyer, provider, token: fields.token.address, arbiter };
        const terms = { ...parties, amount, fundBy, ...windows, orderHash: digestOf(agreement) };
        const escrowId = escrowIdOf(chainId, escrowContract, terms);
        const implementation = depositImplementationOf(escrowContract);
        expect(deriveDeposit(agreement)).toEqual({
          chainId,
          escrowContract,
          terms,
          escrowId,
          implementation,
          depositAddress: depositAddressOf(escrowContract, implementation, escrowId),
        });
      }),
    );
  });

  test("has another address for any other agreement, even where only a text differs", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const agreement = createAgreement(fields);
        const { depositAddress } = deriveDeposit(agreement);
        for (const name of Object.keys(agreement) as (keyof typeof agreement)[]) {
          const other = otherThan(name, agreement[name]);
          if (other === undefined) continue;
          expect(deriveDeposit({ ...agreement, [name]: other }).depositAddress).not.toBe(depositAddress);
        }
        expect(deriveDeposit({ ...agreement, more: 1 }).depositAddress).not.toBe(depositAddress);
      }),
      { numRuns: 20 },
    );
  });

  test("names the fault of a malformed agreement", () => {
    const agreement = createAgreement(fc.sample(anyFields, { numRuns: 1, seed: 1 })[0] as AgreementFields);
    const lowered = agreement.buyer.toLowerCase().replace(/[a-f]/, (letter) => letter.toUpperCase());
    const wrong: [string, unknown][] = [
      ["version", 2],
      ["chain", "solana:mainnet"],
      ["chain", "eip155:0"],
      ["escrow_contract", "0x1234"],
      ["buyer", lowered === agreement.buyer ? "" : lowered],
      ["provider", null],
      ["token", {}],
      ["amount_base_units", "2.5"],
      ["amount_base_units", (2n ** 128n).toString()],
      ["fund_by", "1795339800"],
      ["delivery_window_seconds", 2 ** 32],
      ["appeal_window_seconds", -1],
    ];
    for (const [name, value] of wrong) {
      const refused = () => deriveDeposit({ ...agreement, [name]: value });
      expect(refused, `${name} ${String(value)}`).toThrow(TypeError);
      expect(refused).toThrow(`at ${name}`);
    }
    for (const none of [null, "{}", [], undefined]) expect(() => deriveDeposit(none)).toThrow(TypeError);
  });
});

/** Another value of the same form; undefined where the member has one value only. */
function otherThan(name: string, value: unknown): unknown {
  if (name === "version") return undefined;
  if (name === "chain") return value === "eip155:5" ? "eip155:6" : "eip155:5";
  if (name.endsWith("_base_units")) return value === "5" ? "6" : "5";
  if (name === "token") return { ...(value as object), symbol: `${(value as { symbol: string }).symbol}.` };
  if (typeof value === "number") return value === 5 ? 6 : 5;
  if (typeof value === "string" && /^0x\w{40}$/.test(value)) {
    const other = "0x00000000000000000000000000000000000000Aa";
    return getAddress(value === getAddress(other) ? `0x${"1".repeat(40)}` : other);
  }
  return value === null ? "" : `${value}.`;
}
