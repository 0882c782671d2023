import { eq, sql } from "drizzle-orm";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order, relay, relayer } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { queueRelay } from "../../trade/relay/relay-queue.ts";
import {
  buyer,
  type ChainActions,
  chainActions,
  placeOrder,
  randomHash,
  until,
} from "../harness/jobs/ledger.ts";
import { forwardRequests, spawnWorker, type WorkerProcess } from "../harness/jobs/processes.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
let actions: ChainActions;
let worker: WorkerProcess;
let node: Awaited<ReturnType<typeof forwardRequests>>;

beforeAll(async () => {
  stack = await startStack({ worker: false, isKept: true });
  actions = chainActions(stack.chain);
  await actions.allow(buyer);
  node = await forwardRequests(stack.chain.rpcUrl);
  worker = spawnWorker({ ...stack.env, [`RPC_URL_${chain().chain_id}`]: node.url });
  await until(async () => worker.output().includes("worker ready"), "the worker is ready");
});
afterAll(async () => {
  await worker?.end("SIGTERM");
  await node?.close();
  await stack.close();
});

const chain = () => stack.chain.chain;

async function fundedOrder(): Promise<OrderRow> {
  const row = await placeOrder(stack.db, chain());
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  return row;
}

async function expectFunded(row: OrderRow) {
  await until(async () => {
    const [found] = await stack.db.select().from(order).where(eq(order.id, row.id));
    return found?.status === "funded";
  }, "the order is funded");
  expect(worker.ended()).toBeNull();
}

async function queueDelivery(row: OrderRow): Promise<string> {
  const args = await actions.signDelivery(row, randomHash());
  const { id } = await inTransaction(stack.db, (tx) =>
    queueRelay(tx, {
      key: `${row.escrowId}:recordDelivery:1`,
      chainId: chain().chain_id,
      orderId: row.id,
      to: chain().escrow_contract,
      data: encodeFunctionData({ abi: escrowAbi, functionName: "recordDeliveryWithSignature", args }),
      gasBound: gasBounds.signedAct,
    }),
  );
  return id;
}

async function statusOf(relayId: string) {
  const [row] = await stack.db.select().from(relay).where(eq(relay.id, relayId));
  return row?.status;
}

test("the relaying wallet is recorded as soon as a worker runs", async () => {
  const seen = await until(async () => (await stack.db.select().from(relayer))[0], "the heartbeat");
  expect(seen.balance).toBeGreaterThan(0n);
});

test("a worker settles and relays again after all its database connections are cut", async () => {
  for (let cut = 0; cut < 8; cut += 1) {
    const { rows: ended } = await stack.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name = 'earnest'`);
    expect(ended.length).toBeGreaterThan(2);
    const row = await fundedOrder();
    await expectFunded(row);
    const relayId = await queueDelivery(row);
    await until(async () => (await statusOf(relayId)) === "mined", "the delivery is relayed", 40);
  }
});

test("an unreachable node delays relaying only, and the queued calls are sent when it is back", async () => {
  node.refuse(true);
  const row = await fundedOrder();
  const relayId = await queueDelivery(row);
  await expectFunded(row);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await statusOf(relayId)).toBe("queued");
  node.refuse(false);
  await until(async () => (await statusOf(relayId)) === "mined", "the delivery is relayed", 40);
  expect(worker.ended()).toBeNull();
});
