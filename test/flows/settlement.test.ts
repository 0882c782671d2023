import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readForkConfig } from "../../config/programs.ts";
import { runDemo } from "../../tools/demo/order.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { settleOneOrder } from "../harness/flows/life.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

// On a fork of the base chain; with FORK_URL set, on a fork of that network with its token FORK_TOKEN.
let chain: TestChain;
let stack: TestStack;
beforeAll(async () => {
  chain = await forkChain({ fork: readForkConfig() });
  stack = await startStack({ chain });
});
afterAll(async () => {
  await stack?.close();
  await chain?.close();
});

test("an order settles on a forked chain, from sign-in to verified receipts", async () => {
  const { decimals } = chain.chain.token;
  await settleOneOrder(stack, `2.${"5".padEnd(decimals, "0")}`);
});

test("the sample order settles, and prints each step", async () => {
  const buyer = privateKeyToAccount(generatePrivateKey());
  const provider = privateKeyToAccount(generatePrivateKey());
  await chain.fund(buyer);
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const orderId = await runDemo({
    baseUrl: stack.baseUrl,
    rpcUrl: chain.rpcUrl,
    buyer,
    provider,
    print,
  });
  const text = lines.join("\n");
  expect(text).toContain(orderId);
  expect(text).toContain("the document's signature is good");
  expect(text).toContain("the chain agrees: the money moved");
  expect(lines.filter((line) => /^ ?\d+\. /.test(line))).toHaveLength(9);
});
