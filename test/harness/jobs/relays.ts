import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { encodeFunctionData, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import type { Chain } from "../../../config/config.ts";
import { createKeyFile } from "../../../config/keys/signing-key.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { relay, relayAttempt, relayer } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { createRelayer } from "../../../jobs/relay/relayer.ts";
import { createSender } from "../../../jobs/relay/sender.ts";
import { localRelayerKey } from "../../../tools/stack/local-chain.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { type NewRelay, queueRelay, type RelayRow } from "../../../trade/relay/relay-queue.ts";
import { forkChain } from "../chain.ts";
import { createTestDatabase } from "../database.ts";
import { buyer, chainActions, placeOrder, randomHash, until } from "./ledger.ts";

export type RelayBench = Awaited<ReturnType<typeof startRelayBench>>;

/**
 * The parts of tests of the relayer: a chain and a database of their own, the relayer's key, and no indexer.
 *
 * @param options.together calls that the relayer makes in one transaction at most
 */
export async function startRelayBench({ together = 1 }: { together?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-relay-"));
  const [database, testChain] = await Promise.all([createTestDatabase(), forkChain()]);
  const { node } = testChain;
  const chain = { ...testChain.chain, relay_batch: together };
  const { db } = database;
  const actions = chainActions(testChain);
  const wallet = privateKeyToAccount(localRelayerKey);
  const signingKeyFile = join(folder, "signing.json");
  createKeyFile(signingKeyFile);
  await testChain.fund(wallet);
  await actions.allow(buyer);

  return {
    actions,
    chain,
    db,
    node,
    testChain,
    wallet,
    /** The settings of a worker of its own, on a node that may misbehave. */
    env: (rpcUrl = testChain.rpcUrl): Record<string, string> => ({
      DATABASE_URL: database.url,
      PUBLIC_URL: "http://localhost:42069",
      SIGNING_KEY_FILE: signingKeyFile,
      RELAYER_PRIVATE_KEY: localRelayerKey,
      ...testChain.env,
      [`RPC_URL_${chain.chain_id}`]: rpcUrl,
      [`RELAY_BATCH_${chain.chain_id}`]: String(together),
    }),
    async close(): Promise<void> {
      await testChain.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
    /** A relayer as a worker has it. Settings of the chain may change, such as the URL of its node. */
    newRelayer: (settings: Partial<Chain> = {}, signal?: AbortSignal) =>
      createRelayer(
        db,
        { chains: [{ ...chain, ...settings }], relayerPrivateKey: localRelayerKey },
        { signal },
      ),

    /** The relayer's chain client, without the lock that keeps two of them apart. */
    newSender: () => createSender(db, chain, wallet),

    /** Returns the nonce of the relayer's next transaction: the number of mined ones. */
    nonceOf: (blockTag: "latest" | "pending" = "latest") =>
      actions.reader.getTransactionCount({ address: wallet.address, blockTag }),

    /** An order whose escrow is on the chain, where nobody else mines meanwhile. */
    async fundedOrder(fields: Parameters<typeof placeOrder>[2] = {}): Promise<OrderRow> {
      const row = await placeOrder(db, chain, fields);
      await actions.confirm(await actions.send(row, buyer, "createEscrow"));
      return row;
    },

    async deliveryCall(row: OrderRow, outputHash = randomHash(), number = 1): Promise<Hex> {
      const args = await actions.signDelivery(row, outputHash, number);
      return encodeFunctionData({ abi: escrowAbi, functionName: "recordDeliveryWithSignature", args });
    },

    queue: (
      row: OrderRow,
      data: Hex,
      key = `${row.escrowId}:recordDelivery:1`,
      of: Partial<NewRelay> = {},
    ): Promise<RelayRow> =>
      inTransaction(db, (tx) =>
        queueRelay(tx, {
          key,
          chainId: chain.chain_id,
          orderId: row.id,
          to: chain.escrow_contract,
          data,
          gasBound: gasBounds.signedAct,
          ...of,
        }),
      ),

    async read({ id }: { id: string }): Promise<RelayRow> {
      const [row] = await db.select().from(relay).where(eq(relay.id, id));
      if (!row) throw new Error("The relay is gone.");
      return row;
    },

    /** Returns the transactions that were signed for a relay or its batch, oldest first. */
    readAttempts: ({ id }: { id: string }) =>
      db
        .select()
        .from(relayAttempt)
        .where(
          sql`${relayAttempt.relayId} in (
            select unnest(array[${relay.id}, ${relay.batchId}]) from ${relay} where ${relay.id} = ${id})`,
        )
        .orderBy(asc(relayAttempt.createdAt)),

    /** Returns the workers' record of the wallet. */
    async readWallet() {
      const [row] = await db.select().from(relayer);
      return row;
    },

    async deliveriesOf(row: OrderRow): Promise<number> {
      const { deliveryCount } = await actions.reader.readContract({
        abi: escrowAbi,
        address: chain.escrow_contract,
        functionName: "getEscrow",
        args: [row.escrowId],
      });
      return deliveryCount;
    },
  };
}

/**
 * Mines block after block until `look` returns a value, and returns it.
 *
 * @param baseFee the base fee of each block in wei; by the chain's own rule when left out
 */
export function mineUntil<T>(
  { node }: RelayBench,
  look: () => Promise<T | null | undefined | false>,
  what: string,
  baseFee?: bigint,
): Promise<T> {
  return until(async () => {
    if (baseFee !== undefined) await node.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee });
    await node.mine({ blocks: 1 });
    await new Promise((resolve) => setTimeout(resolve, 150));
    return look();
  }, what);
}

/** Ends the leases of dead workers, as time does after a few seconds. */
export async function freeRelays({ db }: RelayBench): Promise<void> {
  await db.execute(sql`update earnest.lease set until = '-infinity' where name like 'relay %'`);
}

/** Tells whether these relays are all mined. */
export async function areMined({ db }: RelayBench, relays: { id: string }[]): Promise<boolean> {
  const ids = relays.map(({ id }) => id);
  return (await db.$count(relay, and(inArray(relay.id, ids), eq(relay.status, "mined")))) === ids.length;
}

/** Asserts that exactly one of a relay's transactions was mined, the one in its row. */
export async function expectOneMined(
  bench: RelayBench,
  relay: { id: string },
  order: OrderRow,
): Promise<void> {
  const row = await bench.read(relay);
  expect(row).toMatchObject({ status: "mined", error: null });
  const receipts = await Promise.all(
    (await bench.readAttempts(relay)).map(({ transactionHash: hash }) =>
      bench.actions.reader.getTransactionReceipt({ hash }).catch(() => null),
    ),
  );
  const hashes = receipts.flatMap((receipt) => (receipt ? [receipt.transactionHash] : []));
  expect(hashes).toEqual([row.transactionHash]);
  expect(await bench.deliveriesOf(order)).toBe(1);
}
