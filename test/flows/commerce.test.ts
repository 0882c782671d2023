import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { runDemo } from "../../tools/demo/order.ts";
import { testOnStack } from "../harness/stack.ts";

testOnStack(
  "after their order the two trade by request and quote, and by subscription, and read what was paid",
  async ({ stack }) => {
    const buyer = privateKeyToAccount(generatePrivateKey());
    const provider = privateKeyToAccount(generatePrivateKey());
    await stack.chain.fund(buyer);
    const lines: string[] = [];
    const print = (line: string) => lines.push(line);
    const { baseUrl, chain } = stack;
    await runDemo({ baseUrl, rpcUrl: chain.rpcUrl, buyer, provider, commerce: true, print });
    const text = lines.join("\n");
    // Only the worker notified the provider.
    expect(text).toMatch(/the provider's feed: request\.matched, "Statistics of a whole book"/);
    expect(text).toMatch(/the buyer's feed: quote\.received, 12\.500000/);
    expect(text).toMatch(/order {4}ord_\w+, 12\.500000 \w+: created, unpaid/);
    expect(text).toMatch(/the buyer ends the subscription: cancelled/);
    expect(text).toMatch(/released {2,}2\.500000/);
    expect(text).toMatch(/funded {4}2\.500000/);
  },
);
