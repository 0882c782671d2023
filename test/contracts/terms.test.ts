import fc from "fast-check";
import { type Address, createPublicClient, getAddress, type Hex, http } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import { type Chain, readConfig } from "../../config/config.ts";
import { depositAddressOf, escrowIdOf, type Terms } from "../../protocol/settlement/terms.ts";
import { baseChainSettings } from "../harness/fixtures/fixture.ts";

let chain: Chain;

beforeAll(async () => {
  const { defaultChain } = readConfig(await baseChainSettings());
  if (!defaultChain) throw new Error("The base chain has no manifest.");
  chain = defaultChain;
});

const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value): Hex => `0x${Buffer.from(value).toString("hex")}`);
const anyAddress = hexOf(20).map((value): Address => getAddress(value));
const uint = (bits: number) => fc.bigInt(0n, 2n ** BigInt(bits) - 1n);
const smallUint = (bits: number) => uint(bits).map(Number);

const anyTerms: fc.Arbitrary<Terms> = fc.record({
  buyer: anyAddress,
  provider: anyAddress,
  token: anyAddress,
  amount: uint(128),
  fundBy: smallUint(48),
  deliveryWindow: smallUint(32),
  acceptanceWindow: smallUint(32),
  disputeWindow: smallUint(32),
  appealWindow: smallUint(32),
  arbiter: anyAddress,
  orderHash: hexOf(32),
});

describe("terms", () => {
  test("give the contract's own escrow id and deposit address", async () => {
    const client = createPublicClient({ transport: http(chain.rpc_url) });
    const contract = { abi: escrowAbi, address: chain.escrow_contract } as const;
    await fc.assert(
      fc.asyncProperty(anyTerms, async (terms) => {
        const escrowId = escrowIdOf(chain.chain_id, chain.escrow_contract, terms);
        const [theirId, theirDeposit] = await Promise.all([
          client.readContract({ ...contract, functionName: "escrowIdOf", args: [terms] }),
          client.readContract({ ...contract, functionName: "depositAddressOf", args: [terms] }),
        ]);
        expect(escrowId).toBe(theirId);
        expect(depositAddressOf(chain.escrow_contract, chain.deposit_implementation, escrowId)).toBe(
          theirDeposit,
        );
      }),
      { numRuns: 50 },
    );
  });

  test("give another escrow id on another chain or in another contract", () => {
    fc.assert(
      fc.property(anyTerms, anyAddress, (terms, other) => {
        const escrowId = escrowIdOf(chain.chain_id, chain.escrow_contract, terms);
        expect(escrowIdOf(chain.chain_id + 1, chain.escrow_contract, terms)).not.toBe(escrowId);
        expect(escrowIdOf(chain.chain_id, other, terms)).not.toBe(escrowId);
      }),
    );
  });

  test("give no escrow id for a malformed address, hash or number", () => {
    const [terms] = fc.sample(anyTerms, 1) as [Terms];
    const swapped = (text: string) =>
      text.replace(/[a-f](?=[^x]*$)/i, (one) => (one < "a" ? one.toLowerCase() : one.toUpperCase()));
    const wrong: Partial<Record<keyof Terms, unknown>>[] = [
      { buyer: "0x12" },
      { buyer: `${terms.buyer}00` },
      { provider: swapped("0x90F79bf6EB2c4f870365E785982E1f101E93b906") },
      { arbiter: terms.arbiter.replace("0x", "0X") },
      { amount: 2n ** 128n },
      { amount: -1n },
      { fundBy: 2 ** 48 },
      { deliveryWindow: 1.5 },
      { appealWindow: Number.NaN },
      { orderHash: terms.orderHash.slice(0, -1) },
    ];
    for (const one of wrong) {
      expect(() =>
        escrowIdOf(chain.chain_id, chain.escrow_contract, { ...terms, ...one } as Terms),
      ).toThrow();
    }
    const lower = { ...terms, buyer: terms.buyer.toLowerCase() as Address };
    expect(escrowIdOf(1, chain.escrow_contract, lower)).toBe(escrowIdOf(1, chain.escrow_contract, terms));
  });
});
