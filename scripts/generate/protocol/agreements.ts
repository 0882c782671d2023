import type { Address } from "viem";
import { arbiter, noArbiter, provider, wallet } from "./parties.ts";

export const baseAgreement = {
  orderId: "ord_01jd3w8x2mfhz8w9q4t6n5k7ra",
  agent: { id: "agt_01jd3w7k5hfa3r6m2v8c4x9q1e", slug: "counter" },
  service: {
    id: "svc_01jd3w7n1yes0bq7d5z3w6t8kg",
    slug: "text-statistics",
    title: "Statistics of a text",
    pricingModel: "fixed",
  },
  quantity: 1,
  unitPrice: 2_500_000n,
  amount: 2_500_000n,
  token: { address: "0x5FbDB2315678afecb367f032d93F642f64180aa3" as Address, symbol: "TUSD", decimals: 6 },
  chainId: 31_337,
  escrowContract: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512" as Address,
  buyer: wallet.address,
  provider,
  arbiter,
  fundBy: 1_795_339_800,
  deliveryWindow: 3600,
  acceptanceWindow: 86_400,
  disputeWindow: 604_800,
  appealWindow: 172_800,
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  outputSchema: null as unknown,
  inputPayload: { text: "Guten Tag" } as unknown,
};

export const agreements = {
  "a fixed price": baseAgreement,
  "no arbiter, no input, another chain": {
    ...baseAgreement,
    chainId: 8453,
    arbiter: noArbiter,
    inputSchema: null,
    inputPayload: null,
    token: { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" as Address, symbol: "USDC", decimals: 6 },
  },
  "the greatest values": {
    ...baseAgreement,
    chainId: 999_999_999_999_999,
    quantity: 1_000_000,
    amount: 2n ** 128n - 1n,
    unitPrice: 2n ** 128n - 1n,
    token: { ...baseAgreement.token, decimals: 18 },
    fundBy: 281_474_976_710_655,
    deliveryWindow: 4_294_967_295,
    acceptanceWindow: 4_294_967_295,
    disputeWindow: 4_294_967_295,
    appealWindow: 4_294_967_295,
  },
  "a title beyond ASCII": {
    ...baseAgreement,
    service: { ...baseAgreement.service, title: 'Übersetzung — „schnell" \u{1f600} \u2028 <b>' },
  },
};

/** Invalid agreements: each changes one member of the first agreement. */
export const wrongAgreements: Record<string, object> = {
  "another version": { version: 2 },
  "a chain without its namespace": { chain: "31337" },
  "a chain with a leading zero": { chain: "eip155:031337" },
  "an amount that is a number": { amount_base_units: 2500000 },
  "an amount of zero": { amount_base_units: "0" },
  "an amount with a leading zero": { amount_base_units: "02500000" },
  "a decimal amount": { amount_base_units: "2.5" },
  "a negative amount": { amount_base_units: "-1" },
  "an amount beyond uint128": { amount_base_units: (2n ** 128n).toString() },
  "a buyer whose checksum is wrong": { buyer: flipCase(wallet.address) },
  "a provider that is no address": { provider: "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A" },
  "a funding deadline in text": { fund_by: "1795339800" },
  "a window that is negative": { delivery_window_seconds: -1 },
  "a window beyond uint32": { appeal_window_seconds: 4_294_967_296 },
  "a window that is no whole number": { dispute_window_seconds: 1.5 },
  "no arbiter at all": { arbiter: null },
  "a token without its address": { token: { symbol: "TUSD", decimals: 6 } },
};

function flipCase(address: string): string {
  const at = [...address].findIndex((letter, index) => index > 1 && /[a-fA-F]/.test(letter));
  const letter = address.charAt(at);
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return address.slice(0, at) + other + address.slice(at + 1);
}
