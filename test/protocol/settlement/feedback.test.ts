import { type Address, getAddress, type Hex, keccak256, toBytes } from "viem";
import { describe, expect, test } from "vitest";
import { readOpinion, writeFeedbackFile } from "../../../protocol/settlement/feedback.ts";
import { identityName, registryName, tokenNumber } from "../../../protocol/settlement/identity.ts";

const address = (digit: string): Address => getAddress(`0x${digit.repeat(40)}`);
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;

const options: Parameters<typeof writeFeedbackFile>[0] = {
  identity: { chainId: 8453, registry: address("1"), tokenId: 22n },
  client: address("b"),
  opinion: { value: 9977, value_decimals: 2, tag1: "uptime", tag2: "", comment: 'Ünï "quoted" \u2028 text' },
  createdAt: new Date("2026-11-21T16:00:00Z"),
  order: {
    escrowContract: address("e"),
    escrowId: hash("5"),
    buyerAddress: address("b"),
    providerAddress: address("c"),
    token: address("d"),
  },
  payment: { chainId: 10, hash: hash("9"), claim: "released", amount: 2n ** 100n },
  receiptUrl: "https://market.example/api/v1/receipts/rcp_1",
};

describe("a feedback file", () => {
  test("is canonical JSON under its keccak256, whatever its text", () => {
    const { content, hash: named } = writeFeedbackFile(options);
    expect(keccak256(toBytes(content))).toBe(named);
    const names = Object.keys(JSON.parse(content));
    expect(names).toEqual([...names].sort());
    expect(content).not.toMatch(/\n|: /);
    expect(readOpinion(content)).toEqual(options.opinion);
  });

  test("names the chain of the identity for the client, and that of the order for the payment", () => {
    const file = JSON.parse(writeFeedbackFile(options).content);
    expect(file.agentRegistry).toBe(`eip155:8453:${address("1")}`);
    expect(file.clientAddress).toBe(`eip155:8453:${address("b")}`);
    expect(file.proofOfPayment.chainId).toBe("10");
    expect(file.settlement.amount).toBe((2n ** 100n).toString());
    expect(file).not.toHaveProperty("tag2");
  });

  test("has another hash for another instant, word or payment", () => {
    const { opinion, payment } = options;
    const others = [
      options,
      { ...options, createdAt: new Date("2026-11-21T16:00:01Z") },
      { ...options, opinion: { ...opinion, value: 9978 } },
      { ...options, opinion: { ...opinion, comment: null } },
      { ...options, payment: { ...payment, hash: hash("8") } },
    ];
    expect(new Set(others.map((other) => writeFeedbackFile(other).hash)).size).toBe(others.length);
  });
});

test("names an identity by chain, registry in EIP-55 and number, which is a JSON number where JSON can hold it", () => {
  const registry = address("a").toLowerCase() as Address;
  const identity = { chainId: 1, registry, tokenId: 2n ** 200n };
  expect(registryName(identity)).toBe(`eip155:1:${address("a")}`);
  expect(identityName(identity)).toBe(`eip155:1:${address("a")}:${2n ** 200n}`);
  expect([22n, 2n ** 53n - 1n, 2n ** 53n].map(tokenNumber)).toEqual([22, 2 ** 53 - 1, "9007199254740992"]);
});
