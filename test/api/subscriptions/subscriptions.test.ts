import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { order, subscription, subscriptionOrder } from "../../../db/schema.ts";
import { renewSubscriptions } from "../../../jobs/subscriptions/renew.ts";
import { createKey, expectStatus, publishService, signIn } from "../../harness/api.ts";
import { ask, createMarket, inputSchema, type Market } from "../../harness/market/market.ts";

let market: Market;
let plan: { agent: { slug: string }; service: { id: string; slug: string } };
const input_payload = { text: "Guten Tag" };
beforeAll(async () => {
  market = await createMarket();
  plan = await publishPlan();
});
afterAll(() => market?.api.close());

const publishPlan = (fields: Record<string, unknown> = {}, who = market.provider) =>
  publishService(market.api, who, {
    pricing_model: "subscription",
    interval: "month",
    price: "20",
    input_schema: inputSchema,
    ...fields,
  });
const subscribeRaw = (body: Record<string, unknown> = {}, who = market.buyer) =>
  ask(market, who, "POST", "/subscriptions", { service_id: plan.service.id, input_payload, ...body });
const subscribe = async (body: Record<string, unknown> = {}) => expectStatus(201, await subscribeRaw(body));
const read = async (path: string, who = market.buyer) =>
  expectStatus(200, await ask(market, who, "GET", path));
const refused = (status: number, code: string) => ({ status, body: { error: { code } } });
const renew = () => renewSubscriptions(market.api.db, market.api.config, market.api.context);
const change = (id: string, fields: Partial<typeof subscription.$inferInsert>) =>
  market.api.db.update(subscription).set(fields).where(eq(subscription.id, id));
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const ordersOf = async (id: string) => (await read(`/subscriptions/${id}/orders`)).items;

describe("subscribing", () => {
  test("places the first order at once, unfunded, and shows the time of the next", async () => {
    const made = await subscribe();
    expect(made).toMatchObject({
      your_role: "buyer",
      price: "20.000000",
      interval: "month",
      status: "active",
      periods: 1,
      ended_reason: null,
      service: { id: plan.service.id },
    });
    const first = await read(`/orders/${made.latest_order_id}`);
    expect(first).toMatchObject({ status: "created", total_amount: "20.000000", quantity: 1, input_payload });
    const [created] = (await read(`/orders/${first.id}/events`)).items;
    expect(created.data).toMatchObject({ subscription_id: made.id, period: 1 });
    const days = (Date.parse(made.next_order_at) - Date.parse(made.started_at)) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(28);
    expect(days).toBeLessThanOrEqual(31);
    expect(await read(`/subscriptions/${made.id}`, market.provider)).toEqual({
      ...made,
      your_role: "provider",
    });
  });

  test("is refused for services of other models, unknown or unpublished ones, and one's own", async () => {
    const before = await market.api.db.$count(subscription);
    expect(await subscribeRaw({ service_id: market.service.id })).toMatchObject(
      refused(409, "invalid_state"),
    );
    expect(await subscribeRaw({ service_id: "svc_01jd3w8x2mfhz8w9q4t6n5k7ra" })).toMatchObject(
      refused(404, "not_found"),
    );
    const draft = expectStatus(
      201,
      await ask(market, market.provider, "POST", `/agents/${plan.agent.slug}/services`, {
        slug: "later",
        title: "Later",
        pricing_model: "subscription",
        interval: "week",
        price: "1",
        delivery_time_hours: 1,
      }),
    );
    expect(await subscribeRaw({ service_id: draft.id })).toMatchObject(refused(404, "not_found"));
    expect(await subscribeRaw({}, market.provider)).toMatchObject(refused(409, "conflict"));
    expect(await subscribeRaw({ input_payload: { pages: 1 } })).toMatchObject(
      refused(422, "input_schema_violation"),
    );
    expect(await subscribeRaw({ quantity: 2 })).toMatchObject(refused(400, "invalid_request"));
    expect(await market.api.db.$count(subscription)).toBe(before);
  });

  test("is the only way to buy a plan: a direct order is refused and says so", async () => {
    const answer = await ask(market, market.buyer, "POST", "/orders", {
      service_id: plan.service.id,
      input_payload,
    });
    expect(answer).toMatchObject(refused(409, "subscription_required"));
  });

  test("lists plans with their interval, and only those on offer", async () => {
    const weekly = await publishPlan({ interval: "week", price: "5" });
    const paused = await publishPlan();
    expectStatus(200, await ask(market, market.provider, "POST", `/agents/${paused.agent.slug}/pause`));
    const plans = await read("/subscriptions/plans?limit=100", market.outsider);
    const ids = plans.items.map(({ id }: { id: string }) => id);
    expect(ids).toContain(plan.service.id);
    expect(ids).not.toContain(paused.service.id);
    expect(ids).not.toContain(market.service.id);
    expect(plans.total).toBe(ids.length);
    const [found] = (await read(`/subscriptions/plans?agent=${weekly.agent.slug}`)).items;
    expect(found).toMatchObject({ interval: "week", price: "5.000000", pricing_model: "subscription" });
  });

  test("is read with subscriptions:read, by its two sides only", async () => {
    const made = await subscribe();
    const key = await createKey(market.api, market.buyer, ["subscriptions:read"]);
    expectStatus(200, await market.api.request("GET", `/subscriptions/${made.id}`, { token: key }));
    const other = await createKey(market.api, market.buyer, ["orders:read"]);
    expect(await market.api.request("GET", "/subscriptions", { token: other })).toMatchObject(
      refused(403, "insufficient_scope"),
    );
    for (const path of ["", "/orders"]) {
      expect(await ask(market, market.outsider, "GET", `/subscriptions/${made.id}${path}`)).toMatchObject(
        refused(404, "not_found"),
      );
    }
    expect(await ask(market, market.outsider, "POST", `/subscriptions/${made.id}/cancel`)).toMatchObject(
      refused(404, "not_found"),
    );
    expect((await read("/subscriptions/me", market.provider)).total).toBe(0);
    expect((await read("/subscriptions", market.provider)).total).toBeGreaterThan(0);
    expect((await read("/subscriptions/me?status=cancelled&limit=1")).total).toBe(0);
  });
});

describe("each period", () => {
  test("has one order, however many workers run, at the price of its start", async () => {
    const made = await subscribe();
    const raised = { price: "99" };
    const path = `/agents/${plan.agent.slug}/services/${plan.service.slug}`;
    expectStatus(
      200,
      await market.api.request("PATCH", path, { token: market.provider.token, body: raised }),
    );
    await change(made.id, { nextOrderAt: minutesAgo(1) });
    await Promise.all([renew(), renew(), renew()]);
    const placed = await ordersOf(made.id);
    expect(placed.map(({ period }: { period: number }) => period)).toEqual([2, 1]);
    const second = await read(`/orders/${placed[0].order_id}`);
    expect(second).toMatchObject({ status: "created", total_amount: "20.000000", input_payload });
    expect(second.escrow.escrow_id).not.toBe((await read(`/orders/${placed[1].order_id}`)).escrow.escrow_id);
    expect((await read("/orders/received", market.provider)).items[0].id).toBe(second.id);
    await market.api.request("PATCH", path, { token: market.provider.token, body: { price: "20" } });
  });

  test("that passed while no worker ran has none, and the next starts on its own day", async () => {
    const made = await subscribe();
    const startedAt = minutesAgo(95 * 24 * 60);
    await change(made.id, { startedAt, nextOrderAt: minutesAgo(60 * 24 * 60) });
    await renew();
    const now = await read(`/subscriptions/${made.id}`);
    expect(now.periods).toBe(2);
    expect(Date.parse(now.next_order_at)).toBeGreaterThan(Date.now());
    expect(now.next_order_at.slice(11)).toBe(startedAt.toISOString().slice(11));
  });

  test("of a paused service has none, and the subscription continues", async () => {
    const other = await publishPlan();
    const made = await subscribe({ service_id: other.service.id });
    const act = (action: string) =>
      ask(market, market.provider, "POST", `/agents/${other.agent.slug}/${action}`);
    expectStatus(200, await act("pause"));
    await change(made.id, { nextOrderAt: minutesAgo(1) });
    await renew();
    expect(await read(`/subscriptions/${made.id}`)).toMatchObject({ status: "active", periods: 1 });
    expectStatus(200, await act("publish"));
    await change(made.id, { nextOrderAt: minutesAgo(1) });
    await renew();
    expect((await read(`/subscriptions/${made.id}`)).periods).toBe(2);
  });

  test("of a retired service ends the subscription as withdrawn", async () => {
    const other = await publishPlan();
    const made = await subscribe({ service_id: other.service.id });
    expectStatus(200, await ask(market, market.provider, "POST", `/agents/${other.agent.slug}/retire`));
    await change(made.id, { nextOrderAt: minutesAgo(1) });
    await renew();
    const ended = await read(`/subscriptions/${made.id}`);
    expect(ended).toMatchObject({
      status: "ended",
      ended_reason: "withdrawn",
      next_order_at: null,
      periods: 1,
    });
    expect(ended.ended_at).not.toBeNull();
  });

  test("whose input the service now refuses ends the subscription", async () => {
    const other = await publishPlan();
    const made = await subscribe({ service_id: other.service.id });
    const path = `/agents/${other.agent.slug}/services/${other.service.slug}`;
    const stricter = { input_schema: { type: "object", required: ["language"] } };
    expectStatus(
      200,
      await market.api.request("PATCH", path, { token: market.provider.token, body: stricter }),
    );
    await change(made.id, { nextOrderAt: minutesAgo(1) });
    await renew();
    expect(await read(`/subscriptions/${made.id}`)).toMatchObject({
      status: "ended",
      ended_reason: "input_refused",
    });
  });

  test("unpaid for the third time ends the subscription, not earlier", async () => {
    const made = await subscribe();
    const again = async () => {
      const ids = (await ordersOf(made.id)).map(({ order_id }: { order_id: string }) => order_id);
      for (const id of ids)
        await market.api.db.update(order).set({ status: "expired" }).where(eq(order.id, id));
      await change(made.id, { nextOrderAt: minutesAgo(1) });
      await renew();
      return read(`/subscriptions/${made.id}`);
    };
    expect(await again()).toMatchObject({ status: "active", periods: 2 });
    expect(await again()).toMatchObject({ status: "active", periods: 3 });
    expect(await again()).toMatchObject({ status: "ended", ended_reason: "unpaid", periods: 3 });
  });

  test("is all or nothing: an order that cannot be written leaves the subscription unchanged", async () => {
    const made = await subscribe();
    // A concurrent writer of period 2 wins.
    const [first] = await ordersOf(made.id);
    await market.api.db
      .update(subscriptionOrder)
      .set({ period: 2 })
      .where(eq(subscriptionOrder.orderId, first.order_id));
    await change(made.id, { nextOrderAt: minutesAgo(1) });
    const before = await market.api.db.$count(order);
    await expect(renew()).rejects.toThrow();
    expect(await market.api.db.$count(order)).toBe(before);
    expect((await read(`/subscriptions/${made.id}`)).periods).toBe(1);
    await change(made.id, { status: "cancelled" });
  });
});

describe("cancelling", () => {
  test.each(["buyer", "provider"] as const)(
    "by the %s ends the subscription for good, and its orders stay",
    async (side) => {
      const made = await subscribe();
      for (let again = 0; again < 2; again += 1) {
        const path = `/subscriptions/${made.id}/cancel`;
        const cancelled = expectStatus(200, await ask(market, market[side], "POST", path));
        expect(cancelled).toMatchObject({ status: "cancelled", next_order_at: null });
      }
      await change(made.id, { nextOrderAt: minutesAgo(1) });
      await renew();
      expect(await read(`/subscriptions/${made.id}`)).toMatchObject({ status: "cancelled", periods: 1 });
      expect((await read(`/orders/${made.latest_order_id}`)).status).toBe("created");
    },
  );
});

test("the worker renews many due subscriptions", async () => {
  const busy = await signIn(market.api);
  const ids = [];
  for (let index = 0; index < 12; index += 1) {
    ids.push(expectStatus(201, await subscribeRaw({}, busy)).id as string);
  }
  for (const id of ids) await change(id, { nextOrderAt: minutesAgo(1) });
  await Promise.all([renew(), renew()]);
  const { items } = await read("/subscriptions/me?limit=100", busy);
  expect(items.map(({ periods }: { periods: number }) => periods)).toEqual(ids.map(() => 2));
});
