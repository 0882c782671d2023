import { eq, sql } from "drizzle-orm";
import { type Address, encodeFunctionData, type Hex, keccak256 } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { isFenced } from "../../../db/lease.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { relay, relayAttempt } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { createRelayStore } from "../../../jobs/relay/relay-store.ts";
import { termsOf } from "../../../protocol/settlement/terms.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { queueRelay, type RelayRow } from "../../../trade/relay/relay-queue.ts";
import { buyer, randomHash, until } from "../../harness/jobs/ledger.ts";
import { forwardRequests, type Treatment } from "../../harness/jobs/processes.ts";
import {
  areMined,
  expectOneMined,
  freeRelays,
  mineUntil,
  type RelayBench,
  startRelayBench,
} from "../../harness/jobs/relays.ts";

let bench: RelayBench;

beforeAll(async () => {
  bench = await startRelayBench();
});
afterEach(() => bench.node.setAutomine(true));
afterAll(() => bench.close());

const chain = () => bench.chain;

describe("queueRelay", () => {
  test("queues the same key once, whatever the second call has", async () => {
    const row = await bench.fundedOrder();
    const [first, second] = [await bench.queue(row, "0x11"), await bench.queue(row, "0x22")];
    expect(second).toEqual(first);
    expect(first).toMatchObject({ status: "queued", data: "0x11" });
    await bench.db.delete(relay).where(eq(relay.id, first.id));
  });

  test("a rolled back transaction leaves no row", async () => {
    const row = await bench.fundedOrder();
    await expect(
      inTransaction(bench.db, async (tx) => {
        await queueRelay(tx, {
          key: `${row.escrowId}:never`,
          chainId: 777,
          orderId: row.id,
          to: chain().escrow_contract,
          data: "0x00",
          gasBound: gasBounds.signedAct,
        });
        throw new Error("the request fails after all");
      }),
    ).rejects.toThrow("the request fails after all");
    expect(await bench.db.select().from(relay).where(eq(relay.orderId, row.id))).toEqual([]);
  });
});

describe("the relayer", () => {
  test("does not pay for a call that takes more gas than any of the service's should", async () => {
    const row = await bench.fundedOrder();
    const greedy = "0x00000000000000000000000000000000000fa7e0";
    // Hashes 1.7 MB of empty memory: some 6.4 million gas.
    await bench.node.setCode({ address: greedy, bytecode: "0x621b00005f2000" });
    const queued = await inTransaction(bench.db, (tx) =>
      queueRelay(tx, {
        key: `${row.escrowId}:greedy`,
        chainId: chain().chain_id,
        orderId: row.id,
        to: greedy,
        data: "0x",
        gasBound: gasBounds.signedAct,
      }),
    );
    const before = await bench.nonceOf();
    await until(async () => {
      await bench.newRelayer().relay(chain().chain_id);
      return (await bench.read(queued)).status === "failed";
    }, "the relay has failed");
    expect(await bench.read(queued)).toMatchObject({
      error: expect.stringMatching(/^The call needs more gas than the 400000 that the service pays for\.$/),
      transactionHash: null,
    });
    expect(await bench.nonceOf()).toBe(before);
  });

  test("two relayers at once send each of ten queued calls once", async () => {
    const rows = [];
    for (let index = 0; index < 10; index += 1) rows.push(await bench.fundedOrder());
    const relays: RelayRow[] = [];
    for (const row of rows) relays.push(await bench.queue(row, await bench.deliveryCall(row)));
    const before = await bench.nonceOf();
    const two = [bench.newRelayer(), bench.newRelayer()];
    await Promise.all(two.map((one) => one.relay(chain().chain_id)));
    await until(() => areMined(bench, relays), "all mined");
    expect(await bench.nonceOf()).toBe(before + 10);
    for (const row of rows) expect(await bench.deliveriesOf(row)).toBe(1);
  });

  test("fails a call that the contract refuses with its reason, at no cost, and it may be requested again", async () => {
    const row = await bench.fundedOrder();
    const before = await bench.nonceOf();
    const foreign = await bench.deliveryCall({ ...row, escrowId: randomHash() });
    const refused = await bench.queue(row, foreign);
    await bench.newRelayer().relay(chain().chain_id);
    expect(await bench.read(refused)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^InvalidSignature\(signer 0x[0-9a-f]{40}, digest 0x[0-9a-f]{64}\)/i),
    });
    expect(await bench.nonceOf()).toBe(before);

    const again = await bench.queue(row, await bench.deliveryCall(row));
    expect(again).toMatchObject({ id: refused.id, status: "queued", error: null });
    await bench.newRelayer().relay(chain().chain_id);
    expect((await bench.read(refused)).status).toBe("mined");
    expect(await bench.deliveriesOf(row)).toBe(1);
  });

  test("a transaction that reverts when mined fails with the contract's reason", async () => {
    const row = await bench.fundedOrder();
    await bench.actions.node.setAutomine(false);
    const queued = await bench.queue(row, await bench.deliveryCall(row));
    const done = bench.newRelayer().relay(chain().chain_id);
    await until(async () => (await bench.read(queued)).status === "signed", "it is sent");
    // The buyer releases in the same block and, paying more, comes first.
    await bench.actions.writer.writeContract({
      abi: escrowAbi,
      address: chain().escrow_contract,
      functionName: "release",
      args: [termsOf(row)],
      account: buyer,
      chain: null,
      gas: 400_000n,
      maxPriorityFeePerGas: 10n ** 12n,
      maxFeePerGas: 10n ** 13n,
    });
    await bench.actions.node.mine({ blocks: 1 });
    await done;
    expect(await bench.read(queued)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^WrongStatus/),
    });
    expect(await bench.deliveriesOf(row)).toBe(0);
  });

  test("holds a second call of an order that only succeeds once the first is mined", async () => {
    const row = await bench.fundedOrder();
    const second = randomHash();
    const secondArgs = await bench.actions.signDelivery(row, second, 2);
    const data = encodeFunctionData({
      abi: escrowAbi,
      functionName: "recordDeliveryWithSignature",
      args: secondArgs,
    });
    await bench.queue(row, await bench.deliveryCall(row));
    const later = await bench.queue(row, data, `${row.escrowId}:recordDelivery:2`);
    await bench.newRelayer().relay(chain().chain_id);
    expect((await bench.read(later)).status).toBe("mined");
    expect(await bench.deliveriesOf(row)).toBe(2);
  });

  test("keeps a call queued while the wallet of the relayer is empty, and sends it once the wallet has money", async () => {
    const row = await bench.fundedOrder();
    const full = await bench.actions.reader.getBalance({ address: bench.wallet.address });
    await bench.actions.node.setBalance({ address: bench.wallet.address, value: 1000n });
    const queued = await bench.queue(row, await bench.deliveryCall(row));
    const poor = bench.newRelayer();
    await poor.relay(chain().chain_id);
    await poor.beat();
    expect((await bench.read(queued)).status).toBe("queued");
    const seen = await bench.readWallet();
    expect(seen).toMatchObject({ chainId: chain().chain_id, balance: 1000n, waiting: "balance" });
    expect(seen?.address).toBe(bench.wallet.address.toLowerCase());

    await bench.actions.node.setBalance({ address: bench.wallet.address, value: full });
    await poor.relay(chain().chain_id);
    expect((await bench.read(queued)).status).toBe("mined");
    expect((await bench.readWallet())?.waiting).toBeNull();
  });

  test("signs a relay again whose stored transaction can never be mined, its nonce used by another, and sends it once", async () => {
    const row = await bench.fundedOrder();
    const data = await bench.deliveryCall(row);
    const queued = await bench.queue(row, data);
    const nonce = await bench.nonceOf();
    const rawTransaction = await bench.wallet.signTransaction({
      type: "eip1559",
      chainId: chain().chain_id,
      to: chain().escrow_contract,
      data,
      nonce,
      gas: 300_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
    });
    await bench.db
      .update(relay)
      .set({
        status: "signed",
        sender: bench.wallet.address,
        nonce,
        transactionHash: keccak256(rawTransaction),
      })
      .where(eq(relay.id, queued.id));
    await bench.db.insert(relayAttempt).values({
      relayId: queued.id,
      sender: bench.wallet.address,
      nonce,
      rawTransaction,
      transactionHash: keccak256(rawTransaction),
      signedBlock: 0n,
    });
    const other = await bench.actions.writer.sendTransaction({
      account: bench.wallet,
      to: bench.wallet.address,
      value: 0n,
      nonce,
      chain: null,
    });
    await bench.actions.confirm(other);
    await bench.newRelayer().relay(chain().chain_id);
    const after = await bench.read(queued);
    expect(after).toMatchObject({ status: "mined", nonce: nonce + 1 });
    expect(after.transactionHash).not.toBe(keccak256(rawTransaction));
    expect(await bench.deliveriesOf(row)).toBe(1);
  });

  test("postpones a relay that the node cannot run, which blocks none behind it", async () => {
    const poison = "0xdeadbeef";
    const proxy = await forwardRequests(bench.testChain.rpcUrl, {
      treat: ({ method, params }): Treatment => {
        const [call] = params as [{ data?: string }?];
        if (method !== "eth_estimateGas" || call?.data !== poison) return "forward";
        return { error: { code: -32_000, message: "this node has a fault" } };
      },
    });
    const rows = [await bench.fundedOrder(), await bench.fundedOrder()];
    const faulty = await bench.queue(rows[0] as OrderRow, poison, "faulty");
    const fine: RelayRow[] = [];
    for (const row of rows) fine.push(await bench.queue(row, await bench.deliveryCall(row)));
    const relayer = bench.newRelayer({ rpc_url: proxy.url });
    await relayer.relay(chain().chain_id);
    expect(await areMined(bench, fine)).toBe(true);
    expect((await bench.read(faulty)).status).toBe("queued");
    await proxy.close();
    // Another node answers.
    await bench.newRelayer().relay(chain().chain_id);
    expect((await bench.read(faulty)).status).toBe("failed");
  });

  test("sends the call behind twenty that the contract refuses", async () => {
    const row = await bench.fundedOrder();
    const bad: RelayRow[] = [];
    for (let index = 0; index < 20; index += 1)
      bad.push(await bench.queue(row, "0x12345678", `bad:${index}`));
    const good = await bench.queue(row, await bench.deliveryCall(row));
    await bench.newRelayer().relay(chain().chain_id);
    expect((await bench.read(good)).status).toBe("mined");
    for (const { id } of bad) expect((await bench.read({ id })).status).toBe("failed");
  });

  test("stops when another takes its lease, and the other continues: each key is sent once", async () => {
    const rows: OrderRow[] = [];
    for (let index = 0; index < 6; index += 1) rows.push(await bench.fundedOrder());
    const before = await bench.nonceOf();
    await bench.node.setAutomine(false);
    const relays: RelayRow[] = [];
    for (const row of rows) relays.push(await bench.queue(row, await bench.deliveryCall(row)));
    const first = bench.newRelayer().relay(chain().chain_id);
    await until(async () => (await bench.nonceOf("pending")) > before, "it sends");
    await bench.db.execute(sql`
      update earnest.lease set holder = 'another', fence = fence + 1 where name = ${`relay ${chain().chain_id}`}`);
    await first;
    await freeRelays(bench);
    const second = bench.newRelayer().relay(chain().chain_id);
    await mineUntil(bench, () => areMined(bench, relays), "all are mined");
    await second;
    expect(await bench.nonceOf()).toBe(before + rows.length);
    for (const [index, relay] of relays.entries())
      await expectOneMined(bench, relay, rows[index] as OrderRow);
  });

  test("waits for another worker, and takes over seconds after that one has died", async () => {
    const row = await bench.fundedOrder();
    const queued = await bench.queue(row, await bench.deliveryCall(row));
    await bench.db.execute(sql`
      insert into earnest.lease values (${`relay ${chain().chain_id}`}, 'dead', 1, now() + interval '5 s')
      on conflict (name) do update set until = excluded.until, fence = lease.fence + 1`);
    const begun = performance.now();
    await bench.newRelayer().relay(chain().chain_id);
    expect((await bench.read(queued)).status).toBe("mined");
    expect(performance.now() - begun).toBeGreaterThan(4500);
    expect(performance.now() - begun).toBeLessThan(30_000);
    await expectOneMined(bench, queued, row);
  });

  test("changes nothing of a relay without the lease, although the relay's row is unchanged", async () => {
    const row = await bench.fundedOrder();
    const queued = { ...(await bench.queue(row, await bench.deliveryCall(row))), attempts: [] };
    const name = "relay fenced";
    await bench.db.execute(
      sql`insert into earnest.lease values (${name}, 'another', 5, now() + interval '5 s')`,
    );
    const store = createRelayStore(bench.db, chain().chain_id);
    const sender = bench.wallet.address.toLowerCase() as Address;
    const signed = {
      sender,
      nonce: 1_000_000,
      rawTransaction: "0x02",
      transactionHash: randomHash(),
      signedBlock: 1n,
    } as const;
    store.fenceBy(isFenced({ name, fence: 4n }));
    expect(await store.store(queued, signed)).toBe(false);
    await store.refuse(queued, "by one that thawed");
    await store.requeue(queued);
    expect(await bench.readAttempts(queued)).toEqual([]);
    expect(await bench.read(queued)).toMatchObject({ status: "queued", error: null });
    store.fenceBy(isFenced({ name, fence: 5n }));
    await store.refuse(queued, "by the one whose it is");
    expect(await bench.read(queued)).toMatchObject({ status: "failed" });
  });

  test("sends each key once, with three that drain at once without any lock", async () => {
    const rows: OrderRow[] = [];
    for (let index = 0; index < 8; index += 1) rows.push(await bench.fundedOrder());
    const before = await bench.nonceOf();
    const relays: RelayRow[] = [];
    for (const row of rows) relays.push(await bench.queue(row, await bench.deliveryCall(row)));
    const drains = [bench.newSender(), bench.newSender(), bench.newSender()].map((sender) => sender.drain());
    await Promise.all(drains);
    await bench.newRelayer().relay(chain().chain_id);
    expect(await areMined(bench, relays)).toBe(true);
    expect(await bench.nonceOf()).toBe(before + rows.length);
  });

  test("fills a nonce gap before its own, and the transactions behind it are mined", async () => {
    const row = await bench.fundedOrder();
    const nonce = await bench.nonceOf();
    await bench.node.setAutomine(false);
    // Another user of the key sent it; the node forgets it.
    const foreign = await bench.testChain
      .wallet(bench.wallet)
      .sendTransaction({ to: buyer.address, value: 1n, nonce, gas: 21_000n });
    const queued = await bench.queue(row, await bench.deliveryCall(row));
    const done = bench.newRelayer().relay(chain().chain_id);
    await until(async () => (await bench.nonceOf("pending")) === nonce + 2, "ours is sent after it");
    await bench.node.dropTransaction({ hash: foreign });
    await mineUntil(bench, () => areMined(bench, [queued]), "ours is mined");
    await done;
    expect((await bench.read(queued)).nonce).toBe(nonce + 1);
    await expectOneMined(bench, queued, row);
    expect(await bench.nonceOf()).toBe(nonce + 2);
    const [filler] = await bench.db.select().from(relay).where(eq(relay.nonce, nonce));
    expect(filler).toMatchObject({ status: "mined", data: "0x", orderId: null });
    expect(filler?.to).toBe(bench.wallet.address.toLowerCase());
  });

  test("is not held up for long by a node that once reports a nonce far ahead", async () => {
    const rows = [await bench.fundedOrder(), await bench.fundedOrder()];
    const nonce = await bench.nonceOf();
    let lies = 0;
    const node = await forwardRequests(bench.testChain.rpcUrl, {
      treat: ({ method, params }): Treatment => {
        if (method !== "eth_getTransactionCount" || params[1] !== "pending" || lies > 0) return "forward";
        lies += 1;
        return { result: `0x${(nonce + 1000).toString(16)}` };
      },
    });
    await bench.node.setAutomine(false);
    const relays: RelayRow[] = [];
    for (const row of rows) relays.push(await bench.queue(row, await bench.deliveryCall(row)));
    const done = bench.newRelayer({ rpc_url: node.url }).relay(chain().chain_id);
    await until(async () => (await bench.read(relays[1] as RelayRow)).status === "signed", "both are sent");
    const { number: before } = await bench.actions.reader.getBlock();
    await mineUntil(bench, () => areMined(bench, relays), "both are mined");
    await done;
    await node.close();
    const { number: after } = await bench.actions.reader.getBlock();
    expect(lies).toBe(1);
    expect(Number(after - before)).toBeLessThan(40);
    for (const [index, row] of rows.entries()) await expectOneMined(bench, relays[index] as RelayRow, row);
  });

  test("gives a nonce up to another transaction only when that one is deep enough, and not when its block goes", async () => {
    const row = await bench.fundedOrder();
    const nonce = await bench.nonceOf();
    await bench.node.setAutomine(false);
    const proxy = await forwardRequests(bench.testChain.rpcUrl, {
      treat: ({ method, params }): Treatment =>
        method === "eth_sendRawTransaction" ? { result: keccak256(params[0] as Hex) } : "forward",
    });
    const queued = await bench.queue(row, await bench.deliveryCall(row));
    const stop = new AbortController();
    const keeping = bench.newRelayer({ rpc_url: proxy.url, confirmations: 4 }, stop.signal);
    const first = keeping.relay(chain().chain_id);
    await until(async () => (await bench.read(queued)).status === "signed", "it is signed");
    await bench.testChain.wallet(bench.wallet).sendTransaction({ to: buyer.address, value: 1n, nonce });
    await bench.node.mine({ blocks: 3 });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(await bench.read(queued)).toMatchObject({ status: "signed", nonce });
    // The block of the other transaction leaves the chain, and the relayer's takes its place after all.
    await bench.node.request({ method: "anvil_reorg", params: [3, []] } as never);
    stop.abort();
    await first;
    await proxy.close();
    expect(await bench.nonceOf()).toBe(nonce);
    const last = bench.newRelayer({ confirmations: 4 }).relay(chain().chain_id);
    await mineUntil(bench, () => areMined(bench, [queued]), "it is mined");
    await last;
    expect((await bench.read(queued)).nonce).toBe(nonce);
    await expectOneMined(bench, queued, row);
    expect(await bench.nonceOf()).toBe(nonce + 1);
  });

  test("follows a transaction whose block leaves the chain before it counts, and it is mined again", async () => {
    const row = await bench.fundedOrder();
    const nonce = await bench.nonceOf();
    await bench.node.setAutomine(false);
    const queued = await bench.queue(row, await bench.deliveryCall(row));
    const done = bench.newRelayer({ confirmations: 3 }).relay(chain().chain_id);
    await until(async () => (await bench.nonceOf("pending")) === nonce + 1, "it is sent");
    await bench.node.mine({ blocks: 2 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await bench.read(queued)).status).toBe("signed");
    expect(await bench.deliveriesOf(row)).toBe(1);
    await bench.node.request({ method: "anvil_reorg", params: [2, []] } as never);
    expect(await bench.deliveriesOf(row)).toBe(0);
    await mineUntil(bench, () => areMined(bench, [queued]), "it is mined again");
    await done;
    await expectOneMined(bench, queued, row);
    expect(await bench.nonceOf()).toBe(nonce + 1);
  });
});
