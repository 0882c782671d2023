import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { event } from "../../../db/schema.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import {
  ask,
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

const reason = "The second paragraph is missing.";
const revise = (id: string, body: unknown = { reason }, who = market.buyer) =>
  ask(market, who, "POST", `/orders/${id}/revision`, body);
const deliver = (id: string, translation: string) =>
  ask(market, market.provider, "POST", `/orders/${id}/deliver`, { output_payload: { translation } });

async function trailOf(id: string, who = market.provider): Promise<Answer["body"][]> {
  return expectStatus(200, await ask(market, who, "GET", `/orders/${id}/events`)).items;
}

describe("POST /orders/{id}/revision", () => {
  test("is 200: the order is started again, and both parties get the reason", async () => {
    const { id } = await placeDelivered(market);
    const before = await rowOf(market, id);
    const answer = await revise(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status: "started", completed_at: null });
    for (const who of [market.buyer, market.provider]) {
      expect((await trailOf(id, who)).at(-1)).toMatchObject({
        type: "order.revision_requested",
        actor: "buyer",
        data: { reason },
      });
    }
    const rows = await market.api.db.select().from(event).where(eq(event.orderId, id));
    const events = rows.filter(({ type }) => type === "order.revision_requested");
    expect(events.map(({ accountId }) => accountId).sort()).toEqual(
      [market.buyer.accountId, market.provider.accountId].sort(),
    );
    expect(events[0]?.data).toMatchObject({
      order: { id, status: "started" },
      entry: { data: { reason } },
    });
    expect(await rowOf(market, id)).toEqual({ ...before, status: "started", acceptanceEndsAt: null });
  });

  test("lets the provider deliver again, and the new output replaces the old one", async () => {
    const { id } = await placeDelivered(market, { translation: "Good" });
    expectStatus(200, await revise(id));
    const again = expectStatus(200, await deliver(id, "Good day"));
    expect(again).toMatchObject({ status: "delivered", output_payload: { translation: "Good day" } });
    const deliveries = (await trailOf(id)).filter(({ type }) => type === "order.delivered");
    expect(deliveries.map(({ data }) => data.output_hash)).toEqual(
      ["Good", "Good day"].map((translation) => digestOf({ translation })),
    );
  });

  test("does not move auto-release, nor does the second delivery's record", async () => {
    const { id, row } = await placeDelivered(market, { translation: "Good" });
    const chain = indexer(market, row);
    await chain.delivered(digestOf({ translation: "Good" }));
    await settleNow(market);
    const recorded = await rowOf(market, id);
    expect(recorded.autoReleaseAt).not.toBeNull();
    const answer = expectStatus(200, await revise(id));
    expect(answer.auto_release_at).toBe(recorded.autoReleaseAt?.toISOString());
    expect(answer.acceptance_ends_at).toBeNull();
    expect(answer.delivery_deadline).toBe(recorded.deliveryDeadline?.toISOString());
    const again = expectStatus(200, await deliver(id, "Good day"));
    expect(Date.parse(again.acceptance_ends_at)).toBe(
      Date.parse(again.delivered_at) + row.acceptanceWindow * 1000,
    );
    await chain.delivered(digestOf({ translation: "Good day" }), 2);
    await settleNow(market);
    expect(await rowOf(market, id)).toMatchObject({
      status: "delivered",
      autoReleaseAt: recorded.autoReleaseAt,
    });
  });

  test("leaves the money releasable while the work is under revision", async () => {
    const { id, row } = await placeDelivered(market);
    expectStatus(200, await revise(id));
    await indexer(market, row).ended("Released");
    await settleNow(market);
    expect((await rowOf(market, id)).status).toBe("released");
    await expectRefusal(market, () => deliver(id, "late"), 409, "invalid_state", "The order is released");
  });

  test("is 409 a second time, at once and after another delivery", async () => {
    const { id } = await placeDelivered(market);
    expectStatus(200, await revise(id));
    await expectRefusal(market, () => revise(id), 409, "invalid_state", "The order is started");
    expectStatus(200, await deliver(id, "Good day"));
    await expectRefusal(
      market,
      () => revise(id),
      409,
      "invalid_state",
      "A revision was already requested: a buyer may request only one.",
    );
  });

  test("is 409 at any other status", async () => {
    const { id: created } = await place(market);
    await expectRefusal(market, () => revise(created), 409, "invalid_state", "The order is created");
    const { id: funded } = await placeFunded(market);
    await expectRefusal(market, () => revise(funded), 409, "invalid_state", "The order is funded");
    const { id: started } = await placeStarted(market);
    await expectRefusal(market, () => revise(started), 409, "invalid_state", "The order is started");
    for (const name of ["Released", "Refunded"] as const) {
      const { id, row } = await placeDelivered(market);
      await indexer(market, row).ended(name);
      await settleNow(market);
      const status = `The order is ${name.toLowerCase()}`;
      await expectRefusal(market, () => revise(id), 409, "invalid_state", status);
    }
  });

  test("is 409 for the provider", async () => {
    const { id } = await placeDelivered(market);
    await expectRefusal(
      market,
      () => revise(id, { reason }, market.provider),
      409,
      "invalid_state",
      "Only the buyer can ask for a revision",
    );
  });

  test("accepts one of many requests that race", async () => {
    const { id } = await placeDelivered(market);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => revise(id, { reason: `Reason ${index}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const requests = (await trailOf(id)).filter(({ type }) => type === "order.revision_requested");
    expect(requests).toHaveLength(1);
  });

  test.each([
    [{}],
    [{ reason: "" }],
    [{ reason: "  \n " }],
    [{ reason: 7 }],
    [{ reason: null }],
    [{ reason: "x".repeat(2001) }],
    [{ reason: "\u0000" }],
    [{ reason, extra: true }],
  ])("is 400 for %j", async (body) => {
    const { id } = await placeDelivered(market);
    await expectRefusal(market, () => revise(id, body), 400, "invalid_request");
  });

  test("stores a reason of 2000 characters, trimmed", async () => {
    const { id } = await placeDelivered(market);
    const longest = "é".repeat(2000);
    expectStatus(200, await revise(id, { reason: `  ${longest}\n` }));
    expect((await trailOf(id)).at(-1)?.data.reason).toBe(longest);
  });
});
