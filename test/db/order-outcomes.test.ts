import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  agent,
  counterparty,
  fact,
  orderOutcome,
  provedWallet,
  provenance,
  recordDue,
  review,
  service,
  wallet,
  walletPaid,
} from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { expectStatus, signIn } from "../harness/api.ts";
import { indexer, placeDelivered, placeFunded, settleNow } from "../harness/market/market.ts";
import { createReviewMarket, type ReviewMarket } from "../harness/market/reviews.ts";

let on: ReviewMarket;
beforeAll(async () => {
  on = await createReviewMarket();
});
afterAll(() => on?.market.api.close());

const db = () => on.market.api.db;
const outcomeOf = async (orderId: string) =>
  (await db().select().from(orderOutcome).where(eq(orderOutcome.orderId, orderId)))[0];
const paidBy = async (address: `0x${string}`) =>
  (await db().select().from(walletPaid).where(eq(walletPaid.wallet, address)))[0]?.orders ?? 0;
const changesDue = async () =>
  (await db().select().from(recordDue).where(eq(recordDue.agentId, on.market.agent.id)))[0]?.changes ?? 0;

/** The payer of the escrow's event is in the fact, which a trigger makes immutable. */
const saysPayer = (orderId: string, payer: string) =>
  inTransaction(db(), async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      update earnest.fact set data = data || jsonb_build_object('payer', ${payer}::text)
      where order_id = ${orderId} and type = 'order.funded'`);
  });

/** A funded order of a new buyer, not settled yet. */
async function placeOf(who: ReviewMarket["market"]["buyer"]) {
  return placeFunded({ ...on.market, buyer: who });
}
async function end(placed: Awaited<ReturnType<typeof placeOf>>, as: "Released" | "Refunded" = "Released") {
  await indexer(on.market, placed.row).ended(as);
  await settleNow(on.market);
  return outcomeOf(placed.id);
}

describe("an order's outcome", () => {
  test("is written with its settlement, at arm's length, under its counterparty's number", async () => {
    const who = await signIn(on.market.api);
    const placed = await placeOf(who);
    expect(await outcomeOf(placed.id)).toBeUndefined();
    const before = await changesDue();
    expect(await end(placed)).toMatchObject({
      agentId: on.market.agent.id,
      buyerAccountId: who.accountId,
      released: placed.row.amount,
      refunded: 0n,
      ended: "released",
      deliveredAt: null,
      apart: null,
    });
    expect(await changesDue()).toBe(before + 1);
    expect(await paidBy(placed.row.buyerAddress)).toBe(1);
    const again = await end(await placeOf(who));
    expect(again?.apart).toBeNull();
    expect(await paidBy(placed.row.buyerAddress)).toBe(2);
    expect(await db().$count(counterparty, eq(counterparty.buyerAccountId, who.accountId))).toBe(1);
    expect(await db().$count(provenance, eq(provenance.wallet, placed.row.buyerAddress))).toBe(1);
  });

  test("is removed when a reorganisation removes the settlement, and written again with the next", async () => {
    const who = await signIn(on.market.api);
    const placed = await placeOf(who);
    await end(placed);
    await on.revertRelease(placed.id);
    expect(await outcomeOf(placed.id)).toBeUndefined();
    expect(await paidBy(placed.row.buyerAddress)).toBe(0);
    const before = await changesDue();
    await on.releaseAgain(placed.id);
    expect(await outcomeOf(placed.id)).toMatchObject({ ended: "released", apart: null });
    expect(await changesDue()).toBe(before + 1);
    expect(await paidBy(placed.row.buyerAddress)).toBe(1);
  });

  test("of a refund before the deadline is declined by the provider", async () => {
    const outcome = await end(await placeOf(await signIn(on.market.api)), "Refunded");
    expect(outcome).toMatchObject({ ended: "declined", released: 0n });
    expect(await db().$count(provenance, eq(provenance.wallet, outcome?.buyerAddress ?? "0x"))).toBe(0);
  });

  test.each([
    [
      "and its payments, if the account has proved that one",
      "0x00000000000000000000000000000000000000fb",
      true,
    ],
    ["but no payment of it otherwise", "0x00000000000000000000000000000000000000fd", false],
  ] as const)(
    "has the payer's wallet where the account has not proved the named one, %s",
    async (_, payer, isProved) => {
      const who = await signIn(on.market.api);
      const placed = await placeOf(who);
      await saysPayer(placed.id, payer);
      await inTransaction(db(), async (tx) => {
        await tx.execute(sql`set local session_replication_role = replica`);
        await tx.execute(sql`delete from earnest.proved_wallet where account_id = ${who.accountId}`);
        if (isProved) await tx.insert(provedWallet).values({ accountId: who.accountId, address: payer });
      });
      expect(await end(placed)).toMatchObject({ wallet: payer, walletProved: isProved });
      expect([await paidBy(placed.row.buyerAddress), await paidBy(payer)]).toEqual([0, isProved ? 1 : 0]);
      expect(await db().$count(provenance, eq(provenance.wallet, payer))).toBe(1);
    },
  );

  test("counts the named wallet where the buyer's account has proved it, whoever paid", async () => {
    const placed = await placeOf(await signIn(on.market.api));
    await saysPayer(placed.id, "0x00000000000000000000000000000000000000fc");
    expect(await end(placed)).toMatchObject({ wallet: placed.row.buyerAddress });
  });

  test("has the time of its delivery", async () => {
    const placed = await placeDelivered(on.market);
    const outcome = await end(placed);
    const [delivered] = await db()
      .select()
      .from(fact)
      .where(and(eq(fact.orderId, placed.id), eq(fact.type, "order.delivered")));
    expect(outcome?.deliveredAt).toEqual(delivered?.occurredAt);
  });

  test("has distinct numbers for ten counterparties that settle at once", async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => signIn(on.market.api)));
    const placed = [];
    for (const who of people) placed.push(await placeOf(who));
    for (const one of placed) await indexer(on.market, one.row).ended("Released");
    await Promise.all([settleNow(on.market), settleNow(on.market), settleNow(on.market)]);
    const named = await db()
      .select({ number: counterparty.number })
      .from(counterparty)
      .where(eq(counterparty.agentId, on.market.agent.id))
      .orderBy(counterparty.number);
    expect(named.map(({ number }) => number)).toEqual(named.map((_, at) => at + 1));
    for (const one of placed) expect(await outcomeOf(one.id)).toBeDefined();
  });
});

describe("an outcome is excluded from the figures", () => {
  test("where buyer and provider share a member", async () => {
    const who = await signIn(on.market.api);
    const placed = await placeOf(who);
    await on.join(who, on.market.provider);
    expect(await end(placed)).toMatchObject({ apart: "same_party" });
    expect(await paidBy(placed.row.buyerAddress)).toBe(0);
    expect(await db().$count(provenance, eq(provenance.wallet, placed.row.buyerAddress))).toBe(0);
  });

  test("where the buyer's wallet has become the provider's by the settlement", async () => {
    const who = await signIn(on.market.api);
    const placed = await placeOf(who);
    await db()
      .update(wallet)
      .set({ accountId: on.market.provider.accountId, isPrimary: false })
      .where(eq(wallet.address, placed.row.buyerAddress));
    expect(await end(placed)).toMatchObject({ apart: "shared_wallet" });
  });

  test("where the buyer's wallet was once the provider's, although it was removed since", async () => {
    const who = await signIn(on.market.api);
    const placed = await placeOf(who);
    const give = (accountId: string) =>
      db().update(wallet).set({ accountId }).where(eq(wallet.address, placed.row.buyerAddress));
    await db().update(wallet).set({ isPrimary: false }).where(eq(wallet.address, placed.row.buyerAddress));
    await give(on.market.provider.accountId);
    await give(who.accountId);
    expect(await end(placed)).toMatchObject({ apart: "shared_wallet" });
    const payer = "0x00000000000000000000000000000000000000fe";
    await db()
      .insert(wallet)
      .values({ id: "wal_once", accountId: on.market.provider.accountId, address: payer, provedBy: "key" });
    await db().delete(wallet).where(eq(wallet.id, "wal_once"));
    const paid = await placeOf(await signIn(on.market.api));
    await saysPayer(paid.id, payer);
    expect(await end(paid)).toMatchObject({ apart: "shared_wallet" });
  });

  test("where the provider's own wallet funded it, and only up to the amount paid to the provider", async () => {
    const who = await signIn(on.market.api);
    const [paid, returned] = [await placeOf(who), await placeOf(who)];
    for (const { id } of [paid, returned]) await saysPayer(id, on.market.provider.account.address);
    expect(await end(paid)).toMatchObject({ apart: "shared_wallet" });
    expect(await end(returned, "Refunded")).toMatchObject({ apart: null });
  });

  test("where the chain already showed that this buyer's money is the provider's", async () => {
    const who = await signIn(on.market.api);
    const first = await placeOf(who);
    expect(await end(first)).toMatchObject({ apart: null });
    await db().update(provenance).set({ tied: true }).where(eq(provenance.wallet, first.row.buyerAddress));
    expect(await end(await placeOf(who))).toMatchObject({ apart: "money_from_provider" });
  });
});

test("the market counts an order as completed while its release stands, at arm's length", async () => {
  const [agentId, serviceId] = [on.market.agent.id, on.market.service.id];
  const read = async () => {
    const [of] = await db().select().from(agent).where(eq(agent.id, agentId));
    const [sold] = await db().select().from(service).where(eq(service.id, serviceId));
    return [of?.completedOrders, sold?.completedOrders];
  };
  const [before = 0, sold = 0] = await read();
  const who = await signIn(on.market.api);
  const placed = await placeOf(who);
  await end(placed);
  expect(await read()).toEqual([before + 1, sold + 1]);
  const apart = (reason: "money_from_provider" | null) =>
    db().update(orderOutcome).set({ apart: reason }).where(eq(orderOutcome.orderId, placed.id));
  await apart("money_from_provider");
  expect(await read()).toEqual([before, sold]);
  await apart(null);
  await on.revertRelease(placed.id);
  expect(await read()).toEqual([before, sold]);
  await on.releaseAgain(placed.id);
  expect(await read()).toEqual([before + 1, sold + 1]);
  await end(await placeOf(who), "Refunded");
  expect(await read()).toEqual([before + 1, sold + 1]);
});

describe("the review of an excluded order", () => {
  const summary = async () => (await on.list()).summary;
  const tie = (orderId: string, apart: "money_from_provider" | null) =>
    db().update(orderOutcome).set({ apart }).where(eq(orderOutcome.orderId, orderId));

  test("is listed and counts in no average, whichever of the two came first", async () => {
    const { id } = await on.placeSettled("Released", await signIn(on.market.api));
    const late = await on.placeReviewed({ rating: 5 });
    const before = await summary();
    await tie(late.orderId, "money_from_provider");
    expect(await summary()).toMatchObject({ count: before.count - 1, apart: before.apart + 1 });
    await tie(late.orderId, null);
    expect(await summary()).toEqual(before);
    const [row] = await db().select().from(review).where(eq(review.orderId, late.orderId));
    expect(row?.apart).toBe(false);

    await tie(id, "money_from_provider");
    const mine = await on.placeSettled();
    await tie(mine.id, "money_from_provider");
    const written = expectStatus(201, await on.write(mine.id, { rating: 1 }));
    expect(written.apart).toBe(true);
    expect(await summary()).toMatchObject({ count: before.count, apart: before.apart + 1 });
    expectStatus(200, await on.withdraw(mine.id));
    expect(await summary()).toMatchObject({ count: before.count, apart: before.apart });
  });
});
