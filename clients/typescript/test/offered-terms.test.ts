import { createPublicClient, custom, decodeFunctionData, encodeFunctionResult, parseAbi } from "viem";
import { expect, test } from "vitest";
import { isSuperseded, type OfferedTerms } from "../src/buying/offered-terms.ts";
import type { Signer } from "../src/buying/wallet.ts";

const abi = parseAbi([
  "function getEscrow(bytes32 escrowId) view returns ((uint8 status, uint32 deliveryCount, uint48 fundedAt, uint48 deliveredAt, uint48 disputedAt, uint128 paid, uint128 earned))",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function balanceOf(address holder) view returns (uint256)",
]);
const address = (digit: string) => `0x${digit.repeat(40)}` as const;
const bytes32 = (digit: string) => `0x${digit.repeat(64)}` as const;

/** Asks a node at which the money of a used authorization moves from the deposit address into the escrow after some reads. */
async function ask(readsBefore: number): Promise<boolean> {
  let reads = 0;
  const request = async ({ params }: { params?: unknown }) => {
    const [{ data }] = params as [{ data: `0x${string}` }];
    const { functionName } = decodeFunctionData({ abi, data });
    const hasMoved = reads++ >= readsBefore;
    if (functionName === "authorizationState")
      return encodeFunctionResult({ abi, functionName, result: true });
    if (functionName === "balanceOf")
      return encodeFunctionResult({ abi, functionName, result: hasMoved ? 0n : 5n });
    const none = { deliveryCount: 0, fundedAt: 0, deliveredAt: 0, disputedAt: 0, paid: 0n, earned: 0n };
    return encodeFunctionResult({ abi, functionName, result: { status: hasMoved ? 1 : 0, ...none } });
  };
  const node = createPublicClient({ transport: custom({ request }) });
  const agreed = {
    escrowContract: address("1"),
    escrowId: bytes32("2"),
    depositAddress: address("3"),
    terms: { token: address("4") },
  };
  const terms = { agreed, accepted: { extra: {} } } as unknown as OfferedTerms;
  return await isSuperseded(terms, bytes32("5"), { node, address: address("6") } as unknown as Signer);
}

test.each([0, 1, 2, 3])(
  "terms whose money moves into the escrow after %i reads of the node are not superseded",
  async (reads) => {
    expect(await ask(reads)).toBe(false);
  },
);
