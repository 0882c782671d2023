import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runDemo } from "../../demo/order.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.close());

test("after their order the two trade by request and quote, and by subscription, and read what was paid", async () => {
  const buyer = privateKeyToAccount(generatePrivateKey());
  const provider = privateKeyToAccount(generatePrivateKey());
  await stack.chain.fund(buyer);
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const { baseUrl, chain } = stack;
  await runDemo({ baseUrl, rpcUrl: chain.rpcUrl, buyer, provider, commerce: true, print });
  const text = lines.join("\n");
  // The worker told the provider, and nobody else did.
  expect(text).toMatch(/the provider's feed: request\.matched, "Statistics of a whole book"/);
  expect(text).toMatch(/the buyer's feed: quote\.received, 12\.500000/);
  expect(text).toMatch(/order {4}ord_\w+, 12\.500000 \w+: created, unpaid/);
  expect(text).toMatch(/the buyer has seen enough: cancelled/);
  expect(text).toMatch(/released {2,}2\.500000/);
  expect(text).toMatch(/funded {4}2\.500000/);
});
