import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { order } from "../../../db/schema.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { ask, createMarket, type Market, place } from "../../harness/market/market.ts";

let market: Market;

beforeAll(async () => {
  market = await createMarket({ env: { ANSWER_CACHE_MB: "1" } });
});
afterAll(async () => {
  await market?.api.close();
});

const list = async (path = "/orders", who = market.buyer): Promise<Answer["body"]> =>
  expectStatus(200, await ask(market, who, "GET", path));

describe("lists of orders", () => {
  test("show each change of an order at once, to both parties", async () => {
    const placed = await place(market);
    const { input_payload: _input, output_payload: _output, ...shown } = placed;
    for (const _ of [1, 2, 3]) expect((await list()).items).toEqual([shown]);
    const now = new Date();
    const changes: Partial<typeof order.$inferInsert>[] = [
      { status: "expired" },
      { fundedAt: now },
      { reference: "E-GRÜßE" },
      { approvalStatus: "pending", approvalRequestedAt: now },
      { approvalStatus: null },
      { amount: 12_345_678n },
    ];
    for (const change of changes) {
      await market.api.db.update(order).set(change).where(eq(order.id, placed.id));
      const one = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${placed.id}`));
      const { input_payload: _in, output_payload: _out, ...changed } = one;
      for (const path of ["/orders", "/orders?limit=1", `/orders?status=${one.status}`]) {
        expect((await list(path)).items).toEqual([changed]);
      }
      expect((await list("/orders/received", market.provider)).items).toEqual([
        { ...changed, approval: null },
      ]);
    }
  });

  test("show the current total and next page", async () => {
    for (const _ of [1, 2, 3]) await place(market);
    const first = await list("/orders?limit=2");
    expect(await list("/orders?limit=2")).toEqual(first);
    await place(market);
    const whole = await list();
    expect(whole.total).toBe(first.total + 1);
    expect(whole.items.slice(1, 3)).toEqual(first.items);
    const paged = await list(`/orders?limit=2&cursor=${first.next_cursor}`);
    expect(paged.items).toEqual(whole.items.slice(3, 5));
    const withPayloads = await list("/orders?include=payloads");
    expect(withPayloads.items[0].input_payload).toEqual({ text: "Guten Tag" });
  });
});
