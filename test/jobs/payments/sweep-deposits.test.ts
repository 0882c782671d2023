import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { typeid } from "typeid-js";
import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { payment as paymentTable, relay as relayTable } from "../../../db/schema.ts";
import { expireOrders } from "../../../jobs/orders/expire-orders.ts";
import { sweepDeposits } from "../../../jobs/payments/sweep-deposits.ts";
import { termsOf } from "../../../protocol/settlement/terms.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";
import { placeOrder as placeRow } from "../../harness/jobs/ledger.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";
import { isUsed, newAccount, sendAsOutsider } from "../../harness/market/payments.ts";

const amount = 2_500_000n;
let bench: PaymentBench;
let order: Answer["body"];
let patron: Awaited<ReturnType<PaymentBench["newPatron"]>>;

beforeAll(async () => {
  bench = await startPaymentBench();
  patron = await bench.newPatron();
});
afterAll(() => bench?.close());
beforeEach(async () => {
  order = await placeOrder(bench.market);
});

const buyer = () => bench.market.buyer.account.address;
const deposit = () => order.escrow.deposit_address as Address;
const send = (value: bigint, to = deposit()) => bench.transfer(patron, to, value);
const relaysOf = (key = "%") => bench.relaysOf(order, key);

/** Pays the order, so that all later money is excess. */
async function fund(): Promise<void> {
  await bench.pay(order, await bench.sign(order));
  await bench.relay();
  await bench.reach(order, "funded");
  await bench.reachPayment(order, "confirmed");
}

/**
 * Asserts that the money goes back to the buyer in one transaction, with an entry in the trail and no
 * event.
 */
async function expectReturned(value: bigint): Promise<void> {
  const [had, nonce] = [await bench.balanceOf(buyer()), await bench.nonce()];
  const { status } = await bench.read(order);
  const before = (await bench.trail(order)).filter(({ type }) => type === "deposit.returned").length;
  for (const round of ["fresh", "open", "ended"] as const) await bench.sweep(round);
  await bench.relay();
  expect(await bench.balanceOf(buyer())).toBe(had + value);
  expect(await bench.balanceOf(deposit())).toBe(0n);
  expect(await bench.nonce()).toBe(nonce + 1);
  const entry = await bench.workUntil(async () => {
    const returned = (await bench.trail(order)).filter(({ type }) => type === "deposit.returned");
    const last = returned.at(-1);
    return returned.length === before + 1 && last?.confirmed && last;
  }, "the return is in the trail");
  expect(entry).toMatchObject({
    actor: "chain",
    transaction: { hash: expect.any(String) },
    data: {
      amount_base_units: value.toString(),
      token: bench.chain.token.address,
      recipient: buyer(),
    },
  });
  expect((await bench.read(order)).status).toBe(status);
  // No work is left.
  for (const round of ["fresh", "open", "ended"] as const) await bench.sweep(round);
  await bench.relay();
  expect(await bench.nonce()).toBe(nonce + 1);
}

describe("a direct transfer to the deposit address", () => {
  test("becomes the escrow, by itself", async () => {
    await send(amount);
    await bench.sweep("fresh");
    await bench.relay();
    await bench.reach(order, "funded");
    const [, funded] = await bench.trail(order);
    expect(funded).toMatchObject({
      type: "order.funded",
      data: { payer: deposit(), amount_base_units: amount.toString() },
    });
    expect((await relaysOf()).map(({ key, status }) => [key.split(":")[1], status])).toEqual([
      ["createEscrowFromDeposit", "mined"],
    ]);
    expect(await bench.payment(order)).toBeNull();
    // No payment is requested after that.
    expect(expectStatus(409, await bench.post(order)).error.code).toBe("invalid_state");
  });

  test("of an order on the other rail does so too, by the slower round", async () => {
    order = await placeOrder(bench.market, { settlement_rail: "escrow" });
    await send(amount);
    await bench.sweep("fresh");
    expect(await relaysOf()).toEqual([]);
    await bench.sweep("open");
    await bench.relay();
    await bench.reach(order, "funded");
  });

  test("in two parts does so once both arrived", async () => {
    await send(amount - 1n);
    for (const round of ["fresh", "open", "ended"] as const) await bench.sweep(round);
    expect(await relaysOf()).toEqual([]);
    await send(1n);
    await bench.sweep("fresh");
    await bench.relay();
    await bench.reach(order, "funded");
  });

  test("is checked by several workers at once, and used once", async () => {
    await send(amount);
    await Promise.all(Array.from({ length: 6 }, (_, index) => bench.sweep(index % 2 ? "fresh" : "open")));
    expect(await relaysOf()).toHaveLength(1);
    await bench.relay();
    await bench.reach(order, "funded");
  });

  test("is not used again once the escrow's creation is mined, although the index lags", async () => {
    await bench.db.insert(relayTable).values({
      id: typeid("rly").toString(),
      key: `${order.escrow.escrow_id}:createEscrowFromDeposit:1`,
      chainId: bench.chain.chain_id,
      orderId: order.id,
      to: bench.chain.escrow_contract,
      data: "0x",
      status: "mined",
    });
    await send(amount);
    for (const round of ["fresh", "open"] as const) await bench.sweep(round);
    expect(await relaysOf()).toHaveLength(1);
    await bench.db.delete(relayTable).where(eq(relayTable.orderId, order.id));
    await bench.sweep("fresh");
    await bench.relay();
    await bench.reach(order, "funded");
  });

  test("is left to a payment in flight", async () => {
    const signed = await bench.sign(order);
    await bench.pay(order, signed);
    await sendAsOutsider(bench.testChain, signed);
    await bench.sweep("fresh");
    expect((await relaysOf()).map(({ key }) => key)).toEqual([expect.stringMatching(/^pay_.*:0$/)]);
    await bench.relay();
    await bench.reach(order, "funded");
    await bench.reachPayment(order, "confirmed");
  });

  test("is used when the payment's own transaction failed, and the payment is valid", async () => {
    const signed = await bench.sign(order);
    await bench.pay(order, signed);
    await sendAsOutsider(bench.testChain, signed);
    // The relayer leaves a transaction that ran out of gas so.
    const failed = { status: "failed" as const, error: "the transaction was mined and reverted" };
    await bench.db.update(relayTable).set(failed).where(eq(relayTable.orderId, order.id));
    await bench.follow();
    expect(await bench.payment(order)).toMatchObject({ status: "submitted", error: null });
    expect(expectStatus(202, await bench.post(order)).payment.status).toBe("submitted");
    await bench.sweep("fresh");
    await bench.relay();
    await bench.reach(order, "funded");
    expect(await bench.reachPayment(order, "confirmed")).toMatchObject({ error: null });
    expect((await relaysOf()).map(({ status }) => status)).toEqual(["failed", "mined"]);
  });

  test("beside a refused payment makes the order funded, and the payment is shown as not used", async () => {
    const signed = await bench.sign(order, {}, patron);
    await bench.pay(order, signed);
    const failed = { status: "failed" as const, error: "no" };
    await bench.db.update(relayTable).set(failed).where(eq(relayTable.orderId, order.id));
    await send(amount);
    await bench.follow();
    await bench.sweep("fresh");
    await bench.relay();
    await bench.reach(order, "funded");
    expect(await bench.reachPayment(order, "failed")).toMatchObject({
      error: "Another payment funded the order; this payment was not used.",
    });
    expect(await isUsed(bench.testChain, signed)).toBe(false);
  });
});

describe("excess money goes back to the buyer by itself:", () => {
  test("the part above the amount, from any sender", async () => {
    await send(amount + 700n);
    await bench.sweep("fresh");
    await bench.relay();
    await bench.reach(order, "funded");
    expect(await bench.balanceOf(deposit())).toBe(700n);
    await expectReturned(700n);
  });

  test("a second payment of the whole amount, once more after it, and again", async () => {
    await fund();
    await sendAsOutsider(bench.testChain, await bench.sign(order, {}, patron));
    await expectReturned(amount);
    await send(amount);
    await expectReturned(amount);
    await send(1n);
    await expectReturned(1n);
  });

  test("money that arrives after the order's end", async () => {
    await fund();
    const { account } = bench.market.buyer;
    await bench.testChain.node.setBalance({ address: account.address, value: 10n ** 18n });
    await bench.callEscrow(account, order, "release");
    await bench.testChain.node.setBalance({ address: account.address, value: 0n });
    await bench.reach(order, "released");
    await send(amount);
    await expectReturned(amount);
  });

  test("a payment of an order that another's money funded", async () => {
    const signed = await bench.sign(order);
    await bench.pay(order, signed);
    await bench.fundDirectly(order, patron);
    await sendAsOutsider(bench.testChain, signed);
    await bench.relay();
    await bench.reach(order, "funded");
    expect((await bench.reachPayment(order, "failed")).error).toBe(
      "Another payment funded the order; this payment goes back to the buyer.",
    );
    await expectReturned(amount);
  });
});

describe("the service pays the gas, so", () => {
  const withLeast = (min_relay_amount: bigint) => ({ chains: [{ ...bench.chain, min_relay_amount }] });

  test("an amount under the smallest order that it pays gas for stays where it is", async () => {
    await fund();
    await send(999n);
    await bench.sweep("ended", withLeast(1000n));
    expect(await relaysOf("%returnDeposit%")).toEqual([]);
    await send(1n);
    await bench.sweep("ended", withLeast(1000n));
    expect(await relaysOf("%returnDeposit%")).toHaveLength(1);
    await expectReturned(1000n);
  });

  test("money that arrives while a return is in flight goes with it, in one transaction", async () => {
    await fund();
    for (let index = 0; index < 5; index += 1) {
      await send(10n);
      await bench.sweep("ended");
    }
    expect(await relaysOf("%returnDeposit%")).toHaveLength(1);
    await expectReturned(50n);
  });

  test("the calls count against the budget of the buyer's account, and wait for it", async () => {
    const { db } = bench;
    await fund();
    await send(amount);
    const used = await db.execute<{ used: number }>(sql`
      select sum(gas_charged + gas_charged_before)::int as used from earnest.relay
      where account_id = ${bench.market.buyer.accountId} and queued_at > now() - interval '1 hour'`);
    const before = used.rows[0]?.used as number;
    await bench.sweep("ended", { relayGasPerHour: before + gasBounds.deposit - 1 });
    expect(await relaysOf("%returnDeposit%")).toEqual([]);
    await bench.sweep("ended", { relayGasPerHour: before + gasBounds.deposit });
    expect(await relaysOf("%returnDeposit%")).toMatchObject([{ accountId: bench.market.buyer.accountId }]);
    await expectReturned(amount);
  });

  test("a failed call waits, and is repeated under its own number", async () => {
    await fund();
    await send(amount);
    await bench.sweep("ended");
    // Another account returns the money first, as anybody may.
    const args = [termsOf(await bench.rowOf(order)), bench.chain.token.address] as const;
    const data = encodeFunctionData({ abi: escrowAbi, functionName: "returnDeposit", args });
    await bench.call(patron, bench.chain.escrow_contract, { data });
    const nonce = await bench.nonce();
    await bench.relay();
    expect(await bench.nonce()).toBe(nonce);
    const [failed] = await relaysOf("%returnDeposit%");
    expect(failed).toMatchObject({ status: "failed", error: expect.stringMatching(/^NothingToReturn/) });
    await bench.workUntil(
      async () => (await bench.trail(order)).some(({ type }) => type === "deposit.returned"),
      "the outsider's return is in the trail",
    );
    await send(amount);
    await bench.sweep("ended");
    expect((await relaysOf("%returnDeposit%")).map(({ status }) => status)).toEqual(["failed"]);
    await bench.db
      .update(relayTable)
      .set({ updatedAt: sql`now() - interval '11 minutes'` })
      .where(eq(relayTable.id, failed?.id ?? ""));
    await expectReturned(amount);
    expect(await relaysOf("%returnDeposit%")).toMatchObject([{ id: failed?.id, status: "mined" }]);
  });
});

describe("a round of checks", () => {
  test("takes one call to the node for every 150 addresses of a token, however many orders exist", async () => {
    const { db, chain, testChain } = bench;
    const rows: { id: string }[] = [];
    while (rows.length < 160) {
      rows.push(...(await Promise.all(Array.from({ length: 20 }, () => placeRow(db, chain)))));
    }
    const methods: string[] = [];
    const proxy = await forwardRequests(testChain.rpcUrl, {
      treat: ({ method }) => {
        methods.push(method);
        return "forward";
      },
    });
    const count = async (round: "fresh" | "open") => {
      methods.length = 0;
      await bench.sweep(round, { chains: [{ ...chain, rpc_url: proxy.url }] });
      return [...methods];
    };
    try {
      await send(amount);
      expect(await count("open")).toEqual(["eth_call", "eth_call"]);
      // The last page's last order, of this test, was checked too.
      expect(await relaysOf()).toHaveLength(1);
      await bench.relay();
      await bench.reach(order, "funded");
      const lone = await placeOrder(bench.market);
      expect([(await bench.read(lone)).status, await count("fresh")]).toEqual(["created", ["eth_call"]]);
    } finally {
      await proxy.close();
      await db.execute(sql`update earnest.order set status = 'expired' where settlement_rail = 'escrow'`);
    }
  });

  test("checks a new order of a proven buyer, however many newer orders of unproven buyers exist", async () => {
    const { db, chain, config } = bench;
    await fund();
    order = await placeOrder(bench.market);
    await send(amount);
    try {
      for (let rows = 0; rows < 300; rows += 20) {
        await Promise.all(Array.from({ length: 20 }, () => placeRow(db, chain)));
      }
      const { rows } = await db.execute<{ lane: number }>(
        sql`select hashtext(id) & 31 as lane from earnest.order where id = ${order.id}`,
      );
      // Its lane has its turn another time.
      const part = (rows[0]?.lane ?? 0) + 1;
      await sweepDeposits(db, config, "open", { part });
      expect(await relaysOf()).toHaveLength(1);
      await bench.relay();
      await bench.reach(order, "funded");
    } finally {
      await db.execute(sql`update earnest.order set status = 'expired' where settlement_rail = 'escrow'`);
    }
  });

  test.each([
    { kind: "burns its gas", code: "0x5b5f56" },
    { kind: "reverts", code: "0x5f5ffd" },
    { kind: "takes the node's time", code: "0x00" },
  ] as const)("checks the other tokens' deposits although a token $kind", async ({ kind, code }) => {
    const { db, config, chain, testChain } = bench;
    const hostile = newAccount().address;
    await testChain.node.setCode({ address: hostile, bytecode: code });
    await send(amount);
    const asked = hostile.slice(2).toLowerCase();
    const proxy = await forwardRequests(testChain.rpcUrl, {
      treat: ({ method, params }) =>
        kind.startsWith("takes") && method === "eth_call" && JSON.stringify(params).includes(asked)
          ? { error: { code: -32_000, message: "execution aborted (timeout = 5s)" } }
          : "forward",
    });
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    const chains = [{ ...chain, rpc_url: proxy.url }];
    try {
      // Newer unpaid orders than a page has, which cost nothing. They come before the order with money.
      const ofHostile = { ...chain, token: { ...chain.token, address: hostile } };
      for (let rows = 0; rows < 160; rows += 20)
        await Promise.all(Array.from({ length: 20 }, () => placeRow(db, ofHostile)));
      await sweepDeposits(db, { ...config, chains }, "open", { log });
      expect(await relaysOf()).toHaveLength(1);
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { msg: "the deposits of a token could not be checked", token: hostile.toLowerCase() },
      ]);
      await bench.relay();
      await bench.reach(order, "funded");
    } finally {
      await proxy.close();
      await db.execute(sql`update earnest.order set status = 'expired' where settlement_rail = 'escrow'`);
    }
  });

  test("reports an unreachable node, and the other chains are checked all the same", async () => {
    await send(amount);
    const lines: string[] = [];
    const log = pino({ level: "error" }, { write: (line: string) => lines.push(line) });
    const { db, config, chain } = bench;
    const away = { ...chain, rpc_url: "http://127.0.0.1:9" };
    await sweepDeposits(db, { ...config, chains: [away, chain] }, "fresh", { log });
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["a chain's deposits could not be checked"]);
    expect(await relaysOf()).toHaveLength(1);
    await bench.relay();
    await bench.reach(order, "funded");
  });
});

test("returns money that comes after the funding deadline to the buyer, and the order stays unfunded", async () => {
  const { node } = bench.testChain;
  const { fundBy } = await bench.rowOf(order);
  const signed = await bench.sign(order, { validBefore: String(2 ** 40) });
  await bench.pay(order, signed);
  await node.setNextBlockTimestamp({ timestamp: BigInt(fundBy) + 1n });
  await sendAsOutsider(bench.testChain, signed);
  await bench.relay();
  expect((await bench.reachPayment(order, "failed")).error).toMatch(
    /TooLate|arrived after the funding deadline/,
  );
  await bench.workUntil(
    async () => expectStatus(409, await bench.post(order)).error.code === "invalid_state",
    "the index is past the deadline",
  );
  await expectReturned(amount);
  expect(await bench.statusOnChain(order)).toBe(0);
  expect(await bench.read(order)).toMatchObject({ status: "created", funded_at: null });
  expect(await bench.db.$count(paymentTable, eq(paymentTable.orderId, order.id))).toBe(1);
  // The same once the order has expired.
  expect(await expireOrders(bench.db, bench.config)).toBeGreaterThan(0);
  expect((await bench.read(order)).status).toBe("expired");
  await send(amount);
  await expectReturned(amount);
  expect(await bench.statusOnChain(order)).toBe(0);
});
