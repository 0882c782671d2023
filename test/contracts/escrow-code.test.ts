import { createPublicClient, http } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { escrowBytecode } from "../../abis/bytecode.ts";
import { compareEscrow } from "../../protocol/settlement/escrow-code.ts";
import { addressOf } from "../../tools/deploy/create2.ts";
import { getFixture } from "../harness/fixtures/fixture.ts";
import { forwardRequests } from "../harness/jobs/processes.ts";

const escrow = addressOf(escrowBytecode);
let refusal: { code: number; message: string } | null = null;
let node: Awaited<ReturnType<typeof forwardRequests>>;
beforeAll(async () => {
  node = await forwardRequests((await getFixture("baseChain")).rpcUrl, {
    treat: ({ method }) => (method === "eth_call" && refusal ? { error: refusal } : "forward"),
  });
});
afterAll(() => node?.close());
const compare = () =>
  compareEscrow(createPublicClient({ transport: http(node.url, { retryCount: 0 }) }), escrow);

test("a failure of the node is no difference of the contract", async () => {
  expect(await compare()).toEqual([]);
  refusal = { code: 3, message: "execution reverted" };
  expect(await compare()).toEqual(Array(3).fill(expect.stringContaining(" is an error (")));
  // The errors of anvil and of geth for code that halts.
  for (const message of ["EVM error InvalidJump", "EVM error StackUnderflow", "EVM error OpcodeNotFound"]) {
    refusal = { code: -32603, message };
    expect(await compare()).toHaveLength(3);
  }
  for (const message of [
    "invalid jump destination",
    "stack underflow (0 <=> 1)",
    "invalid opcode: INVALID",
  ]) {
    refusal = { code: -32000, message };
    expect(await compare()).toHaveLength(3);
  }
  refusal = { code: -32603, message: "EVM error FatalExternalError" };
  await expect(compare()).rejects.toThrow("FatalExternalError");
  refusal = { code: -32000, message: "header not found" };
  await expect(compare()).rejects.toThrow("header not found");
});
