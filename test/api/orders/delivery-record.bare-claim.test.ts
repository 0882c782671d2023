import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { event } from "../../../db/schema.ts";
import { eventDataSchemas } from "../../../protocol/facts/event-data.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { type Court, createCourt, output, placeDisputed } from "../../harness/market/court.ts";
import {
  ask,
  indexer,
  placeDelivered,
  placeFunded,
  randomHash,
  settleNow,
} from "../../harness/market/market.ts";

let court: Court;

beforeAll(async () => {
  court = await createCourt();
});
afterAll(() => court?.api.close());

const read = async (id: string, what = "", who = court.buyer): Promise<Answer["body"]> =>
  expectStatus(200, await ask(court, who, "GET", `/orders/${id}${what}`));

/** The data of an order's events of a type, by the role of their receiver. */
async function eventsOf(orderId: string, type: string): Promise<Record<string, Answer["body"]>> {
  const rows = await court.api.db
    .select()
    .from(event)
    .where(and(eq(event.orderId, orderId), eq(event.type, type)));
  return Object.fromEntries(rows.map(({ data }) => [(data as Answer["body"]).order.your_role, data]));
}

async function noteOf(orderId: string, action: string): Promise<string | null> {
  const { actions } = await read(orderId, "/settlement-options");
  return actions.find((one: { action: string }) => one.action === action).note;
}

/** An order that was funded, and whose delivery was then recorded on the chain without one. */
async function placeClaimed() {
  const funded = await placeFunded(court);
  const chain = indexer(court, funded.row);
  const claim = randomHash();
  await chain.delivered(claim);
  await settleNow(court);
  return { ...funded, chain, claim };
}

describe("a record without a delivery", () => {
  test("is sent to both parties, and shown on the order, in its options and by reconcile", async () => {
    const { id, claim } = await placeClaimed();
    const events = await eventsOf(id, "delivery.recorded");
    expect(Object.keys(events).sort()).toEqual(["buyer", "provider"]);
    for (const data of Object.values(events)) {
      expect(eventDataSchemas["delivery.recorded"].parse(data)).toMatchObject({
        delivery_record: "unmatched",
        order: { status: "funded" },
        entry: { data: { output_hash: claim, number: 1, auto_release_at: expect.any(String) } },
      });
    }
    expect(await read(id)).toMatchObject({ status: "funded", delivery_record: "unmatched" });
    expect((await read(id, "/settlement-options")).delivery_record).toBe("unmatched");
    expect(await noteOf(id, "release")).toMatch(/bare claim.*This service does not/);
    expect(await noteOf(id, "dispute")).toContain("A dispute stops a release");
    const seen = await read(id, "/reconcile");
    expect(seen.ledger.delivery_record).toBe("unmatched");
    expect(seen.bare_claim).toContain("matches no delivery made here");
    expect(seen.differences.map(({ what }: { what: string }) => what)).not.toContain("delivery_record");
  });

  test("is shown by the options once it is indexed, before it is confirmed", async () => {
    const { id, row } = await placeFunded(court);
    await indexer(court, row).delivered(randomHash());
    expect(await read(id)).toMatchObject({ delivery_record: "none" });
    expect((await read(id, "/settlement-options")).delivery_record).toBe("unmatched");
    expect(await noteOf(id, "release")).toContain("bare claim");
  });

  test("has a receipt document and no x402 receipt when it is paid", async () => {
    const { id, chain } = await placeClaimed();
    await chain.ended("Released");
    await settleNow(court);
    const { items } = await read(id, "/receipts");
    expect(items.map((one: Answer["body"]) => [one.claim, one.x402_receipt])).toEqual([
      ["funded", null],
      ["released", null],
    ]);
  });

  test("is matched once the provider delivers the recorded output", async () => {
    const { id, row } = await placeFunded(court);
    await indexer(court, row).delivered(digestOf(output));
    await settleNow(court);
    expect((await read(id)).delivery_record).toBe("unmatched");
    const act = (what: string, body?: unknown) =>
      ask(court, court.provider, "POST", `/orders/${id}/${what}`, body);
    expectStatus(200, await act("start"));
    const delivered = expectStatus(200, await act("deliver", { output_payload: output }));
    expect(delivered.delivery_record).toBe("matched");
    expect((await read(id, "/reconcile")).bare_claim).toBeNull();
  });
});

describe("a record of a delivery", () => {
  test("is sent as matched, without a warning, and the release has its x402 receipt", async () => {
    const { id, row } = await placeDelivered(court, output);
    const chain = indexer(court, row);
    await chain.delivered(digestOf(output));
    await settleNow(court);
    expect((await eventsOf(id, "delivery.recorded")).buyer.delivery_record).toBe("matched");
    expect([await noteOf(id, "release"), await noteOf(id, "dispute")]).toEqual([null, null]);
    await chain.ended("Released");
    await settleNow(court);
    expect((await read(id, "/receipts")).items[1].x402_receipt).toContain(".");
  });

  test("is sent for the first ten, and the rest is in the trail only", async () => {
    const { id, row } = await placeDelivered(court, output);
    const chain = indexer(court, row);
    for (let number = 1; number <= 12; number += 1) await chain.delivered(randomHash(), number);
    await settleNow(court);
    const rows = await court.api.db.select().from(event).where(eq(event.orderId, id));
    const events = rows.filter(({ type }) => type === "delivery.recorded");
    expect(events).toHaveLength(20);
    const { items } = await read(id, "/events");
    const recorded = items.filter(({ type }: { type: string }) => type === "delivery.recorded");
    expect(recorded).toHaveLength(12);
  });
});

describe("a dispute allows delivery", () => {
  const deliver = (id: string, translation: string) =>
    ask(court, court.provider, "POST", `/orders/${id}/deliver`, { output_payload: { translation } });

  test("the order stays disputed after a delivery, and the arbiter gets an event", async () => {
    const { id } = await placeDisputed(court);
    const answer = expectStatus(200, await deliver(id, "Better"));
    expect(answer).toMatchObject({ status: "disputed", output_payload: { translation: "Better" } });
    const events = await eventsOf(id, "order.delivered");
    expect(events.arbiter.entry.data.output_hash).toBe(digestOf({ translation: "Better" }));
    const { evidence } = await read(id, "/dispute", court.arbiter);
    expect(evidence.bundle.deliveries).toHaveLength(2);
    const options = await read(id, "/settlement-options", court.provider);
    const record = options.actions.find((one: { action: string }) => one.action === "recordDelivery");
    expect(record).toMatchObject({ available: true, typed_data: { primaryType: "RecordDelivery" } });
    const { typed_data } = await read(id, "/delivery-record", court.provider);
    expect(typed_data.message.outputHash).toBe(digestOf({ translation: "Better" }));
  });

  test("an order that was never started accepts up to ten deliveries until a decision", async () => {
    const { id, row } = await placeFunded(court);
    const chain = indexer(court, row);
    await chain.disputed();
    await settleNow(court);
    for (let number = 1; number <= 10; number += 1) expectStatus(200, await deliver(id, `${number}`));
    const many = await deliver(id, "once more");
    expect([many.status, many.body.error.message]).toEqual([409, expect.stringContaining("the maximum")]);

    const decided = await placeDisputed(court);
    await decided.chain.decided(1n);
    await settleNow(court);
    const late = await deliver(decided.id, "Too late");
    expect([late.status, late.body.error.code]).toEqual([409, "invalid_state"]);
    expect(late.body.error.message).toContain("The dispute is decided");
  });

  test("an order cannot be started, and no revision can be requested", async () => {
    const { id } = await placeDisputed(court);
    const revision = await ask(court, court.buyer, "POST", `/orders/${id}/revision`, { reason: "More." });
    const start = await ask(court, court.provider, "POST", `/orders/${id}/start`);
    expect([revision.status, start.status]).toEqual([409, 409]);
  });
});
