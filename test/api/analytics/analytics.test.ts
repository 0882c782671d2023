import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scoreDay, webhookDay } from "../../../db/schema.ts";
import { computeRecord } from "../../../jobs/reputation/agent-records.ts";
import { removeOldRows } from "../../../jobs/retention.ts";
import { createKey, expectStatus, publishService, type Session, signIn } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  indexer,
  type Market,
  place,
  placeDelivered,
  placeFunded,
  settleNow,
} from "../../harness/market/market.ts";
import { organisationOf, refusal } from "../../harness/organisation.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const read = async (who: Session, query = "") =>
  expectStatus(200, await ask(market, who, "GET", `/analytics${query}`));
const today = () => new Date().toISOString().slice(0, 10);
const end = async (placed: { row: Parameters<typeof indexer>[1] }, as: "Released" | "Refunded") => {
  await indexer(market, placed.row).ended(as);
  await settleNow(market);
};

describe("GET /analytics", () => {
  test("has revenue, spending, conversion and deliveries, of each side its own", async () => {
    await place(market);
    await placeFunded(market);
    await end(await placeFunded(market), "Refunded");
    await end(await placeDelivered(market), "Released");
    await computeRecord(market.api.db, market.agent.id);
    const orders = { placed: 4, paid: 3, completed: 1 };
    const by_status = { created: 1, funded: 1, refunded: 1, released: 1, disputed: 0, expired: 0 };
    const token = { day: today(), chain_id: market.chain.chain_id, currency: market.chain.token.symbol };
    const sold = await read(market.provider);
    expect(sold.seller).toMatchObject({
      revenue: [{ ...token, amount: "2.500000", amount_base_units: "2500000", releases: 1 }],
      orders: { ...orders, by_status },
      // The provider refunded the third order before its deadline, so it is declined.
      delivery: { on_time: 1, late: 0, not_delivered: 0, on_time_percent: 100 },
      scores: [
        { agent: { id: market.agent.id, slug: market.agent.slug }, days: [{ day: today(), orders: 2 }] },
      ],
    });
    expect(sold.seller.delivery.median_seconds).toBeLessThan(60);
    expect(sold.buyer).toMatchObject({ spending: [], orders: { placed: 0 } });
    const bought = await read(market.buyer);
    expect(bought.buyer).toMatchObject({
      spending: [{ ...token, paid: "7.500000", paid_base_units: "7500000", refunded: "2.500000" }],
      orders: { ...orders, by_status },
    });
    expect(bought.seller).toMatchObject({ revenue: [], orders: { placed: 0 }, scores: [] });
    expect(bought.seller.delivery).toMatchObject({
      on_time_percent: null,
      median_seconds: null,
      p90_seconds: null,
    });
    expect((await read(market.outsider)).buyer.orders.placed).toBe(0);
  });

  test("has the sales of one own agent, and the days of the query alone", async () => {
    const second = await publishService(market.api, market.provider, {});
    const all = await read(market.provider);
    const one = await read(market.provider, `?agent=${market.agent.slug}`);
    expect(one.seller).toEqual(all.seller);
    const other = await read(market.provider, `?agent=${second.agent.slug}`);
    expect(other.seller).toMatchObject({ revenue: [], orders: { placed: 0 }, scores: [] });
    const past = await read(market.provider, "?since=2026-01-01&until=2026-01-31");
    expect(past).toMatchObject({ since: "2026-01-01", until: "2026-01-31" });
    expect(past.seller).toMatchObject({ revenue: [], orders: { placed: 0 }, delivery: { on_time: 0 } });
    const foreign = await ask(market, market.buyer, "GET", `/analytics?agent=${market.agent.slug}`);
    expect(refusal(foreign)).toEqual([404, "not_found"]);
  });

  test("rounds the times of deliveries up by at most a tenth, by the nearest rank", async () => {
    const seller = await signIn(market.api);
    const { agent } = await publishService(market.api, seller, {});
    const times = [1, 40, 3600, 86_400, 86_401, 90_000, 5_000_000, 31_536_000];
    for (const seconds of times) {
      await market.api.db.execute(sql`
        insert into earnest.delivery_day (account_id, day, agent_id, delivery, step, orders)
        values (${seller.accountId}, current_date, ${agent.id}, 'on_time', earnest.duration_step(${seconds}), 1)`);
    }
    const { median_seconds, p90_seconds } = (await read(seller)).seller.delivery;
    for (const [shown, real] of [
      [median_seconds, 86_400],
      [p90_seconds, 31_536_000],
    ]) {
      expect(shown).toBeGreaterThanOrEqual(real);
      expect(shown).toBeLessThan(1.1 * real);
    }
  });

  test("counts the ends of webhook deliveries, and not those of tests", async () => {
    const { db } = market.api;
    const body = { url: "https://buyer.example/hook", events: ["*"] };
    const { id } = expectStatus(201, await ask(market, market.buyer, "POST", "/webhooks", body));
    expectStatus(202, await ask(market, market.buyer, "POST", `/webhooks/${id}/test`));
    for (let at = 0; at < 3; at += 1) await place(market);
    const finish = (status: string, which: ReturnType<typeof sql>) =>
      db.execute(
        sql`update earnest.webhook_delivery set status = ${status} where endpoint_id = ${id} and ${which}`,
      );
    await finish("succeeded", sql`event_id is null`);
    await finish("failed", sql`event_id is not null`);
    await finish(
      "pending",
      sql`event_id = (select min(event_id) from earnest.webhook_delivery where endpoint_id = ${id})`,
    );
    await finish("succeeded", sql`status = 'pending'`);
    expect((await read(market.buyer)).webhooks).toEqual({ succeeded: 1, failed: 3, success_percent: 25 });
    expect((await read(market.provider)).webhooks.success_percent).toBeNull();
  });

  test("loses counts of webhooks and scores after 400 days", async () => {
    const { db } = market.api;
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    for (const day of [daysAgo(402), daysAgo(398)]) {
      await db
        .insert(webhookDay)
        .values({ accountId: market.outsider.accountId, day, succeeded: 1, failed: 0 });
      await db.insert(scoreDay).values({ agentId: market.agent.id, day, score: 500, upper: 600, orders: 1 });
    }
    expect(await removeOldRows(db)).toMatchObject({ webhookDays: 1, scoreDays: 1 });
    const range = `?since=${daysAgo(405)}&until=${daysAgo(390)}`;
    expect((await read(market.outsider, range)).webhooks.succeeded).toBe(1);
    const [history] = (await read(market.provider, range)).seller.scores;
    expect(history.days).toEqual([{ day: daysAgo(398), score: 500, upper: 600, orders: 1 }]);
  });

  test("shows a session all keys against their limits, and a key itself", async () => {
    const scopes = ["subscriptions:read"];
    const limits = { per_day: "10" };
    const body = { name: "limited", scopes, limits };
    const { token } = expectStatus(201, await ask(market, market.buyer, "POST", "/api-keys", body));
    await createKey(market.api, market.buyer, ["orders:read"]);
    const { keys } = await read(market.buyer);
    expect(keys).toHaveLength(2);
    expect(keys).toContainEqual(
      expect.objectContaining({ key_name: "limited", limits: expect.objectContaining(limits) }),
    );
    const own = expectStatus(200, await market.api.request("GET", "/analytics", { token })).keys;
    expect(own.map(({ key_name }: { key_name: string }) => key_name)).toEqual(["limited"]);
  });

  test("belongs to the organisation: a member reads it, and a removed member nothing", async () => {
    const of = organisationOf(market.api, market.provider);
    const member = await of.join("viewer");
    const ofMember = () => of.send(member, "GET", "/analytics", undefined, market.provider);
    expect(expectStatus(200, await ofMember()).seller).toEqual((await read(market.provider)).seller);
    expectStatus(200, await of.remove(member));
    expect(refusal(await ofMember())).toEqual([403, "insufficient_role"]);
    const key = await createKey(market.api, market.buyer, ["orders:read"]);
    expect(refusal(await market.api.request("GET", "/analytics", { token: key }))).toEqual([
      ...[403, "insufficient_scope"],
    ]);
  });

  test.each([
    "since=2026-02-30",
    "since=0000-01-01",
    "until=1999-12-31",
    "since=2026-11-02&until=2026-11-01",
    "since=2025-01-01&until=2026-01-02",
    "since=2026-11-01T00:00:00Z",
  ])("refuses the days %s", async (query) => {
    const answer = await ask(market, market.buyer, "GET", `/analytics?${query}`);
    expect(refusal(answer)).toEqual([400, "invalid_request"]);
  });

  test("takes at most two connections of the database at once", async () => {
    const pool = market.api.context.db.$client;
    const seen = { now: 0, most: 0 };
    const onAcquire = () => {
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
    };
    const onRelease = () => {
      seen.now -= 1;
    };
    pool.on("acquire", onAcquire).on("release", onRelease);
    try {
      await read(market.provider);
    } finally {
      pool.off("acquire", onAcquire).off("release", onRelease);
    }
    expect(seen.most).toBeGreaterThan(0);
    expect(seen.most).toBeLessThanOrEqual(2);
  });

  test("takes 366 days, the most", async () => {
    expect((await read(market.buyer, "?since=2024-01-01&until=2024-12-31")).since).toBe("2024-01-01");
  });
});
