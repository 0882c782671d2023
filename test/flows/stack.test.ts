import { expect } from "vitest";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import { testOnStack } from "../harness/stack.ts";

testOnStack("the shared stack answers over HTTP and follows its own chain", async ({ stack }) => {
  expect((await fetch(`${stack.baseUrl}/ready`)).status).toBe(200);
  const before = await stack.chain.publicClient.getBlockNumber();
  await stack.chain.node.mine({ blocks: 3 });
  const indexed = async () => (await readIndexedBlocks(stack.db)).get(31_337)?.block;
  await expect.poll(indexed).toBeGreaterThanOrEqual(before + 3n);
});
