import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectStatus } from "../../harness/api.ts";
import { asIndexer, ask, place } from "../../harness/market/market.ts";
import { createPaymentMarket, type PaymentMarket, signPayment } from "../../harness/market/payments.ts";

const month = 30 * 86_400;

let market: PaymentMarket;
let clock: number;
beforeAll(async () => {
  market = await createPaymentMarket();
  const { node, publicClient } = market.testChain;
  await node.increaseTime({ seconds: month });
  await node.mine({ blocks: 1 });
  const { timestamp } = await publicClient.getBlock();
  clock = Number(timestamp);
  await asIndexer(market, (tx) =>
    tx.execute(sql`
      update idx._ponder_checkpoint
      set latest_checkpoint = overlay(latest_checkpoint placing ${timestamp.toString()} from 1 for 10)`),
  );
});
afterAll(() => market.close());

test("an order on a chain whose clock is ahead can be funded: its window counts from that clock", async () => {
  const { id, funding_deadline } = await place(market);
  const seconds = Date.parse(funding_deadline) / 1000 - clock;
  expect(Math.abs(seconds - market.api.config.windows.fundingSeconds)).toBeLessThan(60);
  const { calls } = expectStatus(
    200,
    await ask(market, market.buyer, "GET", `/orders/${id}/payment-instructions`),
  );
  const { node, publicClient, wallet, fund } = market.testChain;
  await fund(market.buyer.account);
  for (const { to, data } of calls) {
    const hash = await wallet(market.buyer.account).sendTransaction({ to, data });
    expect((await publicClient.waitForTransactionReceipt({ hash })).status).toBe("success");
  }
  await node.setBalance({ address: market.buyer.account.address, value: 0n });
});

test("a stock client, which counts from its own clock, pays there by x402", async () => {
  const order = await place(market, { settlement_rail: "x402" });
  const path = `/orders/${order.id}/payment`;
  const { accepts } = expectStatus(402, await ask(market, market.buyer, "POST", path));
  const validBefore = Math.floor(Date.now() / 1000) + accepts[0].maxTimeoutSeconds;
  expect(validBefore).toBeGreaterThan(clock);
  expect(validBefore).toBeLessThanOrEqual(Date.parse(order.funding_deadline) / 1000);
  const signed = await signPayment(market.testChain, order, market.buyer.account, {
    validBefore: validBefore.toString(),
  });
  expectStatus(202, await ask(market, market.buyer, "POST", path, signed));
});
