import { and, eq, inArray, sql } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { readIndexedBlocks } from "../../../db/chain-index.ts";
import { lockOrder, recordFacts } from "../../../db/ledger.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { event, fact, order } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { expireOrders } from "../../../jobs/orders/expire-orders.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import { buyer, type ChainActions, chainActions, placeOrder, until } from "../../harness/jobs/ledger.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

let stack: TestStack;
let actions: ChainActions;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  actions = chainActions(stack.chain);
  await actions.allow(buyer);
});
afterAll(() => stack.close());

const chain = () => stack.chain.chain;
const withConfirmations = (confirmations: number) => ({ chains: [{ ...chain(), confirmations }] });

/** Waits until the indexer has the chain's head. */
async function indexHead() {
  const head = await actions.reader.getBlockNumber();
  await until(async () => {
    const indexed = (await readIndexedBlocks(stack.db)).get(chain().chain_id);
    return indexed !== undefined && indexed.block >= head;
  }, `block ${head} indexed`);
}

async function expire(config: Parameters<typeof expireOrders>[1] = withConfirmations(1)) {
  await indexHead();
  return expireOrders(stack.db, config);
}

async function settleHead() {
  await indexHead();
  await recordChainEvents(
    stack.db,
    { ...stack.config, ...withConfirmations(1) },
    readReceiptSigner(stack.config),
  );
}

/** Places an order whose funding deadline is 1000 seconds ahead of the chain's newest block. */
async function place(): Promise<OrderRow> {
  const { timestamp } = await actions.reader.getBlock();
  return placeOrder(stack.db, chain(), { fundBy: Number(timestamp) + 1000 });
}

/** Mines a block of exactly this time. */
async function mineAt(timestamp: number) {
  await actions.node.setNextBlockTimestamp({ timestamp: BigInt(timestamp) });
  await actions.node.mine({ blocks: 1 });
}

const factsOf = (row: OrderRow) =>
  stack.db.select().from(fact).where(eq(fact.orderId, row.id)).orderBy(fact.seq);
const expiriesOf = (rows: OrderRow[]) => {
  const ids = rows.map(({ id }) => id);
  return stack.db
    .select()
    .from(event)
    .where(and(inArray(event.orderId, ids), eq(event.type, "order.expired")));
};
async function statusOf(row: OrderRow) {
  const [found] = await stack.db.select().from(order).where(eq(order.id, row.id));
  return found?.status;
}

describe("an unfunded order", () => {
  test("expires once a block later than its funding deadline has the confirmations, and not earlier", async () => {
    const row = await place();
    await mineAt(row.fundBy);
    await actions.node.setNextBlockTimestamp({ timestamp: BigInt(row.fundBy) + 1n });
    for (const _ of [0, 1, 2]) {
      expect([await expire(withConfirmations(3)), await statusOf(row)]).toEqual([0, "created"]);
      await actions.node.mine({ blocks: 1 });
    }
    expect([await expire(withConfirmations(3)), await statusOf(row)]).toEqual([1, "expired"]);

    const late = await actions.reader.getBlockNumber();
    const facts = await factsOf(row);
    expect(facts.map(({ type, actor }) => [type, actor])).toEqual([
      ["order.created", "buyer"],
      ["order.expired", "service"],
    ]);
    expect(facts[1]).toMatchObject({
      key: `${row.id}:expired`,
      chainId: null,
      data: {
        funding_deadline: new Date(row.fundBy * 1000).toISOString(),
        unfunded_at_block: Number(late) - 2,
        block_time: new Date((row.fundBy + 1) * 1000).toISOString(),
      },
    });
    const events = await expiriesOf([row]);
    expect(events.map(({ accountId }) => accountId).sort()).toEqual(
      [row.buyerAccountId, row.providerAccountId].sort(),
    );
    expect(events[0]?.data).toMatchObject({ order: { id: row.id, status: "expired" } });
    expect(await expire()).toBe(0);
  });

  test("cannot be funded once it has expired", async () => {
    const row = await place();
    await mineAt(row.fundBy + 1);
    expect(await expire()).toBe(1);
    await expect(
      actions.send(row, buyer, "createEscrow").then((hash) => actions.confirm(hash)),
    ).rejects.toThrow("reverted");
    await settleHead();
    expect(await statusOf(row)).toBe("expired");
  });

  test("stays unchanged while the node does not answer, and other chains are checked all the same", async () => {
    const row = await place();
    await mineAt(row.fundBy + 1);
    await indexHead();
    const lines: string[] = [];
    const log = pino({ level: "error" }, { write: (line: string) => lines.push(line) });
    const here = { ...chain(), confirmations: 1 };
    const away = { ...here, rpc_url: "http://127.0.0.1:9" };
    expect(await expireOrders(stack.db, { chains: [away] }, { log })).toBe(0);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["a chain's orders could not be expired"]);
    expect(await statusOf(row)).toBe("created");
    expect(await expireOrders(stack.db, { chains: [away, here] }, { log })).toBe(1);
  });

  test("follows the chain if it is funded nevertheless", async () => {
    const row = await place();
    await inTransaction(stack.db, async (tx) => {
      await lockOrder(tx, row.id);
      await recordFacts(tx, row, [
        { type: "order.expired", actor: "service", key: `${row.id}:expired`, occurredAt: new Date() },
      ]);
    });
    expect(await statusOf(row)).toBe("expired");
    await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    await settleHead();
    expect(await statusOf(row)).toBe("funded");
    await mineAt(row.fundBy + 1);
    expect(await expire()).toBe(0);
    expect(await statusOf(row)).toBe("funded");
  });
});

describe("a funded order", () => {
  test("does not expire, although it was funded in the last second and the ledger lacks that", async () => {
    const row = await place();
    await actions.node.setNextBlockTimestamp({ timestamp: BigInt(row.fundBy) });
    const { blockNumber } = await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    expect((await actions.reader.getBlock({ blockNumber })).timestamp).toBe(BigInt(row.fundBy));
    await mineAt(row.fundBy + 1);
    expect([await expire(), await statusOf(row)]).toEqual([0, "created"]);
    await settleHead();
    expect([await expire(), await statusOf(row)]).toEqual([0, "funded"]);
  });

  test("does not expire while the index lacks its escrow and the contract has it", async () => {
    const row = await place();
    await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    await mineAt(row.fundBy + 1);
    await indexHead();
    const kept = await withoutIndexed(row, async () => {
      const lines: string[] = [];
      const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
      expect(await expireOrders(stack.db, withConfirmations(1), { log })).toBe(0);
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { order_id: row.id, msg: "the index lacks an escrow that is on the chain" },
      ]);
      return statusOf(row);
    });
    expect(kept).toBe("created");
    await settleHead();
    expect(await statusOf(row)).toBe("funded");
  });
});

describe("many orders", () => {
  test("expire once each with several workers at once, in calls of 64 orders to the node", async () => {
    const { timestamp } = await actions.reader.getBlock();
    const fundBy = Number(timestamp) + 1000;
    const rows: OrderRow[] = [];
    while (rows.length < 128) {
      const placed = Array.from({ length: 16 }, () => placeOrder(stack.db, chain(), { fundBy }));
      rows.push(...(await Promise.all(placed)));
    }
    await mineAt(fundBy + 1);
    await indexHead();
    const methods: string[] = [];
    const proxy = await forwardRequests(stack.chain.rpcUrl, {
      treat: ({ method }) => {
        methods.push(method);
        return "forward";
      },
    });
    try {
      const rounds = await Promise.all(
        [1, 2, 3, 4].map(() =>
          expireOrders(stack.db, { chains: [{ ...chain(), confirmations: 1, rpc_url: proxy.url }] }),
        ),
      );
      expect(rounds.reduce((sum, round) => sum + round, 0)).toBe(128);
      // Two calls are enough for one worker.
      const calls = methods.filter((method) => method === "eth_call").length;
      expect(calls).toBeGreaterThanOrEqual(2);
      expect(calls).toBeLessThanOrEqual(8);
      // Without work, no call is made.
      methods.length = 0;
      await expireOrders(stack.db, { chains: [{ ...chain(), rpc_url: proxy.url }] });
      expect(methods).toEqual([]);
    } finally {
      await proxy.close();
    }
    expect(await expiriesOf(rows)).toHaveLength(256);
    const ids = rows.map(({ id }) => id);
    const expired = and(inArray(fact.orderId, ids), eq(fact.type, "order.expired"));
    expect(await stack.db.$count(fact, expired)).toBe(128);
    expect(await stack.db.$count(order, and(inArray(order.id, ids), eq(order.status, "expired")))).toBe(128);
  });
});

/** Runs `work` while the index lacks the rows of an order, as just after the indexer's start. */
async function withoutIndexed<T>(row: OrderRow, work: () => Promise<T>): Promise<T> {
  const names = ["escrow", "escrow_event"].map((name) => ({
    table: sql`${sql.identifier(deploymentSchema(stack.config))}.${sql.identifier(name)}`,
    copy: sql`earnest.${sql.identifier(`kept_${name}`)}`,
  }));
  // Without Ponder's triggers, which need its connections' state.
  const asIndexer = (change: (one: (typeof names)[number]) => ReturnType<typeof sql>[]) =>
    inTransaction(stack.db, async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      for (const one of names) for (const statement of change(one)) await tx.execute(statement);
    });
  await asIndexer(({ table, copy }) => [
    sql`create table ${copy} as select * from ${table} where escrow_id = ${row.escrowId}`,
    sql`delete from ${table} where escrow_id = ${row.escrowId}`,
  ]);
  try {
    return await work();
  } finally {
    await asIndexer(({ table, copy }) => [
      sql`insert into ${table} select * from ${copy}`,
      sql`drop table ${copy}`,
    ]);
  }
}
