import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { relayAttempt } from "../../../db/schema.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";
import { until } from "../../harness/jobs/ledger.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";
import { forwardRequests, spawnWorker, type WorkerProcess } from "../../harness/jobs/processes.ts";
import { isUsed, type Signed } from "../../harness/market/payments.ts";

const amount = 2_500_000n;
let bench: PaymentBench;
let order: Answer["body"];
const running = new Set<WorkerProcess>();

beforeAll(async () => {
  bench = await startPaymentBench();
});
afterEach(async () => {
  for (const worker of running) await worker.end("SIGKILL");
  running.clear();
});
afterAll(() => bench?.close());
beforeEach(async () => {
  order = await placeOrder(bench.market);
});

/** A real worker, perhaps on a node that misbehaves. One that a failed test left is killed. */
function startWorker(rpcUrl = bench.testChain.rpcUrl): WorkerProcess {
  const worker = spawnWorker({ ...bench.stack.env, [`RPC_URL_${bench.chain.chain_id}`]: rpcUrl });
  running.add(worker);
  return worker;
}

const untilReady = (worker: WorkerProcess) =>
  until(async () => worker.output().includes("worker ready"), "the worker is ready");

const buyer = () => bench.market.buyer.account.address;

/** Lets another worker end what a killed one left, and expects that the payment was made once. */
async function expectNextOneEndsIt(signed: Signed, before: { had: bigint; nonce: number }): Promise<void> {
  const next = startWorker();
  await untilReady(next);
  await until(async () => (await bench.payment(order)).status === "confirmed", "the payment is confirmed");
  await next.end("SIGTERM");
  expect(next.ended()).toBe(0);
  const trail = await bench.trail(order);
  expect(trail.map(({ type }) => type)).toEqual(["order.created", "order.funded"]);
  expect(await isUsed(bench.testChain, signed)).toBe(true);
  expect(await bench.balanceOf(buyer())).toBe(before.had - amount);
  expect(await bench.balanceOf(order.escrow.deposit_address)).toBe(0n);
  const relays = await bench.relaysOf(order);
  expect(relays.map(({ status }) => status)).toEqual(["mined"]);
  expect(await bench.nonce()).toBe(before.nonce + 1);
  const shown = await bench.payment(order);
  expect(shown).toMatchObject({ transaction_hash: trail[1].transaction.hash, error: null });
  // Handed in again it is answered as it stands.
  expect(await bench.pay(order, signed)).toEqual(shown);
}

async function accept(): Promise<{ signed: Signed; had: bigint; nonce: number }> {
  const [had, nonce] = [await bench.balanceOf(buyer()), await bench.nonce()];
  const signed = await bench.sign(order);
  await bench.pay(order, signed);
  return { signed, had, nonce };
}

describe("a worker killed with SIGKILL loses nothing of a payment and doubles nothing", () => {
  const writes: [what: string, table: string, operation: string][] = [
    ["while it stores what it signed", "relay_attempt", "insert"],
    ["while it records that the order is funded", "fact", "insert"],
    ["while it says that the payment is submitted or confirmed", "payment", "update"],
  ];

  test.each(writes)("%s", async (_, table, operation) => {
    const accepted = await accept();
    const gate = await bench.db.$client.connect();
    const name = sql.identifier(table);
    await gate.query("select pg_advisory_lock(4713)");
    await bench.db.execute(sql`
      create or replace function earnest.wait_at_gate() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(4713); return new; end'`);
    await bench.db.execute(sql`
      create trigger gate before ${sql.raw(operation)} on earnest.${name} for each row
      execute function earnest.wait_at_gate()`);
    try {
      const killed = startWorker();
      await until(async () => {
        const { rows } = await bench.db.execute<{ n: number }>(sql`
          select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`);
        return (rows[0]?.n ?? 0) > 0;
      }, "the worker is in the middle of it");
      await killed.end("SIGKILL");
    } finally {
      await gate.query("select pg_advisory_unlock(4713)");
      gate.release();
      await bench.db.execute(sql`drop trigger gate on earnest.${name}`);
    }
    await expectNextOneEndsIt(accepted.signed, accepted);
  });

  test("after the node took the transaction, before its answer", async () => {
    const accepted = await accept();
    let asked = 0;
    const proxy = await forwardRequests(bench.testChain.rpcUrl, {
      treat: ({ method }) => {
        if (method !== "eth_sendRawTransaction") return "forward";
        asked += 1;
        return "lose";
      },
    });
    const killed = startWorker(proxy.url);
    await until(async () => asked > 0, "the worker sends");
    await killed.end("SIGKILL");
    await proxy.close();
    await expectNextOneEndsIt(accepted.signed, accepted);
  });
});

test("a payment is accepted and answered while no worker runs, and confirmed by the one that comes", async () => {
  const accepted = await accept();
  const answer = await bench.post(order);
  expect(expectStatus(202, answer).payment).toMatchObject({ status: "accepted", transaction_hash: null });
  expect(answer.headers.get("payment-required")).toBeNull();
  await expectNextOneEndsIt(accepted.signed, accepted);
});

const payments = 16;
const kills = 4;

test("workers killed again and again, then two at once, while payments and deposits come in: each order is funded once", async () => {
  const [had, nonce] = [await bench.balanceOf(buyer()), await bench.nonce()];
  const orders = await Promise.all(Array.from({ length: payments }, () => placeOrder(bench.market)));
  const patron = await bench.newPatron();
  // Every fourth comes by a transfer, with us not asked.
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
  await until(
    async () => {
      const now = await Promise.all(orders.map((each) => bench.read(each)));
      return now.every(({ status }) => status === "funded");
    },
    "all are funded",
    90,
  );
  const byPayment = orders.filter((each) => !byTransfer.includes(each));
  await until(async () => {
    const now = await Promise.all(byPayment.map(bench.payment));
    return now.every(({ status }) => status === "confirmed");
  }, "all payments are confirmed");
  const relaysNow = async () => (await Promise.all(orders.map((each) => bench.relaysOf(each)))).flat();
  await expect
    .poll(async () => (await relaysNow()).filter(({ status }) => status !== "mined"), { timeout: 40_000 })
    .toEqual([]);
  for (const worker of two) await worker.end("SIGTERM");

  for (const each of orders) {
    const types = (await bench.trail(each)).map(({ type }) => type);
    expect(types).toEqual(["order.created", "order.funded"]);
    expect(await bench.relaysOf(each)).toHaveLength(1);
    expect(await bench.balanceOf(each.escrow.deposit_address)).toBe(0n);
  }
  expect(await bench.balanceOf(buyer())).toBe(had - amount * BigInt(byPayment.length));
  // One call for each order, whoever sent it and however often, and no transaction without any.
  const sent = new Set((await relaysNow()).map(({ transactionHash }) => transactionHash)).size;
  expect(await bench.nonce()).toBe(nonce + sent);
  const attempts = await bench.db.select({ nonce: relayAttempt.nonce }).from(relayAttempt);
  expect(new Set(attempts.map((attempt) => attempt.nonce)).size).toBe(await bench.nonce());
}, 180_000);
