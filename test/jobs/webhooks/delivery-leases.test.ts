import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { webhookDelivery } from "../../../db/schema.ts";
import { leaseDeliveries, returnLease } from "../../../jobs/webhooks/delivery-leases.ts";
import { hasDueDelivery } from "../../../jobs/webhooks/delivery-rate.ts";
import { type DeliverBench, startDeliverBench } from "../../harness/jobs/deliveries.ts";

const pace = { hostPerSecond: 1000, accountPerSecond: 1000, trialSeconds: 1 };
const room = { slots: 100, carefulSlots: 10, held: [], slow: [] };

let bench: DeliverBench;
let endpoint: Awaited<ReturnType<DeliverBench["addEndpoint"]>>;
beforeAll(async () => {
  bench = await startDeliverBench();
  endpoint = await bench.addEndpoint();
});
afterAll(() => bench?.close());

const lease = (name: string) => leaseDeliveries(bench.db, room, { lease: name, leaseMs: 60_000, pace });
const isDue = async () => {
  const { rows } = await bench.db.execute<{ due: boolean }>(sql`select ${hasDueDelivery} as due`);
  return rows[0]?.due;
};

test("a leased delivery is leased by no other worker until the lease is over", async () => {
  await bench.tell(3);
  expect(await isDue()).toBe(true);
  expect(await lease("one")).toHaveLength(3);
  expect(await isDue()).toBe(false);
  expect(await lease("other")).toEqual([]);
  expect(await bench.deliveries(endpoint.id)).toMatchObject([1, 2, 3].map(() => ({ leaseOwner: "one" })));

  await bench.db.update(webhookDelivery).set({ leasedUntil: sql`now() - interval '1 second'` });
  expect(await isDue()).toBe(true);
  expect(await lease("other")).toHaveLength(3);
});

test("a returned delivery is due again, and only its own lease can return it", async () => {
  const [given, ...others] = (await bench.deliveries(endpoint.id)).map(({ id }) => id);
  await bench.db.update(webhookDelivery).set({ leaseOwner: null, leasedUntil: null });
  const [first, ...rest] = await lease("third");
  if (!first) throw new Error("Nothing was leased.");
  expect([given, ...others]).toContain(first.id);
  await returnLease(bench.db, { ...first, lease: "one" }, 0);
  expect(await isDue()).toBe(false);
  await returnLease(bench.db, first, 0);
  expect((await lease("fourth")).map(({ id }) => id)).toEqual([first.id]);
  expect(rest).toHaveLength(2);
});

test("two concurrent leases have no delivery in common", async () => {
  await bench.db.update(webhookDelivery).set({ leaseOwner: null, leasedUntil: null });
  const leased = await Promise.all(["a", "b", "c", "d"].map(lease));
  expect(leased.flat()).toHaveLength(3);
  expect(new Set(leased.flat().map(({ id }) => id)).size).toBe(3);
});
