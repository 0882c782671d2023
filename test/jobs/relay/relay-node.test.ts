import { encodeFunctionData, erc20Abi, parseGwei } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRelayNode } from "../../../jobs/relay/relay-node.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await forkChain();
});
afterAll(() => chain?.close());

test("a call has gas for the payee's first balance, although another payment to it is pending", async () => {
  const payer = privateKeyToAccount(generatePrivateKey());
  const payee = privateKeyToAccount(generatePrivateKey());
  await chain.fund(payer);
  const to = chain.chain.token.address;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [payee.address, 1n] });
  await chain.node.setAutomine(false);
  await chain.wallet(payer).sendTransaction({ to, data });

  const fees = { maxFeePerGas: parseGwei("50"), maxPriorityFeePerGas: parseGwei("1") };
  const estimate = await createRelayNode(chain.chain).estimate(
    payer.address,
    { to, data },
    { fees, gas: 400_000n },
  );
  expect(estimate).toEqual({ gas: expect.any(BigInt) });
});

test("a node that reports too little gas is understood, although viem takes that for a revert", async () => {
  const message = "gas required exceeds allowance (400000)";
  const node = await forwardRequests(chain.rpcUrl, {
    treat: ({ method }) => (method === "eth_estimateGas" ? { error: { code: -32_000, message } } : "forward"),
  });
  const relayNode = createRelayNode({ ...chain.chain, rpc_url: node.url });
  const fees = { maxFeePerGas: parseGwei("50"), maxPriorityFeePerGas: parseGwei("1") };
  const call = { to: chain.chain.token.address, data: "0x" as const };
  expect(
    await relayNode.estimate(privateKeyToAccount(generatePrivateKey()).address, call, {
      fees,
      gas: 400_000n,
    }),
  ).toEqual({
    refused: "The call needs more gas than the 400000 that the service pays for.",
  });
  await node.close();
});
