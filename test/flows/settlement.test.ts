import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readForkConfig } from "../../config/programs.ts";
import { runDemo } from "../../tools/demo/order.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { settleOneOrder } from "../harness/flows/life.ts";
import { joinStack, type SharedStack, startStack } from "../harness/stack.ts";

// On the shared stack; with FORK_URL set, on a fork of that network with its token FORK_TOKEN.
let chain: TestChain;
let stack: SharedStack;
beforeAll(async () => {
  const fork = readForkConfig();
  stack = fork ? await startStack({ chain: await forkChain({ fork }) }) : await joinStack();
  ({ chain } = stack);
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
