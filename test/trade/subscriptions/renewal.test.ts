import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fact, order, service, subscription, wallet } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { renewSubscriptions } from "../../../jobs/subscriptions/renew.ts";
import { renewSubscription } from "../../../trade/subscriptions/renewal.ts";
import { cancelSubscription, subscribe } from "../../../trade/subscriptions/subscription.ts";
import { createChecker } from "../../../untrusted/schemas/checker.ts";
import { createTrade, type Trade } from "../../harness/market/trade.ts";

let trade: Trade;
let planId: string;
let id: string;
beforeAll(async () => {
  trade = await createTrade();
});
afterAll(() => trade?.close());

const input_payload = { text: "Guten Tag" };
const renew = () => inTransaction(trade.db, (tx) => renewSubscription(tx, trade.context, id));
const change = (fields: Partial<typeof subscription.$inferInsert>) =>
  trade.db.update(subscription).set(fields).where(eq(subscription.id, id));
const changePlan = (fields: Partial<typeof service.$inferInsert>) =>
  trade.db.update(service).set(fields).where(eq(service.id, planId));
const read = async () => {
  const [row] = await trade.db.select().from(subscription).where(eq(subscription.id, id));
  if (!row) throw new Error("There is no such subscription.");
  return row;
};

/** A subscription whose next period has begun. */
beforeEach(async () => {
  const { offerService, context, signUp, db } = trade;
  await db.update(subscription).set({ status: "cancelled" });
  ({ id: planId } = await offerService({ pricingModel: "subscription", billingInterval: "week" }));
  const made = await subscribe(context, await signUp(), { service_id: planId, input_payload });
  id = made.subscription.id;
  await change({ nextOrderAt: new Date(Date.now() - 60_000) });
});

describe("subscribe", () => {
  test("is refused for services of other models, paused ones, and one's own", async () => {
    const { expectRefusal, context, buyer, seller, offerService } = trade;
    const attempt = (service_id: string, who = buyer) =>
      subscribe(context, who, { service_id, input_payload });
    await expectRefusal(() => attempt("svc_01jd3w8x2mfhz8w9q4t6n5k7ra"), "not_found");
    await expectRefusal(() => attempt(planId, seller), "conflict");
    const { id: direct } = await offerService();
    await expectRefusal(() => attempt(direct), "invalid_state");
    await changePlan({ status: "paused" });
    await expectRefusal(() => attempt(planId), "invalid_state");
  });
});

describe("renewSubscription", () => {
  test("places one order for the period, at the subscription's price", async () => {
    await changePlan({ price: 9_000_000n });
    const renewal = await renew();
    if (!renewal || !("placed" in renewal)) throw new Error(`Nothing was placed: ${JSON.stringify(renewal)}`);
    expect(renewal).toMatchObject({ subscriptionId: id, placed: { period: 2 } });
    const [row] = await trade.db.select().from(order).where(eq(order.id, renewal.placed.orderId));
    expect(row).toMatchObject({ amount: 2_500_000n, inputPayload: input_payload, status: "created" });
    const [created] = await trade.db.select().from(fact).where(eq(fact.orderId, renewal.placed.orderId));
    expect(created?.data).toMatchObject({ subscription_id: id, period: 2 });
    expect(await renew()).toBeNull();
  });

  test("skips a period in which the plan is not sold", async () => {
    await changePlan({ available: false });
    expect(await renew()).toEqual({ subscriptionId: id, passedOver: true });
    expect(await read()).toMatchObject({ status: "active", periods: 1 });
    expect((await read()).nextOrderAt.getTime()).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  });

  test("ends a subscription that only its buyer could fix, with the reason of the refused order", async () => {
    for (const [spoil, reason] of [
      [() => changePlan({ status: "retired" }), "withdrawn"],
      [() => changePlan({ inputSchema: { required: ["pages"] } }), "input_refused"],
      [() => changePlan({ arbiters: [trade.seller.primaryAddress] }), "arbiter_refused"],
    ] as const) {
      await changePlan({ status: "published", inputSchema: null, arbiters: null });
      await change({ status: "active", nextOrderAt: new Date(0) });
      await spoil();
      expect(await renew()).toEqual({ subscriptionId: id, ended: reason });
      expect(await read()).toMatchObject({ status: "ended", endedReason: reason, periods: 1 });
    }
  });

  test("ends a subscription whose buyer's wallet has left the account", async () => {
    const { accountId } = await read();
    const outsider = await trade.signUp();
    await trade.db
      .update(wallet)
      .set({ accountId: outsider.accountId, isPrimary: false })
      .where(eq(wallet.accountId, accountId));
    expect(await renew()).toEqual({ subscriptionId: id, ended: "wallet_removed" });
  });

  test("retries in a minute where the input could not be checked, and ends nothing", async () => {
    const checker = createChecker(trade.context.log, { waitingOfAccount: 0 });
    const renewal = await inTransaction(trade.db, (tx) =>
      renewSubscription(tx, { ...trade.context, checker }, id),
    );
    await checker.close();
    expect(renewal).toEqual({ subscriptionId: id, passedOver: true });
    const { status, nextOrderAt } = await read();
    expect(status).toBe("active");
    expect(nextOrderAt.getTime() - Date.now()).toBeLessThan(61_000);
  });

  test("blocks no other subscription by a failure", async () => {
    const { context, db, signUp } = trade;
    const { subscription: later } = await subscribe(context, await signUp(), {
      service_id: planId,
      input_payload,
    });
    await db
      .update(subscription)
      .set({ nextOrderAt: new Date(Date.now() - 1000) })
      .where(eq(subscription.id, later.id));
    await db.execute(
      sql.raw(
        `alter table earnest.subscription_order add constraint broken check (subscription_id <> '${id}') not valid`,
      ),
    );
    try {
      await expect(renewSubscriptions(db, context.config, context)).rejects.toThrow();
    } finally {
      await db.execute(sql`alter table earnest.subscription_order drop constraint broken`);
    }
    expect(
      await db.$count(subscription, and(eq(subscription.id, later.id), eq(subscription.periods, 2))),
    ).toBe(1);
    expect(await read()).toMatchObject({ status: "active", periods: 1 });
    expect(await renew()).toMatchObject({ placed: { period: 2 } });
  });

  test("skips a cancelled subscription", async () => {
    const row = await read();
    await cancelSubscription(trade.db, { accountId: row.accountId }, id);
    expect(await renew()).toBeNull();
  });
});
