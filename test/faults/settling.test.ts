import { eq, inArray, sql } from "drizzle-orm";
import { encodeFunctionData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import { escrowEvent } from "../../db/chain-index.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { event, fact, order, receipt, relay } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { queueRelay } from "../../trade/relay/relay-queue.ts";
import { whileWritesWait } from "../harness/faults/writes.ts";
import {
  buyer,
  type ChainActions,
  chainActions,
  placeOrder,
  randomHash,
  until,
} from "../harness/jobs/ledger.ts";
import { spawnWorker, type WorkerProcess } from "../harness/jobs/processes.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
let actions: ChainActions;
/** Ends the programs of one test; the next one calls it. */
let worker: WorkerProcess;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  actions = chainActions(stack.chain);
  await actions.allow(buyer);
  worker = spawnWorker(stack.env);
});
afterAll(async () => {
  await worker?.end("SIGKILL");
  await stack.close();
});

const chain = () => stack.chain.chain;

// The kill during the fact of a payment: test/faults/payments.test.ts.
test.each(["fact", "order", "event", "receipt"])(
  "a worker killed while it writes the %s leaves no part of that step, and the next one does all of it",
  async (table) => {
    const row = await placeOrder(stack.db, chain());
    const before = await countRows(row);
    await whileWritesWait(stack.db, table, { on: "before insert or update" }, async (waiting) => {
      await actions.confirm(await actions.send(row, buyer, "createEscrow"));
      await waiting;
      await worker.end("SIGKILL");
    });
    expect(await countRows(row)).toEqual(before);

    worker = spawnWorker(stack.env);
    await until(async () => (await countRows(row)).receipts > 0, "the next worker has settled it");
    expect(await countRows(row)).toEqual({
      facts: before.facts + 1,
      events: before.events + 2,
      receipts: 1,
      status: "funded",
    });
  },
);

test("a worker killed while it expires an order leaves no part of it, and the next one does all of it", async () => {
  const { timestamp } = await actions.reader.getBlock();
  const row = await placeOrder(stack.db, chain(), { fundBy: Number(timestamp) + 1000 });
  const before = await countRows(row);
  await whileWritesWait(stack.db, "event", { on: "before insert" }, async (waiting) => {
    await actions.node.setNextBlockTimestamp({ timestamp: BigInt(row.fundBy) + 1n });
    await actions.node.mine({ blocks: 1 });
    await waiting;
    await worker.end("SIGKILL");
  });
  expect(await countRows(row)).toEqual(before);
  worker = spawnWorker(stack.env);
  await until(async () => (await countRows(row)).status === "expired", "the next worker has expired it");
  expect(await countRows(row)).toMatchObject({ facts: before.facts + 1, events: before.events + 2 });
});

async function countRows(row: OrderRow) {
  const [facts, events, receipts, [found]] = await Promise.all([
    stack.db.select().from(fact).where(eq(fact.orderId, row.id)),
    stack.db.select().from(event).where(eq(event.orderId, row.id)),
    stack.db.select().from(receipt).where(eq(receipt.orderId, row.id)),
    stack.db.select().from(order).where(eq(order.id, row.id)),
  ]);
  return {
    facts: facts.length,
    events: events.length,
    receipts: receipts.length,
    status: found?.status,
  };
}

const orderCount = 25;
const kills = 5;

test("a worker killed repeatedly, and then two at once, lose and repeat nothing", async () => {
  await worker.end("SIGTERM");
  expect(worker.ended()).toBe(0);
  const rows: OrderRow[] = [];
  for (let index = 0; index < orderCount; index += 1) rows.push(await placeOrder(stack.db, chain()));
  const ids = rows.map(({ id }) => id);
  const relayerKey = stack.config.relayerPrivateKey;
  if (!relayerKey) throw new Error("The stack has no relayer.");
  const wallet = privateKeyToAccount(relayerKey).address;
  const nonceBefore = await actions.reader.getTransactionCount({ address: wallet });

  const recorded = async () => {
    const [found] = await stack.db
      .select({ n: sql<number>`count(*)::int` })
      .from(fact)
      .where(sql`${inArray(fact.orderId, ids)} and ${fact.chainId} is not null`);
    return found?.n ?? 0;
  };

  // Meanwhile on the chain: each escrow is created, its delivery relayed by the service, and then released
  // by the buyer.
  let traffic: "running" | "done" = "running";
  const trafficDone = (async () => {
    for (const row of rows) {
      await actions.confirm(await actions.send(row, buyer, "createEscrow"));
      const args = await actions.signDelivery(row, randomHash());
      await inTransaction(stack.db, (tx) =>
        queueRelay(tx, {
          key: `${row.escrowId}:recordDelivery:1`,
          chainId: chain().chain_id,
          orderId: row.id,
          to: chain().escrow_contract,
          data: encodeFunctionData({ abi: escrowAbi, functionName: "recordDeliveryWithSignature", args }),
          gasBound: gasBounds.signedAct,
        }),
      );
    }
    for (const row of rows) {
      await until(
        async () => {
          const [sent] = await stack.db.select().from(relay).where(eq(relay.orderId, row.id));
          return sent?.status === "mined";
        },
        "the delivery is recorded",
        120,
      );
      await actions.confirm(await actions.send(row, buyer, "release"));
    }
    traffic = "done";
  })();

  let killedAtWork = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const before = await recorded();
    worker = spawnWorker(stack.env);
    // The kill comes after it has recorded something, or had no work: at any moment.
    await until(async () => worker.output().includes("worker ready"), "the worker is ready");
    const deadline = Date.now() + 3000;
    while ((await recorded()) === before && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    const after = await recorded();
    await worker.end("SIGKILL");
    expect(worker.ended()).toBe("SIGKILL");
    if (after > before && after < orderCount * 3) killedAtWork += 1;
  }
  expect(killedAtWork).toBeGreaterThan(kills / 3);

  const two = [spawnWorker(stack.env), spawnWorker(stack.env)];
  // The killed workers may have done everything. A worker that still loads cannot end in order.
  for (const worker of two) {
    await until(async () => worker.output().includes("worker ready"), "the worker is ready");
  }
  await trafficDone;
  expect(traffic).toBe("done");
  await until(
    async () => {
      const found = await stack.db.select({ status: order.status }).from(order).where(inArray(order.id, ids));
      return found.every(({ status }) => status === "released");
    },
    "all are released",
    60,
  );
  for (const worker of two) await worker.end("SIGTERM");
  expect(two.map((worker) => worker.ended())).toEqual([0, 0]);

  const escrowIds = rows.map(({ escrowId }) => escrowId);
  const onChain = await stack.db.select().from(escrowEvent).where(inArray(escrowEvent.escrowId, escrowIds));
  expect(onChain).toHaveLength(orderCount * 3);
  const facts = await stack.db.select().from(fact).where(inArray(fact.orderId, ids));
  const chainFacts = facts.filter(({ chainId }) => chainId !== null);
  expect(chainFacts.map(({ key }) => key).sort()).toEqual(onChain.map(({ id }) => id).sort());
  expect(facts.filter(({ type }) => type === "fact.reverted")).toEqual([]);

  const receipts = await stack.db.select().from(receipt).where(inArray(receipt.orderId, ids));
  const money = chainFacts.filter(({ type }) => type !== "delivery.recorded");
  expect(receipts.map(({ factId }) => factId).sort()).toEqual(money.map(({ id }) => id).sort());
  expect(receipts.every(({ revokedAt }) => revokedAt === null)).toBe(true);

  const events = await stack.db.select().from(event).where(inArray(event.orderId, ids));
  // No output was delivered here, so each record on the chain is without a delivery, and sends its event.
  const expected = rows.flatMap((row) =>
    facts
      .filter(({ orderId }) => orderId === row.id)
      .flatMap(({ id }) => [`${id} ${row.buyerAccountId}`, `${id} ${row.providerAccountId}`]),
  );
  expect(events.map(({ factId, accountId }) => `${factId} ${accountId}`).sort()).toEqual(expected.sort());

  // One call for each delivery to be relayed, and no wasted transaction.
  const relays = await stack.db.select().from(relay).where(inArray(relay.orderId, ids));
  expect(relays.map(({ status }) => status)).toEqual(ids.map(() => "mined"));
  const transactions = new Set(relays.map(({ transactionHash }) => transactionHash)).size;
  expect(await actions.reader.getTransactionCount({ address: wallet })).toBe(nonceBefore + transactions);
});
