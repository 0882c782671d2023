import { eq } from "drizzle-orm";
import type { Address, Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { order as orderTable } from "../../../db/schema.ts";
import { type Answer, expectStatus, type Session } from "../../harness/api.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";
import { until } from "../../harness/jobs/ledger.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";

const amount = 2_500_000n;

let bench: PaymentBench;
let patron: Awaited<ReturnType<PaymentBench["newPatron"]>>;
let order: Answer["body"];
beforeAll(async () => {
  // The local chain, whose service returns amounts from two base units on.
  bench = await startPaymentBench({ MIN_RELAY_AMOUNT_31337: "0.000002" });
  patron = await bench.newPatron();
});
afterAll(() => bench?.close());
beforeEach(async () => {
  order = await placeOrder(bench.market);
});

const send = (value: bigint) => bench.transfer(patron, order.escrow.deposit_address as Address, value);
const read = async ({ token }: Session = bench.market.buyer) =>
  expectStatus(200, await bench.market.api.request("GET", "/balances", { token }));
const depositsOf = async (who?: Session): Promise<Answer["body"][]> =>
  (await read(who)).deposits.filter((deposit: Answer["body"]) => deposit.order_id === order.id);

/** Sends the call of a deposit, and asserts that the buyer gets the money. */
async function takeBack({ call, amount_base_units }: Answer["body"], sender = patron): Promise<void> {
  const had = await bench.balanceOf(bench.market.buyer.account.address);
  await bench.call(sender, call.to as Address, { data: call.data as Hex });
  expect(await bench.balanceOf(bench.market.buyer.account.address)).toBe(had + BigInt(amount_base_units));
  expect(await depositsOf()).toEqual([]);
}

test("a repeated payment of a funded order waits until anyone sends its call", async () => {
  await bench.pay(order, await bench.sign(order));
  await bench.relay();
  await bench.reach(order, "funded");
  expect(await depositsOf()).toEqual([]);
  await send(amount);
  const [deposit, ...more] = await depositsOf();
  expect(more).toEqual([]);
  expect(deposit).toMatchObject({
    order_id: order.id,
    reference: order.reference,
    chain_id: bench.chain.chain_id,
    currency: "TUSD",
    deposit_address: order.escrow.deposit_address,
    token_address: bench.chain.token.address,
    amount: "2.500000",
    amount_base_units: "2500000",
    reason: "repeated",
    recipient: bench.market.buyer.account.address,
    service_returns: true,
    anyone_from: null,
    call: { function: "returnDeposit", to: bench.chain.escrow_contract, value: "0" },
  });
  // The money is the buyer's alone.
  expect((await read(bench.market.provider)).deposits).toEqual([]);
  await takeBack(deposit);
});

test("an amount below the service's least waits for somebody else's call", async () => {
  await bench.pay(order, await bench.sign(order));
  await bench.relay();
  await bench.reach(order, "funded");
  await send(1n);
  const [deposit] = await depositsOf();
  expect(deposit).toMatchObject({ amount: "0.000001", reason: "repeated", service_returns: false });
  await bench.sweep("ended");
  await bench.relay();
  expect(await depositsOf()).toHaveLength(1);
  await takeBack(deposit);
});

test("a part waits for the rest, and is late after the funding deadline; a whole amount in time is a payment", async () => {
  await send(amount - 1n);
  const [part] = await depositsOf();
  const deadline = Date.parse(order.funding_deadline);
  expect(part).toMatchObject({
    amount: "2.499999",
    reason: "partial",
    service_returns: false,
    anyone_from: new Date(deadline + 1000).toISOString(),
  });
  await send(1n);
  expect(await depositsOf()).toEqual([]);
  const { node } = bench.testChain;
  await node.setNextBlockTimestamp({ timestamp: BigInt(deadline / 1000) + 1n });
  await node.mine({ blocks: 1 });
  const late = await until(async () => (await depositsOf())[0], "the index is past the deadline");
  expect(late).toMatchObject({
    amount: "2.500000",
    reason: "late",
    service_returns: true,
    anyone_from: null,
  });
  await takeBack(late);
});

test("an order of more than 90 days is not read", async () => {
  await send(amount - 1n);
  expect(await depositsOf()).toHaveLength(1);
  const createdAt = new Date(Date.now() - 91 * 86_400_000);
  await bench.db.update(orderTable).set({ createdAt }).where(eq(orderTable.id, order.id));
  expect(await depositsOf()).toEqual([]);
});

test("deposits in a token that does not answer are named as unknown", async () => {
  const { node, publicClient } = bench.testChain;
  const { address } = bench.chain.token;
  const code = await publicClient.getCode({ address });
  await node.setCode({ address, bytecode: "0x5f5ffd" });
  const { deposits, unknown_deposits } = await read();
  await node.setCode({ address, bytecode: code as Hex });
  expect([deposits, unknown_deposits]).toEqual([
    [],
    [{ chain_id: bench.chain.chain_id, token_address: address, unknown_reason: "refused" }],
  ]);
});
