import { sql } from "drizzle-orm";
import { type Hex, keccak256, parseGwei } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OrderRow } from "../../db/order-rows.ts";
import type { RelayRow } from "../../trade/relay/relay-queue.ts";
import { type RelayingBench, startRelayingBench } from "../harness/faults/relaying.ts";
import { whileWritesWait } from "../harness/faults/writes.ts";
import { buyer, until } from "../harness/jobs/ledger.ts";
import { forwardRequests, type Treatment } from "../harness/jobs/processes.ts";
import { areMined, expectOneMined, freeRelays, mineUntil } from "../harness/jobs/relays.ts";

let relaying: RelayingBench;
let bench: RelayingBench["bench"];

beforeAll(async () => {
  relaying = await startRelayingBench();
  bench = relaying.bench;
});
afterEach(() => relaying.reset());
afterAll(() => bench?.close());

const attemptsOf = (relay: RelayRow, count: number) => async () => {
  const attempts = await bench.readAttempts(relay);
  return attempts.length >= count && attempts;
};

// After storing and before sending: test/jobs/relay/sender.crash.test.ts.
describe("a worker killed while it relays", () => {
  test("after signing and before storing: nothing is left, and the next one signs and sends", async () => {
    const queued = await relaying.queueDelivery();
    await whileWritesWait(bench.db, "relay_attempt", { on: "before insert" }, async (waiting) => {
      const worker = relaying.startWorker();
      await waiting;
      await worker.end("SIGKILL");
    });
    expect(await bench.readAttempts(queued.relay)).toEqual([]);
    expect((await bench.read(queued.relay)).status).toBe("queued");
    expect(await bench.nonceOf("pending")).toBe(queued.nonce);
    await relaying.expectNextOneEndsIt(queued);
  });

  test("when the node accepted the transaction and its answer is lost: the next one waits for the same", async () => {
    const queued = await relaying.queueDelivery();
    const proxy = await forwardRequests(bench.testChain.rpcUrl, {
      treat: ({ method }) => (method === "eth_sendRawTransaction" ? "lose" : "forward"),
    });
    const first = relaying.startWorker(proxy.url);
    await until(async () => (await bench.nonceOf("pending")) === queued.nonce + 1, "the node has it");
    await first.end("SIGKILL");
    await proxy.close();
    await relaying.expectNextOneEndsIt(queued);
    expect(await bench.readAttempts(queued.relay)).toHaveLength(1);
  });

  test("after sending and before mining: the next one waits for the same transaction", async () => {
    const queued = await relaying.queueDelivery();
    const first = relaying.startWorker();
    await until(async () => (await bench.nonceOf("pending")) === queued.nonce + 1, "the node has it");
    await first.end("SIGKILL");
    const stored = await bench.read(queued.relay);
    expect(stored.status).toBe("signed");
    await freeRelays(bench);
    const second = relaying.startWorker();
    await until(async () => second.output().includes("worker ready"), "the next worker is ready");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await bench.nonceOf("pending")).toBe(queued.nonce + 1);
    await second.end("SIGTERM");
    await relaying.expectNextOneEndsIt(queued);
    expect((await bench.read(queued.relay)).transactionHash).toBe(stored.transactionHash);
  });

  test("when it is mined and the worker does not know it yet: the next one finds it", async () => {
    const queued = await relaying.queueDelivery();
    const proxy = await forwardRequests(bench.testChain.rpcUrl, { hold: "eth_getTransactionReceipt" });
    const first = relaying.startWorker(proxy.url);
    await until(async () => (await bench.nonceOf("pending")) === queued.nonce + 1, "the node has it");
    await bench.node.mine({ blocks: 1 });
    await until(async () => proxy.held.length > 0, "the worker asks what became of it");
    await first.end("SIGKILL");
    await proxy.close();
    expect((await bench.read(queued.relay)).status).toBe("signed");
    await relaying.expectNextOneEndsIt(queued);
    expect(await bench.readAttempts(queued.relay)).toHaveLength(1);
  });

  const high = parseGwei("60");

  test("after signing a raise and before storing it: the next one raises the stored transaction", async () => {
    const queued = await relaying.queueDelivery();
    const first = relaying.startWorker();
    await until(attemptsOf(queued.relay, 1), "it is signed");
    await whileWritesWait(bench.db, "relay_attempt", { on: "before insert" }, async (waiting) => {
      let stored = false;
      const mining = mineUntil(bench, async () => stored, "the worker raises it", high);
      await waiting;
      await first.end("SIGKILL");
      stored = true;
      await mining;
    });
    expect(await bench.readAttempts(queued.relay)).toHaveLength(1);
    await relaying.expectNextOneEndsIt(queued, high);
    expect((await bench.readAttempts(queued.relay)).length).toBeGreaterThan(1);
  });

  test("after storing a raise and before sending it: the next one sends the raised transaction", async () => {
    const queued = await relaying.queueDelivery();
    const seen = new Set<Hex>();
    const proxy = await forwardRequests(bench.testChain.rpcUrl, {
      treat: ({ method, params }): Treatment => {
        if (method !== "eth_sendRawTransaction") return "forward";
        seen.add(params[0] as Hex);
        return seen.size > 1 ? "hold" : "forward";
      },
    });
    const first = relaying.startWorker(proxy.url);
    await until(attemptsOf(queued.relay, 1), "it is signed");
    await mineUntil(bench, async () => proxy.held.length > 0, "the worker sends the raise", high);
    await first.end("SIGKILL");
    await proxy.close();
    const stored = await bench.readAttempts(queued.relay);
    expect(stored).toHaveLength(2);
    expect((await bench.read(queued.relay)).transactionHash).toBe(stored[1]?.transactionHash);
    await relaying.expectNextOneEndsIt(queued);
    expect((await bench.read(queued.relay)).transactionHash).toBe(stored[1]?.transactionHash);
  });
});

test("a worker frozen before it signs, for longer than its lease: the next one sends, and the first sends nothing after it thaws", async () => {
  const queued = await relaying.queueDelivery();
  const thawing = Promise.withResolvers<Treatment>();
  let requestCount = 0;
  const proxy = await forwardRequests(bench.testChain.rpcUrl, {
    treat: ({ method }) => {
      if (method !== "eth_estimateGas") return "forward";
      requestCount += 1;
      return thawing.promise;
    },
  });
  const first = relaying.startWorker(proxy.url);
  await until(async () => requestCount > 0, "the worker is about to sign");
  first.freeze();
  const second = relaying.startWorker();
  await until(async () => (await bench.read(queued.relay)).status === "signed", "the next one has sent it");
  first.thaw();
  thawing.resolve("forward");
  await mineUntil(bench, () => areMined(bench, [queued.relay]), "it is mined");
  await first.end("SIGTERM");
  expect(first.ended()).toBe(0);
  await second.end("SIGTERM");
  await expectOneMined(bench, queued.relay, queued.order);
  expect(await bench.readAttempts(queued.relay)).toHaveLength(1);
  expect(await bench.nonceOf()).toBe(queued.nonce + 1);
  await proxy.close();
});

const relayCount = 20;
const kills = 4;

test("workers killed at random, on a faulty node, while gas prices jump and the key is used elsewhere: each relay happens once", async () => {
  const orders: OrderRow[] = [];
  for (let index = 0; index < relayCount; index += 1) orders.push(await bench.fundedOrder());
  const nonceBefore = await bench.nonceOf();
  await bench.node.setAutomine(false);

  const chance = (share: number) => Math.random() < share;
  const proxy = await forwardRequests(bench.testChain.rpcUrl, {
    treat: ({ method, params }): Treatment => {
      if (method === "eth_sendRawTransaction") {
        if (chance(0.15)) return { result: keccak256(params[0] as Hex) };
        if (chance(0.15)) return "lose";
        if (chance(0.1)) return { error: { code: -32_000, message: "txpool is full" } };
      }
      return chance(0.01) ? "lose" : "forward";
    },
  });

  let ended = false;
  let foreign = 0;
  const mining = (async () => {
    while (!ended) {
      const baseFee = parseGwei(String(1 + Math.floor(Math.random() ** 3 * 80)));
      await bench.node.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee });
      await bench.node.mine({ blocks: 1 });
      if (foreign < 3 && chance(0.02)) {
        // Another user of the key takes the next nonce, at any price.
        const sent = await bench.testChain
          .wallet(bench.wallet)
          .sendTransaction({
            to: buyer.address,
            value: 1n,
            gas: 21_000n,
            nonce: await bench.nonceOf(),
            maxFeePerGas: parseGwei("900"),
            maxPriorityFeePerGas: parseGwei("500"),
          })
          .catch(() => null);
        if (sent) foreign += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  })();

  const relays: RelayRow[] = [];
  const queueing = (async () => {
    for (const order of orders) {
      relays.push(await bench.queue(order, await bench.deliveryCall(order)));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    }
  })();
  for (let kill = 0; kill < kills; kill += 1) {
    const worker = relaying.startWorker(proxy.url);
    await until(async () => worker.output().includes("worker ready"), "the worker is ready");
    await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 1500));
    await worker.end("SIGKILL");
  }
  await queueing;
  const two = [relaying.startWorker(proxy.url), relaying.startWorker(proxy.url)];
  await until(() => areMined(bench, relays), "all are mined", 90);
  for (const worker of two) await worker.end("SIGTERM");
  ended = true;
  await mining;
  await proxy.close();

  for (const [index, relay] of relays.entries())
    await expectOneMined(bench, relay, orders[index] as OrderRow);
  const own = await bench.db.execute<{ n: number }>(sql`
    select count(*)::int as n from earnest.relay where status = 'mined' and nonce >= ${nonceBefore}`);
  const mined = (await bench.nonceOf()) - nonceBefore;
  // The relays, the gap fillers, and the other user's transactions: nothing else used a nonce.
  expect(mined).toBeLessThanOrEqual((own.rows[0]?.n ?? 0) + foreign);
  const batches = await bench.db.execute<{ calls: number }>(sql`
    select count(*)::int as calls from earnest.relay where batch_id is not null group by batch_id`);
  expect(Math.max(...batches.rows.map(({ calls }) => calls))).toBeGreaterThan(1);
});
