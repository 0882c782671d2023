import { createPublicClient, http } from "viem";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { escrowBytecode } from "../../abis/bytecode.ts";
import { addressOf } from "../../deploy/create2.ts";
import { compareEscrow } from "../../settlement/escrow-code.ts";
import { forwardRequests } from "../harness/jobs/processes.ts";

const escrow = addressOf(escrowBytecode);
let refusal: { code: number; message: string } | null = null;
let node: Awaited<ReturnType<typeof forwardRequests>>;
beforeAll(async () => {
  node = await forwardRequests(inject("baseRpcUrl"), {
    treat: ({ method }) => (method === "eth_call" && refusal ? { error: refusal } : "forward"),
  });
});
afterAll(() => node?.close());
const compare = () =>
  compareEscrow(createPublicClient({ transport: http(node.url, { retryCount: 0 }) }), escrow);

test("what the node fails with is no difference of the contract", async () => {
  expect(await compare()).toEqual([]);
  refusal = { code: 3, message: "execution reverted" };
  expect(await compare()).toEqual(Array(3).fill(expect.stringContaining(" is an error (")));
  refusal = { code: -32000, message: "header not found" };
  await expect(compare()).rejects.toThrow("header not found");
});
