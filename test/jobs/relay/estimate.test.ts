import { encodeFunctionData, erc20Abi, parseGwei } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRelayNode } from "../../../jobs/relay/node.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await forkChain();
});
afterAll(() => chain?.close());

test("a call has gas for the payee's first balance, though another payment to it is pending", async () => {
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
