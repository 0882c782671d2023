import { eq, sql } from "drizzle-orm";
import { type Address, getAddress, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrow, readIndexedBlocks } from "../../../db/chain-index.ts";
import { order as orderTable, relay } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { settleDue } from "../../../jobs/orders/due-settlements.ts";
import { unixOf } from "../../../protocol/settlement/actions.ts";
import { recordDeliveryCall } from "../../../protocol/settlement/calls.ts";
import { termsOf } from "../../../protocol/settlement/terms.ts";
import { localAccounts } from "../../../tools/stack/anvil.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";
import { chainActions, randomHash, until } from "../../harness/jobs/ledger.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";
import { spawnWorker } from "../../harness/jobs/processes.ts";

type Order = Answer["body"];
type Who = "buyer" | "provider";

let bench: PaymentBench;
let patron: Awaited<ReturnType<PaymentBench["newPatron"]>>;

beforeAll(async () => {
  // Orders are placed by the service's clock, far behind the chain's clock that these tests move. A dispute
  // is shorter than a delivery.
  bench = await startPaymentBench({
    FUNDING_WINDOW_SECONDS: "2592000",
    DISPUTE_WINDOW_SECONDS: "3600",
    APPEAL_WINDOW_SECONDS: "1800",
  });
  patron = await bench.newPatron();
});
afterAll(() => bench?.close());

const ask = (who: Who, method: "GET" | "POST", order: Order, what: string, body?: unknown) =>
  bench.ask(method, order, what, body, bench.market[`${who}Key`]);

async function placeFunded(): Promise<Order> {
  const order = await placeOrder(bench.market, { settlement_rail: "escrow" });
  await bench.fundDirectly(order, patron);
  return bench.reach(order, "funded");
}

/** Relays an act by its party's signature, over HTTP only. */
async function act(who: Who, order: Order, what: string): Promise<Order> {
  const { typed_data } = expectStatus(200, await ask(who, "GET", order, what));
  const signature = await bench.market[who].account.signTypedData(typed_data);
  const deadline = what === "delivery-record" ? {} : { deadline: typed_data.message.deadline };
  const body = { signature, ...deadline };
  const { relay: queued } = expectStatus(202, await ask(who, "POST", order, what, body));
  await bench.relay();
  const again = expectStatus(202, await ask(who, "POST", order, what, body)).relay;
  expect(again).toMatchObject({ id: queued.id, status: "mined", error: null });
  return order;
}

async function placeRecorded(): Promise<Order> {
  const order = await placeFunded();
  expectStatus(200, await ask("provider", "POST", order, "start"));
  const output = { output_payload: { translation: "Good day" } };
  expectStatus(200, await ask("provider", "POST", order, "deliver", output));
  return recordDelivery(order);
}

async function recordDelivery(order: Order): Promise<Order> {
  const { typed_data } = expectStatus(200, await ask("provider", "GET", order, "delivery-record"));
  const signature = await bench.market.provider.account.signTypedData(typed_data);
  expectStatus(202, await ask("provider", "POST", order, "delivery-record", { signature }));
  await bench.relay();
  await bench.workUntil(async () => (await bench.rowOf(order)).releaseDueAt, "the record matches");
  return order;
}

async function indexHead(): Promise<void> {
  const head = await bench.reader.getBlockNumber();
  await until(async () => {
    const indexed = (await readIndexedBlocks(bench.db)).get(bench.chain.chain_id);
    return indexed !== undefined && indexed.block >= head;
  }, `block ${head} indexed`);
}

async function escrowOf(order: Order) {
  await indexHead();
  const [found] = await bench.db.select().from(escrow).where(eq(escrow.escrowId, order.escrow.escrow_id));
  if (!found) throw new Error("The escrow is not indexed.");
  return found;
}

/** Moves the chain to a block of exactly this time. */
async function moveTo(timestamp: bigint): Promise<void> {
  await bench.testChain.node.setNextBlockTimestamp({ timestamp });
  await bench.testChain.node.mine({ blocks: 1 });
  await indexHead();
}

/** Returns the functions that are queued for an order after a poll at a block of exactly this time. */
async function dueAt(order: Order, timestamp: bigint): Promise<string[]> {
  await moveTo(timestamp);
  await settleDue(bench.db, bench.config);
  return queuedOf(order);
}

async function queuedOf(order: Order): Promise<string[]> {
  const queued = (await dueRelays(order)).filter(({ status }) => status === "queued");
  return queued.map(({ key }) => key.split(":").at(-1) ?? "");
}

const dueRelays = (order: Order) => bench.relaysOf(order, "%:due:%");
const provider = () => bench.market.provider.account.address;
const buyer = () => bench.market.buyer.account.address;

/** Asserts that the queued call is sent once, and pays one party. */
async function expectSettled(order: Order, call: string, status: string, to: Address, amount = 2_500_000n) {
  await settleDue(bench.db, bench.config);
  const had = await bench.balanceOf(to);
  await bench.relay();
  expect(await bench.balanceOf(to)).toBe(had + amount);
  const key = `${order.escrow.escrow_id}:due:${call}`;
  expect(await dueRelays(order)).toMatchObject([{ key, status: "mined", accountId: null }]);
  await bench.reach(order, status);
  expect(await settleDue(bench.db, bench.config)).toBe(0);
  expect(await dueRelays(order)).toHaveLength(1);
}

describe("by a party's signature, to the end,", () => {
  test("the buyer releases without a transaction of its own", async () => {
    const order = await placeFunded();
    const had = await bench.balanceOf(provider());
    await act("buyer", order, "release");
    expect(await bench.balanceOf(provider())).toBe(had + 2_500_000n);
    await bench.reach(order, "released");
    expect(await bench.reader.getTransactionCount({ address: buyer() })).toBe(0);
  });

  test("the provider refunds", async () => {
    const order = await placeFunded();
    const had = await bench.balanceOf(buyer());
    await act("provider", order, "refund");
    expect(await bench.balanceOf(buyer())).toBe(had + 2_500_000n);
    await bench.reach(order, "refunded");
  });

  test.each(["buyer", "provider"] as const)("the %s disputes", async (who) => {
    const order = await placeFunded();
    await act(who, order, "dispute");
    await bench.reach(order, "disputed");
    const disputed = (await bench.trail(order)).find(({ type }) => type === "order.disputed");
    expect(disputed.data).toMatchObject({ party: who });
  });
});

describe("the service itself sends a due", () => {
  test("release, from the second in which the acceptance window is over", async () => {
    const order = await placeRecorded();
    const at = (await escrowOf(order)).autoReleaseAt as bigint;
    expect(await dueAt(order, at - 1n)).toEqual([]);
    expect(await dueAt(order, at)).toEqual(["release"]);
    await expectSettled(order, "release", "released", provider());
  });

  test("refund, from the second after the delivery deadline", async () => {
    const order = await placeFunded();
    const { deliveryDeadline } = await escrowOf(order);
    expect(await dueAt(order, deliveryDeadline)).toEqual([]);
    expect(await dueAt(order, deliveryDeadline + 1n)).toEqual(["refund"]);
    await expectSettled(order, "refund", "refunded", buyer());
  });

  test("decision, once the appeal window is over", async () => {
    const order = await placeFunded();
    await act("buyer", order, "dispute");
    await bench.reach(order, "disputed");
    const actions = chainActions(bench.testChain);
    const row = await bench.rowOf(order);
    await actions.confirm(await actions.decideDispute(row, localAccounts.arbiter, 2_500_000n, randomHash()));
    const at = (await escrowOf(order)).settleableAt as bigint;
    expect(await dueAt(order, at - 1n)).toEqual([]);
    expect(await dueAt(order, at)).toEqual(["settleDispute"]);
    await expectSettled(order, "settleDispute", "released", provider());
  });

  test("end of a dispute with a delivery, once the arbiter was silent", async () => {
    const order = await placeRecorded();
    await act("buyer", order, "dispute");
    await bench.reach(order, "disputed");
    const at = (await escrowOf(order)).decideBy as bigint;
    expect(await dueAt(order, at)).toEqual([]);
    expect(await dueAt(order, at + 1n)).toEqual(["settleDispute"]);
    await expectSettled(order, "settleDispute", "released", provider());
  });

  test("end of a dispute without a delivery, once the delivery deadline is over too", async () => {
    const order = await placeFunded();
    await act("provider", order, "dispute");
    await bench.reach(order, "disputed");
    const { decideBy, deliveryDeadline } = await escrowOf(order);
    expect(decideBy).toBeLessThan(deliveryDeadline);
    expect(await dueAt(order, (decideBy as bigint) + 1n)).toEqual([]);
    expect(await dueAt(order, deliveryDeadline)).toEqual([]);
    expect(await dueAt(order, deliveryDeadline + 1n)).toEqual(["settleDispute"]);
    await expectSettled(order, "settleDispute", "refunded", buyer());
  });

  test("count the smallest amount in whole tokens, by the decimals of each order's token", async () => {
    const setDecimals = async (order: Order, tokenDecimals: number) => {
      await bench.db.update(orderTable).set({ tokenDecimals }).where(eq(orderTable.id, order.id));
      return order;
    };
    const paidIn = async (decimals: number) => setDecimals(await placeFunded(), decimals);
    // The amount is next to nothing with 18 decimals, and much with 2 decimals.
    const orders = [await paidIn(18), await paidIn(7), await paidIn(6), await paidIn(2)];
    const [last] = orders.slice(-1);
    if (!last) throw new Error("No order was placed.");
    await moveTo((await escrowOf(last)).deliveryDeadline + 1n);
    await settleDue(bench.db, { chains: [{ ...bench.chain, min_relay_amount: 2_500_000n }] });
    const queued = await Promise.all(orders.map(async (order) => (await dueRelays(order)).length));
    expect(queued).toEqual([0, 0, 1, 1]);
    for (const order of orders) await setDecimals(order, 6);
    await settleDue(bench.db, bench.config);
    await bench.relay();
    for (const order of orders) await bench.reach(order, "refunded");
  });

  test("call once, however many workers poll, after a pause when it failed, and not under the smallest amount", async () => {
    const order = await placeFunded();
    const { deliveryDeadline } = await escrowOf(order);
    await moveTo(deliveryDeadline + 1n);
    await settleDue(bench.db, { chains: [{ ...bench.chain, min_relay_amount: 2_500_001n }] });
    expect(await dueRelays(order)).toEqual([]);
    await Promise.all(Array.from({ length: 5 }, () => settleDue(bench.db, bench.config)));
    const [queued, ...more] = await dueRelays(order);
    expect(more).toEqual([]);
    const fail = (updatedAt: Date) =>
      bench.db
        .update(relay)
        .set({ status: "failed", error: "TooEarly()", updatedAt })
        .where(eq(relay.id, queued?.id as string));
    await fail(new Date());
    await settleDue(bench.db, bench.config);
    expect(await queuedOf(order)).toEqual([]);
    await fail(new Date(Date.now() - 601_000));
    await settleDue(bench.db, bench.config);
    expect(await queuedOf(order)).toEqual(["refund"]);
    await expectSettled(order, "refund", "refunded", buyer());
  });

  test("call of every other order, where the call of one cannot be written", async () => {
    const [broken, other] = [await placeFunded(), await placeFunded()];
    await moveTo((await escrowOf(other)).deliveryDeadline + 1n);
    const setWindow = (seconds: number) =>
      inTransaction(bench.db, async (tx) => {
        // As a superuser, for whom no trigger applies.
        await tx.execute(sql`set local session_replication_role = replica`);
        await tx.execute(sql`update earnest."order" set dispute_window = ${seconds} where id = ${broken.id}`);
      });
    const { disputeWindow } = await bench.rowOf(broken);
    await setWindow(-1);
    await expect(settleDue(bench.db, bench.config)).rejects.toThrow();
    expect(await queuedOf(other)).toEqual(["refund"]);
    await setWindow(disputeWindow);
    await settleDue(bench.db, bench.config);
    expect(await queuedOf(broken)).toEqual(["refund"]);
    await bench.relay();
    await bench.reach(other, "refunded");
    await bench.reach(broken, "refunded");
  });

  test("call only while no act of a party is in flight", async () => {
    const order = await placeFunded();
    const { typed_data } = expectStatus(200, await ask("provider", "GET", order, "refund"));
    const signature: Hex = await bench.market.provider.account.signTypedData(typed_data);
    const body = { signature, deadline: typed_data.message.deadline };
    expectStatus(202, await ask("provider", "POST", order, "refund", body));
    const { deliveryDeadline } = await escrowOf(order);
    expect(await dueAt(order, deliveryDeadline + 1n)).toEqual([]);
    expect(await dueRelays(order)).toEqual([]);
  });
});

describe("a record on the chain without a delivery", () => {
  /** Records a hash from the provider's own wallet. */
  async function claim(order: Order, outputHash: Hex): Promise<void> {
    const row = await bench.rowOf(order);
    const escrowContract = getAddress(row.escrowContract);
    const { data } = recordDeliveryCall({ escrowContract, terms: termsOf(row) }, outputHash);
    await bench.testChain.fund({ address: provider() });
    await bench.call(bench.market.provider.account, escrowContract, { data });
    const counted = async () => (await bench.trail(order)).filter(isRecord).at(-1)?.confirmed;
    await bench.workUntil(counted, "the record counts");
  }
  const isRecord = ({ type }: Answer["body"]) => type === "delivery.recorded";

  test("lets the service release at no time; another account's release has no x402 receipt", async () => {
    const order = await placeFunded();
    await claim(order, randomHash());
    const at = (await escrowOf(order)).autoReleaseAt as bigint;
    expect(await dueAt(order, at)).toEqual([]);
    expect(await dueAt(order, at + 1_000_000n)).toEqual([]);
    expect(await dueRelays(order)).toEqual([]);
    await bench.callEscrow(patron, order, "release");
    await bench.reach(order, "released");
    const { items } = await bench.read(order, "receipts");
    expect(items.map((one: Answer["body"]) => [one.claim, one.x402_receipt])).toEqual([
      ["funded", null],
      ["released", null],
    ]);
  });

  test("does not let the service settle a silent dispute; a decision is settled all the same", async () => {
    const silent = await placeFunded();
    const decided = await placeFunded();
    for (const order of [silent, decided]) {
      await claim(order, randomHash());
      await act("buyer", order, "dispute");
      await bench.reach(order, "disputed");
    }
    const actions = chainActions(bench.testChain);
    const row = await bench.rowOf(decided);
    await actions.confirm(await actions.decideDispute(row, localAccounts.arbiter, 0n, randomHash()));
    const { decideBy, deliveryDeadline } = await escrowOf(silent);
    const { settleableAt } = await escrowOf(decided);
    const late = [decideBy, deliveryDeadline, settleableAt].map((time) => time as bigint);
    await moveTo((late.sort((one, other) => Number(one - other)).at(-1) as bigint) + 1n);
    await settleDue(bench.db, bench.config);
    expect(await queuedOf(silent)).toEqual([]);
    expect(await queuedOf(decided)).toEqual(["settleDispute"]);
    await bench.relay();
    await bench.reach(decided, "refunded");
    expect((await bench.read(silent)).status).toBe("disputed");
  });

  test("is followed by a release a whole acceptance window after the true record, although the contract's window began earlier", async () => {
    const order = await placeFunded();
    await claim(order, randomHash());
    await moveTo(((await escrowOf(order)).deliveredAt as bigint) + 3600n);
    expectStatus(200, await ask("provider", "POST", order, "start"));
    const output = { output_payload: { translation: "Good day" } };
    expectStatus(200, await ask("provider", "POST", order, "deliver", output));
    await recordDelivery(order);
    const contracts = (await escrowOf(order)).autoReleaseAt as bigint;
    const ours = unixOf((await bench.rowOf(order)).releaseDueAt as Date);
    expect(ours).toBeGreaterThanOrEqual(contracts + 3600n);
    expect(await dueAt(order, contracts)).toEqual([]);
    expect(await dueAt(order, ours - 1n)).toEqual([]);
    expect(await dueAt(order, ours)).toEqual(["release"]);
    await expectSettled(order, "release", "released", provider());
  });
});

describe("the worker", () => {
  test("with SETTLE_WHEN_DUE=false sends no due call and does all other work; without it, sends the call", async () => {
    const order = await placeFunded();
    await moveTo((await escrowOf(order)).deliveryDeadline + 1n);
    const off = spawnWorker({ ...bench.stack.env, SETTLE_WHEN_DUE: "false", LOG_LEVEL: "info" });
    const other = await placeOrder(bench.market, { settlement_rail: "escrow" });
    await bench.fundDirectly(other, patron);
    const funded = async () => (await bench.read(other)).status === "funded";
    await until(funded, "the worker has recorded a funding");
    await until(async () => off.output().includes("worker ready"), "the worker is ready");
    expect(await dueRelays(order)).toEqual([]);
    await off.end("SIGTERM");
    const on = spawnWorker(bench.stack.env);
    const refunded = async () => (await bench.read(order)).status === "refunded";
    await until(refunded, "the worker has sent the refund that was due");
    // The ledger may have the call before its relay ends.
    const mined = async () => (await dueRelays(order)).every(({ status }) => status === "mined");
    await until(mined, "the relay is followed to its end");
    await on.end("SIGTERM");
    expect(await dueRelays(order)).toHaveLength(1);
  });
});
