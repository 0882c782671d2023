import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { relayAttempt } from "../../db/schema.ts";
import { type Answer, expectStatus } from "../harness/api.ts";
import { amount, startPayingBench, untilReady } from "../harness/faults/payments.ts";
import { whileWritesWait } from "../harness/faults/writes.ts";
import { placeOrder } from "../harness/flows/x402-order.ts";
import { until } from "../harness/jobs/ledger.ts";
import { forwardRequests } from "../harness/jobs/processes.ts";

let paying: Awaited<ReturnType<typeof startPayingBench>>;
let order: Answer["body"];

beforeAll(async () => {
  paying = await startPayingBench();
});
afterEach(() => paying.killAll());
afterAll(() => paying?.bench.close());
beforeEach(async () => {
  order = await placeOrder(paying.bench.market);
});

describe("a worker killed with SIGKILL loses and repeats no payment", () => {
  test.each([
    ["while it stores what it signed", "relay_attempt", "insert"],
    ["while it says that the payment is submitted or confirmed", "payment", "update"],
    ["while it records that the order is funded", "fact", "insert"],
  ])("%s", async (_, table, operation) => {
    const accepted = await paying.accept(order);
    await whileWritesWait(paying.bench.db, table, { on: `before ${operation}` }, async (waiting) => {
      const killed = paying.startWorker();
      await waiting;
      await killed.end("SIGKILL");
    });
    await paying.expectNextOneEndsIt(accepted);
  });

  test("after the node accepted the transaction, before its answer", async () => {
    const accepted = await paying.accept(order);
    let requestCount = 0;
    const proxy = await forwardRequests(paying.bench.testChain.rpcUrl, {
      treat: ({ method }) => {
        if (method !== "eth_sendRawTransaction") return "forward";
        requestCount += 1;
        return "lose";
      },
    });
    const killed = paying.startWorker(proxy.url);
    await until(async () => requestCount > 0, "the worker sends");
    await killed.end("SIGKILL");
    await proxy.close();
    await paying.expectNextOneEndsIt(accepted);
  });
});

test("a payment is accepted and answered while no worker runs, and confirmed by the next worker", async () => {
  const accepted = await paying.accept(order);
  const answer = await paying.bench.post(order);
  expect(expectStatus(202, answer).payment).toMatchObject({ status: "accepted", transaction_hash: null });
  expect(answer.headers.get("payment-required")).toBeNull();
  await paying.expectNextOneEndsIt(accepted);
});

const payments = 16;
const kills = 4;

test("workers killed repeatedly, then two at once, while payments and deposits come in: each order is funded once", async () => {
  const { bench, buyer, startWorker } = paying;
  const [had, nonce] = [await bench.balanceOf(buyer), await bench.nonce()];
  const orders = await Promise.all(Array.from({ length: payments }, () => placeOrder(bench.market)));
  const patron = await bench.newPatron();
  // Every fourth payment is a direct transfer.
  const byTransfer = orders.filter((_, index) => index % 4 === 3);
  const arriving = (async () => {
    for (const each of orders) {
      if (byTransfer.includes(each)) await bench.transfer(patron, each.escrow.deposit_address, amount);
      else await bench.pay(each, await bench.sign(each));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  for (let kill = 0; kill < kills; kill += 1) {
    const worker = startWorker();
    await untilReady(worker);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 600));
    await worker.end("SIGKILL");
  }
  await arriving;
  const two = [startWorker(), startWorker()];
  // One order at a time, because a poll is work too.
  for (const each of orders)
    await until(async () => (await bench.read(each)).status === "funded", "each is funded", 90);
  const byPayment = orders.filter((each) => !byTransfer.includes(each));
  for (const each of byPayment)
    await until(async () => (await bench.payment(each)).status === "confirmed", "each payment is confirmed");
  const relaysNow = async () => (await Promise.all(orders.map((each) => bench.relaysOf(each)))).flat();
  await expect
    .poll(async () => (await relaysNow()).filter(({ status }) => status !== "mined"), { interval: 500 })
    .toEqual([]);
  for (const worker of two) await worker.end("SIGTERM");

  for (const each of orders) {
    const types = (await bench.trail(each)).map(({ type }) => type);
    expect(types).toEqual(["order.created", "order.funded"]);
    expect(await bench.relaysOf(each)).toHaveLength(1);
    expect(await bench.balanceOf(each.escrow.deposit_address)).toBe(0n);
  }
  expect(await bench.balanceOf(buyer)).toBe(had - amount * BigInt(byPayment.length));
  // One call for each order, from any sender and at any number of attempts, and no transaction without a call.
  const sent = new Set((await relaysNow()).map(({ transactionHash }) => transactionHash)).size;
  expect(await bench.nonce()).toBe(nonce + sent);
  const attempts = await bench.db.select({ nonce: relayAttempt.nonce }).from(relayAttempt);
  expect(new Set(attempts.map((attempt) => attempt.nonce)).size).toBe(await bench.nonce());
});
