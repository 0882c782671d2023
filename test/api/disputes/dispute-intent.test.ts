import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { event } from "../../../db/schema.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import {
  ask,
  countRows,
  createMarket,
  expectRefusal,
  indexer,
  type Market,
  place,
  placeDelivered,
  placeFunded,
  placeStarted,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;

beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market.api.close());

const reason = "Half of the text is not translated.";
const signal = (id: string, who = market.buyer, body: unknown = { reason }) =>
  ask(market, who, "POST", `/orders/${id}/dispute-intent`, body);

async function intentsOf(id: string, who = market.buyer): Promise<Answer["body"][]> {
  const { items } = expectStatus(200, await ask(market, who, "GET", `/orders/${id}/events`));
  return items.filter(({ type }: { type: string }) => type === "order.dispute_intent");
}

describe("POST /orders/{id}/dispute-intent", () => {
  test.each([
    ["funded", placeFunded],
    ["started", placeStarted],
    ["delivered", placeDelivered],
  ] as const)(
    "is 200 for either party while the order is %s, and changes only the trail",
    async (status, placeIt) => {
      const { id } = await placeIt(market);
      const before = await rowOf(market, id);
      for (const who of [market.provider, market.buyer]) {
        expect(expectStatus(200, await signal(id, who))).toMatchObject({ id, status });
      }
      expect(await rowOf(market, id)).toEqual(before);
      for (const who of [market.buyer, market.provider]) {
        expect((await intentsOf(id, who)).map(({ actor, data }) => ({ actor, data }))).toEqual([
          { actor: "provider", data: { reason } },
          { actor: "buyer", data: { reason } },
        ]);
      }
      const events = await market.api.db
        .select()
        .from(event)
        .where(and(eq(event.orderId, id), eq(event.type, "order.dispute_intent")));
      expect(events).toHaveLength(4);
      for (const { data } of events) {
        expect(data).toMatchObject({ order: { id, status }, entry: { data: { reason } } });
      }
    },
  );

  test("does not block the provider, the buyer or the chain", async () => {
    const { id, row } = await placeStarted(market);
    expectStatus(200, await signal(id));
    const output_payload = { translation: "Good day" };
    const path = `/orders/${id}`;
    expectStatus(200, await ask(market, market.provider, "POST", `${path}/deliver`, { output_payload }));
    expectStatus(200, await ask(market, market.buyer, "POST", `${path}/revision`, { reason }));
    await indexer(market, row).ended("Released");
    await settleNow(market);
    expect((await rowOf(market, id)).status).toBe("released");
  });

  test("is 200 for the same reason again, without a second event, even after the end", async () => {
    const { id, row } = await placeFunded(market);
    expectStatus(200, await signal(id));
    const before = await countRows(market);
    expect(expectStatus(200, await signal(id)).status).toBe("funded");
    expect(await countRows(market)).toEqual(before);
    await indexer(market, row).ended("Refunded");
    await settleNow(market);
    expect(expectStatus(200, await signal(id)).status).toBe("refunded");
    expect(await intentsOf(id)).toHaveLength(1);
  });

  test("is 409 for another reason of the same party, and the first one stays", async () => {
    const { id } = await placeFunded(market);
    expectStatus(200, await signal(id));
    await expectRefusal(
      market,
      () => signal(id, market.buyer, { reason: "Another." }),
      409,
      "conflict",
      "first reason cannot be changed",
    );
    expectStatus(200, await signal(id, market.provider, { reason: "Another." }));
    expect((await intentsOf(id)).map(({ data }) => data.reason)).toEqual([reason, "Another."]);
  });

  test("is 409 before the funding and after the end", async () => {
    const { id: created } = await place(market);
    for (const who of [market.buyer, market.provider]) {
      await expectRefusal(market, () => signal(created, who), 409, "invalid_state", "The order is created");
    }
    for (const name of ["Released", "Refunded"] as const) {
      const { id, row } = await placeFunded(market);
      await indexer(market, row).ended(name);
      await settleNow(market);
      const status = `The order is ${name.toLowerCase()}`;
      for (const who of [market.buyer, market.provider]) {
        await expectRefusal(market, () => signal(id, who), 409, "invalid_state", status);
      }
    }
  });

  test("leaves one intent of each party when many requests race", async () => {
    const { id } = await placeFunded(market);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => signal(id, index % 2 ? market.buyer : market.provider)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await intentsOf(id)).map(({ actor }) => actor).sort()).toEqual(["buyer", "provider"]);
  });

  test.each([
    [{}],
    [{ reason: "" }],
    [{ reason: " \t" }],
    [{ reason: ["a list"] }],
    [{ reason: "x".repeat(2001) }],
    [{ reason: "\ud800" }],
    [{ reason, extra: true }],
  ])("is 400 for %j", async (body) => {
    const { id } = await placeFunded(market);
    await expectRefusal(market, () => signal(id, market.buyer, body), 400, "invalid_request");
  });
});
