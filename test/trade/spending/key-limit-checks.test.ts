import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { lockOrder, recordFacts } from "../../../db/ledger.ts";
import { event, fact, keySpending, subscription } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { expireOrder } from "../../../trade/orders/unfunded-expiry.ts";
import { renewSubscription } from "../../../trade/subscriptions/renewal.ts";
import { expectStatus, publishService, type Session } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  expectRefusal,
  indexer,
  type Market,
  place,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;
let key: Awaited<ReturnType<typeof makeKey>>;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());
beforeEach(async () => {
  key = await makeKey({});
});

const input = { input_payload: { text: "Guten Tag" } };

/** A key of the buyer's with these limits. The market's service costs 2.5. */
async function makeKey(limits: Record<string, unknown>, session: Session = market.buyer) {
  const scopes = ["orders:read", "orders:write", "subscriptions:read"];
  const body = { name: "agent", scopes, limits };
  const made = expectStatus(
    201,
    await market.api.request("POST", "/api-keys", { token: session.token, body }),
  );
  const asKey = { ...session, token: made.token as string };
  return {
    id: made.id as string,
    asKey,
    buy: (more: Record<string, unknown> = {}) =>
      ask(market, asKey, "POST", "/orders", { service_id: market.service.id, ...input, ...more }),
    get: (path: string) => ask(market, asKey, "GET", path),
    limit: async (changed: Record<string, unknown>) =>
      expectStatus(
        200,
        await market.api.request("PATCH", `/api-keys/${made.id}`, {
          token: session.token,
          body: { limits: changed },
        }),
      ),
    spend: async () => expectStatus(200, await ask(market, asKey, "GET", "/me/spend")).items[0],
  };
}

/** Expires the order as the worker does. */
const expire = (id: string) =>
  inTransaction(market.api.db, (tx) => expireOrder(tx, id, { number: 1n, timestamp: 1n }));

const decide = (id: string, decision: "approve" | "refuse", who: Session = market.buyer) =>
  ask(market, who, "POST", `/orders/${id}/approval`, { decision });

const eventsOf = (accountId: string, type: string) =>
  market.api.db
    .select()
    .from(event)
    .where(and(eq(event.accountId, accountId), eq(event.type, type)));

describe("concurrent requests", () => {
  test("of 50 orders never exceed a daily sum or number, and all are counted", async () => {
    await key.limit({ per_day: "30", per_month: "25" });
    const counted = await makeKey({ max_open_orders: 7 });
    const tell = async ({ buy }: typeof key) => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => buy()));
      return {
        placed: answers.filter(({ status }) => status === 201).length,
        refused: answers.filter(({ body }) => body.error?.code === "spend_limit_exceeded").length,
      };
    };
    expect(await tell(key)).toEqual({ placed: 10, refused: 40 });
    expect(await tell(counted)).toEqual({ placed: 7, refused: 43 });
    expect(await key.spend()).toMatchObject({
      day: { spent: "25.000000", left: "5.000000" },
      month: { spent: "25.000000", limit: "25.000000", left: "0.000000" },
      open_orders: { count: 10, limit: null },
    });
    expect((await counted.spend()).open_orders).toEqual({ count: 7, limit: 7, left: 0 });
  });

  test("count a repeated request once, and count spending without a limit too", async () => {
    await key.limit({ per_day: "5" });
    const headers = { "idempotency-key": "once" };
    const body = { service_id: market.service.id, ...input };
    const write = () => ask(market, key.asKey, "POST", "/orders", body, { headers });
    const [first, second] = [await write(), await write()];
    expect(expectStatus(201, second).id).toBe(expectStatus(201, first).id);
    // Spending is counted before a limit is set.
    await key.limit({ per_day: null });
    expectStatus(201, await key.buy());
    await key.limit({ per_day: "7" });
    await expectRefusal(market, () => key.buy(), 403, "spend_limit_exceeded");
    expect((await key.spend()).day).toMatchObject({ spent: "5.000000", left: "2.000000" });
  });

  test("for orders and for payments of others' orders never exceed a limit", async () => {
    await key.limit({ per_day: "12.5" });
    const others = await Promise.all(Array.from({ length: 6 }, () => place(market)));
    const answers = await Promise.all([
      ...others.flatMap(({ id }) => [0, 1].map(() => key.get(`/orders/${id}/payment-instructions`))),
      ...Array.from({ length: 6 }, () => key.buy()),
    ]);
    const passed = answers.filter(({ body }) => body.error?.code === "spend_limit_exceeded").length;
    expect(passed).toBeGreaterThan(0);
    expect(answers.every(({ status }) => [200, 201, 403].includes(status))).toBe(true);
    expect((await key.spend()).day).toMatchObject({ spent: "12.500000", left: "0.000000" });
    expect(await market.api.db.$count(keySpending, eq(keySpending.keyId, key.id))).toBe(5);
  });
});

describe("each limit", () => {
  test("refuses with the limit, the spent and the requested amount, and writes nothing", async () => {
    const tomorrow = new Date(Math.ceil((Date.now() + 1) / 86_400_000) * 86_400_000).toISOString();
    const other = "agt_01jd3w8x2mfhz8w9q4t6n5k7ra";
    for (const [limits, refusal] of [
      [{ per_order: "2.4" }, { limit: "per_order", allowed: "2.400000", spent: null, resets_at: null }],
      [{ per_day: "2.499999" }, { limit: "per_day", spent: "0.000000", resets_at: tomorrow }],
      [
        { per_day: "5", per_month: "0" },
        { limit: "per_month", allowed: "0.000000", resets_at: expect.any(String) },
      ],
      [
        { max_open_orders: 0 },
        { limit: "max_open_orders", allowed: "0", spent: "0", asked: "1", resets_at: null },
      ],
      [{ agents: [other] }, { limit: "agents", allowed: null, asked: null }],
      [{ services: ["svc_01jd3w8x2mfhz8w9q4t6n5k7ra"] }, { limit: "services" }],
      [{ assets: ["OTHER", `0x${"1".repeat(40)}`] }, { limit: "assets" }],
    ] as const) {
      key = await makeKey(limits);
      const error = await expectRefusal(market, () => key.buy(), 403, "spend_limit_exceeded");
      expect(error.spend_limit).toMatchObject(refusal);
      expect(error.spend_limit.currency).toBe(market.chain.token.symbol);
    }
    const { token } = market.chain;
    key = await makeKey({
      per_order: "2.5",
      agents: [market.agent.id, other],
      services: [market.service.id],
      assets: [token.address.toLowerCase()],
    });
    expectStatus(201, await key.buy());
    await key.limit({ assets: [token.symbol] });
    expectStatus(201, await key.buy());
  });

  test("applies to accepted quotes, and to a subscription and each of its periods, which then has no order", async () => {
    const { api, buyer, provider } = market;
    const request = { title: "A text", description: "Translate it.", tags: ["japanese"] };
    const { id: requestId } = expectStatus(201, await ask(market, buyer, "POST", "/requests", request));
    const offer = {
      agent_slug: market.agent.slug,
      service_id: market.service.id,
      price: "9",
      delivery_time_hours: 24,
    };
    const quote = expectStatus(
      201,
      await ask(market, provider, "POST", `/requests/${requestId}/quotes`, offer),
    );
    await key.limit({ per_order: "8.9" });
    const accept = () => ask(market, key.asKey, "POST", `/quotes/${quote.id}/accept`, input);
    await expectRefusal(market, accept, 403, "spend_limit_exceeded");
    await key.limit({ per_order: null });
    const accepted = expectStatus(201, await accept());
    expect((await key.spend()).day.spent).toBe("9.000000");

    const { service: plan } = await publishService(api, provider, {
      pricing_model: "subscription",
      interval: "week",
    });
    const subscribe = () =>
      ask(market, key.asKey, "POST", "/subscriptions", { service_id: plan.id, input_payload: {} });
    await key.limit({ per_day: "11" });
    await expectRefusal(market, subscribe, 403, "spend_limit_exceeded");
    await key.limit({ per_day: "12" });
    const { id } = expectStatus(201, await subscribe());
    const due = () =>
      api.db
        .update(subscription)
        .set({ nextOrderAt: new Date(1000) })
        .where(eq(subscription.id, id));
    const renew = () => inTransaction(api.db, (tx) => renewSubscription(tx, api.context, id));
    await due();
    expect(await renew()).toEqual({ subscriptionId: id, passedOver: true });
    const [renewal, ...more] = await eventsOf(buyer.accountId, "subscription.renewal_refused");
    expect(more).toEqual([]);
    expect(renewal?.data).toMatchObject({
      subscription_id: id,
      key_id: key.id,
      reason: expect.stringContaining("11.500000"),
    });

    // With room in the limit, the next period has its order although the key is revoked: its limits still
    // apply.
    await expire(accepted.id);
    expectStatus(200, await api.request("DELETE", `/api-keys/${key.id}`, buyer));
    await due();
    const renewed = await renew();
    if (!renewed || !("placed" in renewed)) throw new Error(`Not renewed: ${JSON.stringify(renewed)}`);
    const counted = await api.db.select().from(keySpending).where(eq(keySpending.keyId, key.id));
    expect(counted.map(({ orderId }) => orderId)).toContain(renewed.placed.orderId);
  });

  test("applies to the key that pays another's order, once for a key, also by x402", async () => {
    const dear = await place(market, { quantity: 1 });
    const byX402 = await place(market, { settlement_rail: "x402" });
    await key.limit({ per_order: "2" });
    const instructions = `/orders/${dear.id}/payment-instructions`;
    const pay = () => ask(market, key.asKey, "POST", `/orders/${byX402.id}/payment`);
    await expectRefusal(market, () => key.get(instructions), 403, "spend_limit_exceeded");
    await expectRefusal(market, pay, 403, "spend_limit_exceeded");
    const fund = async () => {
      const { actions } = expectStatus(200, await key.get(`/orders/${dear.id}/settlement-options`));
      return actions.find(({ action }: { action: string }) => action === "fund");
    };
    expect(await fund()).toMatchObject({ available: false, call: null });

    await key.limit({ per_order: "2.5", per_day: "5" });
    for (let times = 0; times < 2; times += 1) {
      expectStatus(200, await key.get(instructions));
      expectStatus(402, await pay());
    }
    expect((await fund()).call).not.toBeNull();
    expect(await key.spend()).toMatchObject({ day: { spent: "5.000000" }, open_orders: { count: 0 } });
    await expectRefusal(market, () => key.buy(), 403, "spend_limit_exceeded");
    await expire(dear.id);
    expect((await key.spend()).day.spent).toBe("2.500000");
    // The session of the owner has no limits.
    expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${byX402.id}/payment-instructions`));
  });
});

describe("a refunded amount", () => {
  test("is given back on expiry and refund, and counts again after a reorganisation", async () => {
    const { db } = market.api;
    const [unpaid, split, kept] = [await key.buy(), await key.buy(), await key.buy()].map(({ body }) => body);
    const spent = async () => (await key.spend()).day.spent;
    const open = async () => (await key.spend()).open_orders.count;
    expect([await spent(), await open()]).toEqual(["7.500000", 3]);
    await expire(unpaid.id);
    expect([await spent(), await open()]).toEqual(["5.000000", 2]);

    const row = await rowOf(market, split.id);
    await indexer(market, row).funded();
    await indexer(market, row).ended("Refunded", 1_000_000n);
    await indexer(market, row).ended("Released", row.amount - 1_000_000n);
    await settleNow(market);
    expect([await spent(), await open()]).toEqual(["4.000000", 1]);

    // A reorganisation removes the refund, and another refund comes.
    const revert = async (type: string) => {
      const [gone] = await db
        .select()
        .from(fact)
        .where(and(eq(fact.orderId, split.id), eq(fact.type, type)));
      if (!gone) throw new Error(`There is no ${type}.`);
      await inTransaction(db, async (tx) => {
        const locked = await lockOrder(tx, split.id);
        if (!locked) throw new Error("The order is not there.");
        const key = `${gone.id}:reverted`;
        const data = { fact_id: gone.id };
        await recordFacts(tx, locked, [
          { type: "fact.reverted", actor: "service", key, occurredAt: new Date(), data },
        ]);
      });
    };
    await revert("order.refunded");
    expect([await spent(), await open()]).toEqual(["5.000000", 1]);
    await revert("order.released");
    expect([await spent(), await open()]).toEqual(["5.000000", 2]);

    // An order that expired here and was paid on the chain counts.
    await indexer(market, await rowOf(market, unpaid.id)).funded();
    await settleNow(market);
    expect([await spent(), await open()]).toEqual(["7.500000", 3]);
    const sums = await ask(market, market.buyer, "GET", "/me/spend");
    expect(expectStatus(200, sums).items).toContainEqual(await key.spend());
    expect(kept.approval).toBeNull();
  });
});

describe("an order above what its key may spend by itself", () => {
  const waiting = async () =>
    expectStatus(200, await ask(market, market.buyer, "GET", "/orders?approval=pending")).items.map(
      ({ id }: { id: string }) => id,
    );

  test("waits, cannot be paid until an owner approves it, and only the buyer gets its event", async () => {
    const { buyer, provider } = market;
    await key.limit({ approval_above: "2.499999", per_day: "5" });
    const order = expectStatus(201, await key.buy());
    expect(order).toMatchObject({
      status: "created",
      approval: { status: "pending", requested_at: expect.any(String), decided_at: null, decided_by: null },
    });
    const x402 = expectStatus(201, await key.buy({ settlement_rail: "x402" }));
    await expectRefusal(market, () => key.buy(), 403, "spend_limit_exceeded");
    expect(await waiting()).toEqual([x402.id, order.id]);
    for (const who of [key.asKey, buyer]) {
      const path = `/orders/${order.id}/payment-instructions`;
      const refused = await expectRefusal(
        market,
        () => ask(market, who, "GET", path),
        403,
        "approval_required",
      );
      expect(refused.message).toContain(`/orders/${order.id}/approval`);
      const pay = () => ask(market, who, "POST", `/orders/${x402.id}/payment`);
      await expectRefusal(market, pay, 403, "approval_required");
    }
    await expectRefusal(market, () => decide(order.id, "approve", key.asKey), 403, "insufficient_scope");
    await expectRefusal(market, () => decide(order.id, "approve", provider), 409, "invalid_state");
    await expectRefusal(market, () => decide(order.id, "approve", market.outsider), 404, "not_found");

    expect(expectStatus(200, await decide(order.id, "approve")).approval).toMatchObject({
      status: "approved",
      decided_by: buyer.accountId,
    });
    expectStatus(200, await key.get(`/orders/${order.id}/payment-instructions`));
    await expectRefusal(market, () => decide(order.id, "refuse"), 409, "invalid_state");
    expect(expectStatus(200, await decide(x402.id, "refuse")).approval.status).toBe("refused");
    await expectRefusal(
      market,
      () => ask(market, key.asKey, "POST", `/orders/${x402.id}/payment`),
      409,
      "invalid_state",
    );
    // Its amount is given back, and so is its slot among the open orders.
    expect(await key.spend()).toMatchObject({ day: { left: "2.500000" }, open_orders: { count: 1 } });
    expect(await waiting()).toEqual([]);

    const types = ["order.approval_requested", "order.approved", "order.approval_refused"];
    const countEvents = async (accountId: string) =>
      Promise.all(types.map(async (type) => (await eventsOf(accountId, type)).length));
    expect(await countEvents(buyer.accountId)).toEqual([2, 1, 1]);
    expect(await countEvents(provider.accountId)).toEqual([0, 0, 0]);
    const trail = async (who: Session) => {
      const { items } = expectStatus(200, await ask(market, who, "GET", `/orders/${order.id}/events`));
      return items.map(({ type }: { type: string }) => type);
    };
    expect(await trail(buyer)).toEqual(["order.created", "order.approval_requested", "order.approved"]);
    expect(await trail(provider)).toEqual(["order.created"]);
    expect(expectStatus(200, await ask(market, provider, "GET", `/orders/${order.id}`)).approval).toBeNull();
  });

  test("lapses when it expires, or when a wallet pays it on the chain, which decides", async () => {
    await key.limit({ approval_above: "0" });
    const [first, second] = [expectStatus(201, await key.buy()), expectStatus(201, await key.buy())];
    await expire(first.id);
    await indexer(market, await rowOf(market, second.id)).funded();
    await settleNow(market);
    for (const [id, status] of [
      [first.id, "expired"],
      [second.id, "funded"],
    ]) {
      expect(expectStatus(200, await key.get(`/orders/${id}`))).toMatchObject({
        status,
        approval: { status: "lapsed" },
      });
      await expectRefusal(market, () => decide(id, "approve"), 409, "invalid_state");
    }
    expect((await key.spend()).day.spent).toBe("2.500000");
    expect(await waiting()).toEqual([]);
  });

  test("is decided once when requests race; an order that waits for no approval can be approved for a key to pay", async () => {
    await key.limit({ approval_above: "1" });
    const order = expectStatus(201, await key.buy());
    const answers = await Promise.all([
      decide(order.id, "approve"),
      decide(order.id, "refuse"),
      decide(order.id, "refuse"),
      expire(order.id),
    ]);
    const decided = answers.filter((one) => typeof one !== "boolean" && one.status === 200);
    expect(decided.length).toBeLessThanOrEqual(1);

    const placed = await place(market);
    const path = `/orders/${placed.id}/payment-instructions`;
    await expectRefusal(market, () => key.get(path), 403, "approval_required");
    await expectRefusal(market, () => decide(placed.id, "refuse"), 409, "invalid_state");
    const { approval } = expectStatus(200, await decide(placed.id, "approve"));
    expect(approval).toMatchObject({ status: "approved", requested_at: null });
    expectStatus(200, await key.get(path));
  });
});
