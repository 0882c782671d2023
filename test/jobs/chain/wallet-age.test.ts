import { eq } from "drizzle-orm";
import { pino } from "pino";
import { InternalRpcError, parseEther, TimeoutError } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walletAge } from "../../../db/schema.ts";
import { findFirstUse, findWalletAges } from "../../../jobs/chain/wallet-age.ts";
import { createTestApi, publishService, signIn, type TestApi } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";

const log = pino({ level: "silent" });
const address = privateKeyToAccount(generatePrivateKey()).address;

describe("a payout wallet", () => {
  let chain: TestChain;
  let api: TestApi;
  beforeAll(async () => {
    chain = await forkChain();
    api = await createTestApi({ chain });
  });
  afterAll(async () => {
    await api?.close();
    await chain?.close();
  });

  test("is as old as its first confirmed transaction, and one that sent none has no age", async () => {
    const [used, unused] = [await signIn(api), await signIn(api)];
    await publishService(api, used);
    await publishService(api, unused);
    await chain.node.setBalance({ address: used.account.address, value: parseEther("1") });
    await chain.node.mine({ blocks: 20 });
    const wallet = chain.wallet(used.account);
    const hash = await wallet.sendTransaction({ to: address, value: 1n });
    const { blockNumber } = await chain.publicClient.waitForTransactionReceipt({ hash });
    await chain.node.mine({ blocks: 20 });
    await wallet.sendTransaction({ to: address, value: 1n });
    await chain.node.mine({ blocks: 5 });

    await findWalletAges(api.db, api.config, { log });
    const ageOf = async (of: `0x${string}`) => {
      const [row] = await api.db.select().from(walletAge).where(eq(walletAge.address, of));
      return row;
    };
    const { timestamp } = await chain.publicClient.getBlock({ blockNumber });
    expect(await ageOf(used.account.address)).toMatchObject({
      firstBlock: blockNumber,
      firstAt: new Date(Number(timestamp) * 1000),
    });
    expect(await ageOf(unused.account.address)).toMatchObject({ firstBlock: null, firstAt: null });
  });
});

describe("the search for a wallet's first block", () => {
  /** A node that counts one transaction from a block on, and has the states from another on. */
  function nodeOf({
    used,
    states = 0n,
    error = new InternalRpcError(new Error("missing trie node")),
  }: {
    used: bigint;
    states?: bigint;
    error?: Error;
  }) {
    const asked: bigint[] = [];
    const getTransactionCount = async ({ blockNumber = 0n }: { blockNumber?: bigint }) => {
      asked.push(blockNumber);
      if (blockNumber < states) throw error;
      return blockNumber >= used ? 1 : 0;
    };
    return { asked, client: { getTransactionCount } as Parameters<typeof findFirstUse>[0] };
  }

  test.each([0n, 1n, 12_345_678n, 999_999_999_999n])("finds block %i within 41 questions", async (used) => {
    const { client, asked } = nodeOf({ used });
    expect(await findFirstUse(client, address, 999_999_999_999n)).toBe(used);
    expect(asked.length).toBeLessThanOrEqual(41);
  });

  test("finds none where the node has no states so old", async () => {
    expect(await findFirstUse(nodeOf({ used: 5n, states: 900n }).client, address, 1000n)).toBeNull();
  });

  test("fails where the node is not to be reached, so that it is asked again", async () => {
    const error = new TimeoutError({ body: {}, url: "http://node.example" });
    const { client } = nodeOf({ used: 5n, states: 900n, error });
    await expect(findFirstUse(client, address, 1000n)).rejects.toBe(error);
  });
});
