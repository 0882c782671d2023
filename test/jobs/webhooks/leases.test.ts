import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { webhookDelivery } from "../../../db/schema.ts";
import { claimDeliveries, hasDueDelivery, returnClaims } from "../../../jobs/webhooks/claim.ts";
import { type DeliverBench, startDeliverBench } from "../../harness/jobs/deliveries.ts";

const pace = { hostPerSecond: 1000, accountPerSecond: 1000, trialSeconds: 1 };
const room = {
  ...{ slots: 100, slowSlots: 10, otherwise: 100, mostOfHost: 100, mostOfAccount: 100 },
  ...{ byEndpoint: new Map<string, number>(), heldByHost: new Map<string, number>(), slow: [] },
};

let bench: DeliverBench;
let endpoint: Awaited<ReturnType<DeliverBench["addEndpoint"]>>;
beforeAll(async () => {
  bench = await startDeliverBench();
  endpoint = await bench.addEndpoint();
});
afterAll(() => bench?.close());

const claim = (lease: string) => claimDeliveries(bench.db, room, { lease, leaseMs: 60_000, pace });
const isDue = async () => {
  const { rows } = await bench.db.execute<{ due: boolean }>(sql`select ${hasDueDelivery} as due`);
  return rows[0]?.due;
};
const endLeases = () =>
  bench.db.update(webhookDelivery).set({ leasedUntil: sql`now() - interval '1 second'` });

test("a leased delivery is claimed by nobody until the lease is over", async () => {
  await bench.tell(3);
  const [first] = await bench.deliveries(endpoint.id);
  expect(await isDue()).toBe(true);
  expect(await claim("one")).toHaveLength(3);
  // The time at which it was due stays: an index has it.
  const [leased] = await bench.deliveries(endpoint.id);
  expect(leased).toMatchObject({ leaseOwner: "one", nextAttemptAt: first?.nextAttemptAt });

  expect(await isDue()).toBe(false);
  expect(await claim("other")).toEqual([]);
  expect(await bench.deliveries(endpoint.id)).toMatchObject([1, 2, 3].map(() => ({ leaseOwner: "one" })));

  await endLeases();
  expect(await isDue()).toBe(true);
  expect(await claim("other")).toHaveLength(3);
  expect(await isDue()).toBe(false);
});

test("a delivery that is given back is due at once", async () => {
  await bench.db
    .update(webhookDelivery)
    .set({ leaseOwner: null, leasedUntil: null, nextAttemptAt: sql`now()` });
  const claimed = await claim("one");
  expect(claimed).toHaveLength(3);
  await returnClaims(bench.db, claimed);
  expect(await claim("other")).toHaveLength(3);
});
