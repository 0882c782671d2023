import type { SQL } from "drizzle-orm";
import { and, eq, isNull, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ReceiptSigner, readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { readIndexedBlocks } from "../../../db/chain-index.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { divergence, fact } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { watchIndex } from "../../../jobs/chain/index-watch.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { reconcile } from "../../../jobs/orders/reconcile.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import {
  buyer,
  type ChainActions,
  chainActions,
  placeOrder,
  randomHash,
  until,
} from "../../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

let stack: TestStack;
let actions: ChainActions;
let signer: ReceiptSigner;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  actions = chainActions(stack.chain);
  signer = readReceiptSigner(stack.config);
  await actions.allow(buyer);
  await watchIndex(stack.db, stack.config);
});
afterAll(() => stack?.close());
beforeEach(async () => {
  // A test's damage stays, so the next test begins with orders of its own.
  await stack.db.execute(sql`update earnest.divergence set resolved_at = now()`);
});

const schemaOfIndex = () => sql.identifier(deploymentSchema(stack.config));

async function funded(): Promise<OrderRow> {
  const row = await placeOrder(stack.db, stack.chain.chain);
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await recordAll();
  return row;
}

async function recordAll(): Promise<void> {
  const head = await actions.reader.getBlockNumber();
  await until(
    async () => ((await readIndexedBlocks(stack.db)).get(31_337)?.block ?? 0n) >= head,
    `block ${head} indexed`,
  );
  await recordChainEvents(stack.db, stack.config, signer);
}

/** Runs as a superuser: no trigger and no foreign key applies. */
async function damage(statement: SQL): Promise<void> {
  await inTransaction(stack.db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(statement);
  });
}

/** Compares all orders, from the first on. Returns the log lines. */
async function compareAll(loggedAt = new Map<string, number>()): Promise<Record<string, unknown>[]> {
  const logged: Record<string, unknown>[] = [];
  const log = { error: (about: Record<string, unknown>) => logged.push(about), info: () => {} };
  await stack.db.execute(sql`update earnest.chain_watch set reconciled_up_to = ''`);
  for (;;) {
    await reconcile(stack.db, stack.config, { log: log as never, loggedAt });
    const { rows } = await stack.db.execute<{ place: string }>(
      sql`select reconciled_up_to as place from earnest.chain_watch`,
    );
    if (rows[0]?.place === "") return logged;
  }
}

const openOf = (row: OrderRow) =>
  stack.db
    .select()
    .from(divergence)
    .where(and(eq(divergence.orderId, row.id), isNull(divergence.resolvedAt)))
    .orderBy(divergence.what);

async function whatsOf(row: OrderRow): Promise<string[]> {
  return (await openOf(row)).map(({ what }) => what);
}

async function factOf(row: OrderRow, type: string) {
  const facts = await stack.db.select().from(fact).where(eq(fact.orderId, row.id));
  const found = facts.find((one) => one.type === type);
  if (!found) throw new Error(`There is no ${type}.`);
  return found;
}

test("matching orders in every state leave no row", async () => {
  const untouched = await placeOrder(stack.db, stack.chain.chain);
  const open = await funded();
  const recorded = await funded();
  await actions.confirm(await actions.recordDelivery(recorded, randomHash()));
  const released = await funded();
  await actions.confirm(await actions.send(released, buyer, "release"));
  const disputed = await funded();
  await actions.confirm(await actions.dispute(disputed, buyer, randomHash()));
  await recordAll();
  expect(await compareAll()).toEqual([]);
  for (const row of [untouched, open, recorded, released, disputed]) expect(await openOf(row)).toEqual([]);
});

test("an unreachable node of one chain does not stop the audit of another", async () => {
  const row = await funded();
  await damage(sql`delete from earnest.fact where order_id = ${row.id} and type = 'order.funded'`);
  const { db, config } = stack;
  const [chain] = config.chains as [(typeof config.chains)[0]];
  const chains = [{ ...chain, rpc_url: "http://127.0.0.1:9" }, chain];
  const { rows } = await db.execute<{ at: string }>(sql`
    update earnest.chain_watch set reconciled_up_to = '', checked_at = 'epoch' returning chain_id`);
  expect(rows).toHaveLength(1);
  await expect(watchIndex(db, { chains })).rejects.toThrow(/127\.0\.0\.1:9/);
  const watched = await db.execute(sql`select from earnest.chain_watch where checked_at > 'epoch'`);
  expect(watched.rowCount).toBe(1);
  await expect(reconcile(db, { chains })).rejects.toThrow(/127\.0\.0\.1:9/);
  expect(await whatsOf(row)).toEqual(["order_status"]);
  await recordChainEvents(db, config, signer);
});

test("a mined event that is not recorded yet is a lag, and no row", async () => {
  const row = await placeOrder(stack.db, stack.chain.chain);
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await compareAll();
  expect(await openOf(row)).toEqual([]);
  await recordAll();
  await compareAll();
  expect(await openOf(row)).toEqual([]);
});

test("a release that the chain never had, written into the ledger by hand, is reported at the second sighting and once", async () => {
  const row = await funded();
  const real = await factOf(row, "order.funded");
  await damage(sql`
    insert into earnest.fact (id, order_id, type, actor, key, data, occurred_at, chain_id, block_number, block_hash,
      transaction_hash, log_index)
    select 'fct_forged' || ${row.id}, order_id, 'order.released', 'chain', key || ':forged',
      '{"amount": "2.500000"}', now(), chain_id, block_number, block_hash, transaction_hash, 77
    from earnest.fact where id = ${real.id}`);
  await damage(
    sql`update earnest."order" set status = 'released', completed_at = now() where id = ${row.id}`,
  );
  expect(await compareAll()).toEqual([]);
  const forged = `fact:fct_forged${row.id}`;
  expect(await whatsOf(row)).toEqual(["escrow", forged]);
  expect((await openOf(row))[0]).toMatchObject({ ledger: "released", index: "funded", contract: "funded" });
  const loggedAt = new Map<string, number>();
  expect(await compareAll(loggedAt)).toMatchObject(
    ["escrow", forged].map((what) => ({ alert: "ledger_diverges", order_id: row.id, what })).reverse(),
  );
  expect(await compareAll(loggedAt)).toEqual([]);
  const metrics = await (await fetch(`${stack.metricsUrl}/metrics/earnest`)).text();
  expect(metrics).toContain('earnest_ledger_divergences{chain_id="31337"} 2\n');

  // Once repaired, the row is resolved by the next check.
  await damage(sql`delete from earnest.fact where id = ${`fct_forged${row.id}`}`);
  await damage(sql`update earnest."order" set status = 'funded', completed_at = null where id = ${row.id}`);
  await compareAll();
  expect(await openOf(row)).toEqual([]);
});

test("a chain fact that was deleted is recorded again by the worker, and a change of the order's row is reported", async () => {
  const row = await funded();
  await damage(sql`delete from earnest.fact where order_id = ${row.id} and type = 'order.funded'`);
  await compareAll();
  // The event's block is new, so the missing fact is a lag. The row is a lag too.
  expect(await whatsOf(row)).toEqual(["order_status"]);
  await recordChainEvents(stack.db, stack.config, signer);
  await compareAll();
  expect(await openOf(row)).toEqual([]);
});

test("a confirmed event that is not recorded for ten minutes is reported", async () => {
  const row = await placeOrder(stack.db, stack.chain.chain);
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await actions.node.increaseTime({ seconds: 700 });
  await actions.node.mine({ blocks: 1 });
  const head = await actions.reader.getBlockNumber();
  await until(
    async () => ((await readIndexedBlocks(stack.db)).get(31_337)?.block ?? 0n) >= head,
    "the head is indexed",
  );
  await compareAll();
  const whats = await whatsOf(row);
  expect(whats).toEqual(["escrow", expect.stringMatching(/^event:order\.funded:\d+:\d+$/)]);
  await recordAll();
  await compareAll();
  expect(await openOf(row)).toEqual([]);
});

test("an amount changed in a fact is reported, with both values", async () => {
  const row = await funded();
  const { id } = await factOf(row, "order.funded");
  await damage(sql`
    update earnest.fact set data = jsonb_set(data, '{amount}', '"2500.000000"') where id = ${id}`);
  await compareAll();
  const [found, ...more] = await openOf(row);
  expect(more).toEqual([]);
  expect(found).toMatchObject({ what: `fact:${id}`, contract: null });
  expect([found?.ledger, found?.index]).toEqual([
    expect.stringContaining('"amount":"2500.000000"'),
    expect.stringContaining('"amount":"2.500000"'),
  ]);
});

test("terms or an agreement that were changed after the placement are reported", async () => {
  const [dearer, otherwise] = [await funded(), await funded()];
  await damage(sql`update earnest."order" set amount = amount + 1 where id = ${dearer.id}`);
  await damage(sql`
    update earnest."order" set agreement = jsonb_set(agreement, '{amount}', '"1"') where id = ${otherwise.id}`);
  await compareAll();
  expect(await whatsOf(dearer)).toEqual(["terms"]);
  expect(await whatsOf(otherwise)).toEqual(["terms"]);
});

test("an event that the index lost is reported, and so is an escrow state that differs from the contract's", async () => {
  const [lost, wrong, gone] = [await funded(), await funded(), await funded()];
  await damage(sql`delete from ${schemaOfIndex()}.escrow_event where escrow_id = ${lost.escrowId}`);
  await damage(
    sql`update ${schemaOfIndex()}.escrow set status = 'refunded' where escrow_id = ${wrong.escrowId}`,
  );
  await damage(sql`delete from ${schemaOfIndex()}.escrow where escrow_id = ${gone.escrowId}`);
  await compareAll();
  expect(await whatsOf(lost)).toEqual([`fact:${(await factOf(lost, "order.funded")).id}`]);
  expect(await openOf(wrong)).toMatchObject([{ what: "index", index: "refunded", contract: "funded" }]);
  expect(await openOf(gone)).toMatchObject([{ what: "index", index: "none", contract: "funded" }]);
});

test("an escrow that is on the chain and in neither index nor ledger is reported", async () => {
  const row = await placeOrder(stack.db, stack.chain.chain);
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  const head = await actions.reader.getBlockNumber();
  await until(
    async () => ((await readIndexedBlocks(stack.db)).get(31_337)?.block ?? 0n) >= head,
    "the head is indexed",
  );
  await damage(sql`delete from ${schemaOfIndex()}.escrow_event where escrow_id = ${row.escrowId}`);
  await damage(sql`delete from ${schemaOfIndex()}.escrow where escrow_id = ${row.escrowId}`);
  await compareAll();
  expect(await openOf(row)).toMatchObject([
    { what: "escrow", ledger: "none", index: "none", contract: "funded" },
    { what: "index", index: "none", contract: "funded" },
  ]);
});

test("two workers share the orders: of two rounds at once each order is in one", async () => {
  for (let n = 0; n < 110; n += 1) await placeOrder(stack.db, stack.chain.chain);
  await stack.db.execute(sql`update earnest.chain_watch set reconciled_up_to = '', reconciled_at = null`);
  const { rows } = await stack.db.execute<{ n: number }>(sql`select count(*)::int as n from earnest."order"`);
  const total = rows[0]?.n ?? 0;
  let compared = 0;
  const ended = async () => {
    const found = await stack.db.execute<{ ended: boolean }>(
      sql`select reconciled_at is not null as ended from earnest.chain_watch`,
    );
    return found.rows[0]?.ended === true;
  };
  const work = async () => {
    while (!(await ended())) {
      const round = await reconcile(stack.db, stack.config);
      compared += round.compared;
    }
  };
  await Promise.all([work(), work()]);
  // The last worker may begin the next round before it sees the end of this one.
  expect(compared).toBeGreaterThanOrEqual(total);
  expect(compared).toBeLessThanOrEqual(total + 100);
});

test("a worker watches the index and compares by itself", async () => {
  await stack.db.execute(sql`delete from earnest.chain_watch`);
  await stack.startWorker();
  const status = async () => (await (await fetch(`${stack.baseUrl}/api/v1/chain/status`)).json()) as object;
  const watch = async () => {
    const { rows } = await stack.db.execute<{ state: string; compared: boolean }>(sql`
      select index_state as state, reconciled_up_to <> '' or reconciled_at is not null as compared
      from earnest.chain_watch`);
    return rows[0];
  };
  await until(async () => (await watch())?.state === "ok", "the worker has looked at the index");
  expect(await status()).toMatchObject({ index_state: "ok", index_reason: null });
  await until(async () => (await watch())?.compared, "the worker has compared a page of orders", 100);
});
