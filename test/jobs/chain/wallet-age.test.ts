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

  test("is as old as its first confirmed transaction, and has no age without one", async () => {
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

describe("a buyer's wallet that a score needs", () => {
  test("is looked up, then once a day without a result, and not again once its first block is known", async () => {
    const chain = await forkChain();
    const api = await createTestApi({ chain });
    try {
      const { chain_id: chainId } = chain.chain;
      const day = 86_400_000;
      const buyer = privateKeyToAccount(generatePrivateKey());
      const put = (of: `0x${string}`, checkedAt: Date, firstBlock: bigint | null = null, on = chainId) =>
        api.db
          .insert(walletAge)
          .values({ chainId: on, address: of.toLowerCase() as `0x${string}`, checkedAt, firstBlock });
      const row = async (of: string) =>
        (
          await api.db
            .select()
            .from(walletAge)
            .where(eq(walletAge.address, of.toLowerCase() as `0x${string}`))
        )[0];
      const yesterday = new Date(Date.now() - 1.01 * day);
      const [today, known, elsewhere] = [0, 1, 2].map(
        () => privateKeyToAccount(generatePrivateKey()).address,
      );
      if (!today || !known || !elsewhere) throw new Error("There are no wallets.");
      await put(buyer.address, new Date(0));
      await put(today, new Date(Date.now() - 0.9 * day));
      await put(known, new Date(0), 5n);
      await put(elsewhere, new Date(0), null, chainId + 1);
      await findWalletAges(api.db, api.config, { log });
      const looked = await row(buyer.address);
      expect(looked).toMatchObject({ firstBlock: null, firstAt: null });
      expect(looked?.checkedAt.getTime()).toBeGreaterThan(Date.now() - 60_000);
      for (const one of [today, known, elsewhere]) {
        expect((await row(one))?.checkedAt.getTime()).toBeLessThan(Date.now() - 60_000);
      }

      // The wallet sends its first transaction, and its day has passed.
      await chain.node.setBalance({ address: buyer.address, value: parseEther("1") });
      const hash = await chain.wallet(buyer).sendTransaction({ to: address, value: 1n });
      const { blockNumber } = await chain.publicClient.waitForTransactionReceipt({ hash });
      await chain.node.mine({ blocks: 20 });
      await findWalletAges(api.db, api.config, { log });
      expect((await row(buyer.address))?.firstBlock).toBeNull();
      await api.db
        .update(walletAge)
        .set({ checkedAt: yesterday })
        .where(eq(walletAge.address, buyer.address.toLowerCase() as `0x${string}`));
      await findWalletAges(api.db, api.config, { log });
      expect((await row(buyer.address))?.firstBlock).toBe(blockNumber);
    } finally {
      await api.close();
      await chain.close();
    }
  });
});

describe("the search for a wallet's first block", () => {
  /** A node that counts one transaction from a block on, and has state from another block on. */
  function nodeOf({
    used,
    states = 0n,
    error = new InternalRpcError(new Error("missing trie node")),
  }: {
    used: bigint;
    states?: bigint;
    error?: Error;
  }) {
    const blocks: bigint[] = [];
    const getTransactionCount = async ({ blockNumber = 0n }: { blockNumber?: bigint }) => {
      blocks.push(blockNumber);
      if (blockNumber < states) throw error;
      return blockNumber >= used ? 1 : 0;
    };
    return { blocks, client: { getTransactionCount } as Parameters<typeof findFirstUse>[0] };
  }

  test.each([0n, 1n, 12_345_678n, 999_999_999_999n])("finds block %i within 41 queries", async (used) => {
    const { client, blocks } = nodeOf({ used });
    expect(await findFirstUse(client, address, 999_999_999_999n)).toBe(used);
    expect(blocks.length).toBeLessThanOrEqual(41);
  });

  test("finds none where the node lacks such old state", async () => {
    expect(await findFirstUse(nodeOf({ used: 5n, states: 900n }).client, address, 1000n)).toBeNull();
  });

  test("fails where the node is unreachable, so that it is repeated", async () => {
    const error = new TimeoutError({ body: {}, url: "http://node.example" });
    const { client } = nodeOf({ used: 5n, states: 900n, error });
    await expect(findFirstUse(client, address, 1000n)).rejects.toBe(error);
  });
});
