import { and, eq, like } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { event } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { expireOrder } from "../../../trade/orders/unfunded-expiry.ts";
import { expectStatus, type Session } from "../../harness/api.ts";
import { ask, createMarket, type Market, place } from "../../harness/market/market.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

/** A key of the buyer's. The market's service costs 2.5. */
async function makeKey(limits: Record<string, string>) {
  const scopes = ["orders:read", "orders:write", "webhooks:read"];
  const body = { name: "Scout", scopes, limits };
  const { id, token } = expectStatus(201, await ask(market, market.buyer, "POST", "/api-keys", body));
  const asKey: Session = { ...market.buyer, token };
  const change = (changed: Record<string, string>) =>
    market.api.request("PATCH", `/api-keys/${id}`, { token: market.buyer.token, body: { limits: changed } });
  const order = { service_id: market.service.id, input_payload: { text: "Guten Tag" } };
  return {
    id,
    asKey,
    limit: async (changed: Record<string, string>) => expectStatus(200, await change(changed)),
    buy: () => ask(market, asKey, "POST", "/orders", order),
  };
}

/** The events about a key, in order, as the account reads them. */
async function warningsOf(keyId: string) {
  const rows = await market.api.db
    .select()
    .from(event)
    .where(and(eq(event.accountId, market.buyer.accountId), like(event.type, "key.%")))
    .orderBy(event.seq);
  return rows.filter(({ data }) => data.key_id === keyId);
}

describe("a key's limit", () => {
  test("warns at 80 % and at its end, once for each period, with the sums", async () => {
    const key = await makeKey({ per_day: "12.5", per_month: "1000" });
    for (let orders = 0; orders < 3; orders += 1) expectStatus(201, await key.buy());
    expect(await warningsOf(key.id)).toEqual([]);
    expectStatus(201, await key.buy());
    expectStatus(201, await key.buy());
    const [near, reached, ...more] = await warningsOf(key.id);
    expect(more).toEqual([]);
    const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
    const limit = {
      key_name: "Scout",
      limit: "per_day",
      allowed: "12.500000",
      allowed_base_units: "12500000",
    };
    const links = { key: `/api/v1/api-keys/${key.id}`, spend: "/api/v1/me/spend" };
    expect([near?.type, near?.data]).toEqual([
      "key.limit_near",
      {
        chain_id: market.chain.chain_id,
        token: market.chain.token.address,
        key_id: key.id,
        ...limit,
        currency: "TUSD",
        resets_at: midnight,
        links,
        spent: "10.000000",
        spent_base_units: "10000000",
        used_percent: 80,
      },
    ]);
    expect([reached?.type, reached?.data]).toMatchObject([
      "key.limit_reached",
      { ...limit, spent: "12.500000", used_percent: 100 },
    ]);
    // A refused order warns of nothing.
    expectStatus(403, await key.buy());
    expect(await warningsOf(key.id)).toHaveLength(2);
  });

  test("warns once, also if an order's amount is given back and spent again", async () => {
    const key = await makeKey({ per_day: "3" });
    const placed = expectStatus(201, await key.buy());
    await inTransaction(market.api.db, (tx) => expireOrder(tx, placed.id, { number: 1n, timestamp: 1n }));
    expectStatus(201, await key.buy());
    expect((await warningsOf(key.id)).map(({ type }) => type)).toEqual(["key.limit_near"]);
    // Another limit is another matter.
    await key.limit({ per_day: "6.25", per_month: "5" });
    expectStatus(201, await key.buy());
    expect((await warningsOf(key.id)).map(({ type, data }) => [type, data.limit])).toEqual([
      ["key.limit_near", "per_day"],
      ["key.limit_near", "per_day"],
      ["key.limit_reached", "per_month"],
    ]);
  });

  test("warns of orders at the same time once, and of those that the key only pays", async () => {
    const key = await makeKey({ per_month: "25" });
    await Promise.all(Array.from({ length: 12 }, () => key.buy()));
    expect((await warningsOf(key.id)).map(({ type }) => type)).toEqual([
      "key.limit_near",
      "key.limit_reached",
    ]);
    const payer = await makeKey({ per_day: "3" });
    const { id } = await place(market);
    for (let times = 0; times < 2; times += 1)
      expectStatus(200, await ask(market, payer.asKey, "GET", `/orders/${id}/payment-instructions`));
    expect((await warningsOf(payer.id)).map(({ type, data }) => [type, data.used_percent])).toEqual([
      ["key.limit_near", 83],
    ]);
  });

  test("is in the feed and the notifications of the account, and of no other", async () => {
    const key = await makeKey({ per_day: "2.5" });
    expectStatus(201, await key.buy());
    const listed = async (who: Session) =>
      expectStatus(200, await ask(market, who, "GET", "/notifications?unread=true")).items.filter(
        ({ type }: { type: string }) => type === "key.limit_reached",
      );
    expect((await listed(market.buyer))[0].data.key_id).toBe(key.id);
    expect(await listed(market.provider)).toEqual([]);
    const feed = expectStatus(
      200,
      await ask(market, key.asKey, "GET", "/events?type=key.limit_reached&order=newest"),
    );
    expect(feed.items[0]).toMatchObject({ type: "key.limit_reached", data: { key_id: key.id } });
  });
});
