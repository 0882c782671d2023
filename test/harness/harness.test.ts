import { afterAll, expect, test } from "vitest";
import { testUsdAbi } from "../../abis/testUsd.ts";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import { localAccount } from "../../tools/stack/anvil.ts";
import { forkChain } from "./chain.ts";
import { createTestDatabase } from "./database.ts";

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

test("a test database has our tables and the indexer's views", async () => {
  const database = await createTestDatabase();
  closing.push(database.close);
  const indexed = await readIndexedBlocks(database.db);
  expect(indexed.has(31_337)).toBe(true);
  expect((await database.db.$client.query("select count(*)::int as n from idx.escrow_event")).rows).toEqual([
    { n: 0 },
  ]);
  expect((await database.db.$client.query("select count(*)::int as n from earnest.order")).rows).toEqual([
    { n: 0 },
  ]);
});

test("a forked chain deals its token and native coin", async () => {
  const chain = await forkChain();
  closing.push(chain.close);
  const account = localAccount(9);
  await chain.fund(account);
  const { address } = chain.chain.token;
  const balance = await chain.publicClient.readContract({
    address,
    abi: testUsdAbi,
    functionName: "balanceOf",
    args: [account.address],
  });
  expect(balance).toBe(10_000n * 10n ** 6n);
  const hash = await chain.wallet(account).sendTransaction({ to: account.address, value: 1n });
  const receipt = await chain.publicClient.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe("success");
});
