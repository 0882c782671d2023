import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { event, order, service } from "../../../db/schema.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, expectStatus, publishService } from "../../harness/api.ts";
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

const start = (id: string, who = market.provider) => ask(market, who, "POST", `/orders/${id}/start`);
const deliver = (id: string, body: unknown, who = market.provider) =>
  ask(market, who, "POST", `/orders/${id}/deliver`, body);
const output_payload = { translation: "Good day" };

async function eventTypes(orderId: string): Promise<string[]> {
  const rows = await market.api.db.select().from(event).where(eq(event.orderId, orderId)).orderBy(event.seq);
  return rows.filter(({ accountId }) => accountId === market.buyer.accountId).map(({ type }) => type);
}

describe("POST /orders/{id}/start", () => {
  test("is 200 for a funded order, which is then started", async () => {
    const { id } = await placeFunded(market);
    const answer = await start(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status: "started", started_at: expect.any(String) });
    expect(await eventTypes(id)).toEqual(["order.created", "order.funded", "order.started"]);
  });

  test("is 409 a second time, and at any other status", async () => {
    const { id } = await placeStarted(market);
    await expectRefusal(market, () => start(id), 409, "invalid_state", "The order is started");
    const unfunded = await place(market);
    await expectRefusal(market, () => start(unfunded.id), 409, "invalid_state", "The order is created");
  });

  test("is 409 while the funding is not confirmed", async () => {
    const { id } = await place(market);
    await indexer(market, await rowOf(market, id)).funded();
    await expectRefusal(market, () => start(id), 409, "invalid_state", "needs it to be funded");
    await settleNow(market);
    expect((await start(id)).status).toBe(200);
  });

  test("is 409 for the buyer", async () => {
    const { id } = await placeFunded(market);
    await expectRefusal(
      market,
      () => start(id, market.buyer),
      409,
      "invalid_state",
      "Only the provider can start",
    );
  });

  test("lets one of many requests that race start the order", async () => {
    const { id } = await placeFunded(market);
    const answers = await Promise.all(Array.from({ length: 6 }, () => start(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await eventTypes(id)).toEqual(["order.created", "order.funded", "order.started"]);
  });
});

describe("POST /orders/{id}/deliver", () => {
  test("is 200 with the output, whose digest the fact has", async () => {
    const { id } = await placeStarted(market);
    const answer = await deliver(id, { output_payload, note: "As asked." });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id,
      status: "delivered",
      output_payload,
      delivered_at: expect.any(String),
      auto_release_at: null,
      relay: null,
    });
    const { acceptanceWindow } = await rowOf(market, id);
    const ends = new Date(Date.parse(answer.body.delivered_at) + acceptanceWindow * 1000).toISOString();
    expect(answer.body.acceptance_ends_at).toBe(ends);
    const trail: Answer["body"] = (await ask(market, market.buyer, "GET", `/orders/${id}/events`)).body;
    expect(trail.items.at(-1)).toMatchObject({
      type: "order.delivered",
      actor: "provider",
      data: { output_hash: digestOf(output_payload), note: "As asked.", acceptance_ends_at: ends },
    });
    const events = await market.api.db.select().from(event).where(eq(event.orderId, id));
    const delivered = events.filter(({ type }) => type === "order.delivered");
    expect(delivered.map(({ data }) => data.acceptance_ends_at)).toEqual([ends, ends]);
    const asBuyer = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${id}`));
    expect(asBuyer.output_payload).toEqual(output_payload);
  });

  test("is 422 for an output that breaks the schema, with each violation, and changes nothing", async () => {
    const { id } = await placeStarted(market);
    const before = await rowOf(market, id);
    for (const bad of [{ translation: 7 }, {}, null, undefined]) {
      const error = await expectRefusal(
        market,
        () => deliver(id, { output_payload: bad }),
        422,
        "output_schema_violation",
      );
      expect(error.details.length).toBeGreaterThan(0);
    }
    const { body } = await deliver(id, { output_payload: { translation: 7 } });
    expect(body.error.details).toEqual([
      { path: "/translation", keyword: "type", message: expect.stringContaining("string") },
    ]);
    expect(await rowOf(market, id)).toEqual(before);
    expect((await deliver(id, { output_payload })).status).toBe(200);
  });

  test("checks the output against the schema frozen with the order, not a later one", async () => {
    const { id } = await placeStarted(market);
    const { db } = market.api;
    const columns = { outputSchema: { type: "object", required: ["something", "else"] } };
    await db.update(service).set(columns).where(eq(service.id, market.service.id));
    try {
      expect((await deliver(id, { output_payload })).status).toBe(200);
    } finally {
      const outputSchema = market.service.output_schema;
      await db.update(service).set({ outputSchema }).where(eq(service.id, market.service.id));
    }
  });

  test("accepts any object, or none, as output of a service without a schema", async () => {
    const published = await publishService(market.api, market.provider);
    const first = await placeStarted(market, { service_id: published.service.id });
    expect((await deliver(first.id, {})).body).toMatchObject({ status: "delivered", output_payload: null });
    const second = await placeStarted(market, { service_id: published.service.id });
    const any = { output_payload: { any: [1, { thing: null }] } };
    expect((await deliver(second.id, any)).body).toMatchObject(any);
  });

  test("is 409 before the start, a second time, and after the end", async () => {
    const body = { output_payload };
    const funded = await placeFunded(market);
    await expectRefusal(market, () => deliver(funded.id, body), 409, "invalid_state", "The order is funded");
    const delivered = await placeDelivered(market);
    await expectRefusal(
      market,
      () => deliver(delivered.id, body),
      409,
      "invalid_state",
      "The order is delivered",
    );
    const ended = await placeStarted(market);
    await indexer(market, ended.row).ended("Refunded");
    await settleNow(market);
    await expectRefusal(market, () => deliver(ended.id, body), 409, "invalid_state", "The order is refunded");
  });

  test("is 409 for the buyer", async () => {
    const { id } = await placeStarted(market);
    await expectRefusal(
      market,
      () => deliver(id, { output_payload }, market.buyer),
      409,
      "invalid_state",
      "Only the provider can deliver",
    );
  });

  test.each([
    ["output_payload", ["a list"]],
    ["output_payload", "text"],
    ["note", 7],
    ["note", "x".repeat(2001)],
    ["signature", "0x"],
    ["signature", "0x1"],
    ["signature", "nonsense"],
    ["extra", true],
  ])("is 400 for %s as %j", async (field, value) => {
    const { id } = await placeStarted(market);
    const body = { output_payload, [field]: value };
    await expectRefusal(market, () => deliver(id, body), 400, "invalid_request");
  });

  test("lets one of many requests that race deliver, and stores its output", async () => {
    const { id } = await placeStarted(market);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => deliver(id, { output_payload: { translation: `${index}` } })),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    const [row] = await market.api.db.select().from(order).where(eq(order.id, id));
    expect(row?.outputPayload).toEqual(accepted[0]?.body.output_payload);
    expect(await eventTypes(id)).toEqual([
      "order.created",
      "order.funded",
      "order.started",
      "order.delivered",
    ]);
  });
});
