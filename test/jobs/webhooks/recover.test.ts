import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../db/client.ts";
import {
  event,
  webhookAttempt,
  webhookDelivery,
  webhookEndpoint,
  webhookRecovery,
} from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { removeOldRows } from "../../../jobs/retention.ts";
import { recoverDeliveries } from "../../../jobs/webhooks/recover.ts";
import { queueTest, resendDelivery, startRecovery } from "../../../trade/webhooks/deliveries.ts";
import { answers, type DeliverBench, startDeliverBench } from "../../harness/jobs/deliveries.ts";
import { until } from "../../harness/jobs/ledger.ts";

let bench: DeliverBench;
beforeAll(async () => {
  bench = await startDeliverBench();
});
afterAll(() => bench?.close());

const recoveryOf = async (id: string) => {
  const [row] = await bench.db.select().from(webhookRecovery).where(eq(webhookRecovery.id, id));
  if (!row) throw new Error(`There is no recovery ${id}.`);
  return row;
};

const day = 86_400_000;
const always = { since: new Date(Date.now() - 29 * day), until: new Date(Date.now() + day) };
/** The endpoint as the API reads it for a request; later changes are seen by the worker. */
const active = ({ id }: { id: string }) => ({ id, status: "active" as const });

test("missed deliveries are queued, once, and delivered or pending ones are not", async () => {
  // It gets nothing while paused, and no event that it does not subscribe to.
  const endpoint = await bench.addEndpoint({ events: ["order.funded"], status: "paused" });
  await bench.tell(1200);
  await bench.tell(3, {}, "order.expired");
  await bench.db.update(webhookEndpoint).set({ status: "active" }).where(eq(webhookEndpoint.id, endpoint.id));
  await bench.tell(4);
  const [arrived, failed, waiting, cancelled] = await bench.deliveries(endpoint.id);
  const set = (row: typeof arrived, status: "succeeded" | "failed" | "cancelled") =>
    bench.db
      .update(webhookDelivery)
      .set({ status, attempts: 10 })
      .where(eq(webhookDelivery.id, row?.id ?? ""));
  await set(arrived, "succeeded");
  await set(failed, "failed");
  await set(cancelled, "cancelled");

  const { id, status } = await startRecovery(bench.db, active(endpoint), always, new Date());
  expect(status).toBe("running");
  // A worker that stops after a page leaves the rest to the next.
  let pages = 0;
  const stopping = {
    get aborted() {
      return pages++ > 0;
    },
  } as AbortSignal;
  await recoverDeliveries(bench.db, stopping);
  expect(await recoveryOf(id)).toMatchObject({ status: "running", total: 1204, queued: 500 });
  // Two workers at once do each page once.
  await Promise.all([recoverDeliveries(bench.db), recoverDeliveries(bench.db)]);
  await recoverDeliveries(bench.db);
  expect(await recoveryOf(id)).toMatchObject({
    status: "done",
    total: 1204,
    queued: 1202,
    finishedAt: expect.any(Date),
  });
  const rows = await bench.deliveries(endpoint.id);
  expect(rows).toHaveLength(1204);
  expect(rows.filter((row) => row.status === "succeeded").map((row) => row.id)).toEqual([arrived?.id]);
  expect(rows.filter((row) => row.status === "pending" && row.attempts === 0)).toHaveLength(1203);
  expect(rows.find((row) => row.id === waiting?.id)?.status).toBe("pending");
  await bench.db.delete(webhookDelivery);
});

test("a delivery that waits for its next attempt is sent now, and one in flight is left alone", async () => {
  const endpoint = await bench.addEndpoint({ events: ["order.disputed"] });
  await bench.tell(2, {}, "order.disputed");
  const [waiting, underWay] = await bench.deliveries(endpoint.id);
  const inAnHour = new Date(Date.now() + 3_600_000);
  const set = (row: typeof waiting, fields: Partial<typeof webhookDelivery.$inferInsert>) =>
    bench.db
      .update(webhookDelivery)
      .set({ attempts: 4, nextAttemptAt: inAnHour, ...fields })
      .where(eq(webhookDelivery.id, row?.id ?? ""));
  await set(waiting, {});
  await set(underWay, { leaseOwner: "a worker", leasedUntil: inAnHour });

  const { id } = await startRecovery(bench.db, active(endpoint), always, new Date());
  await recoverDeliveries(bench.db);
  expect(await recoveryOf(id)).toMatchObject({ status: "done", total: 2, queued: 1 });
  const rows = await bench.deliveries(endpoint.id);
  const after = (row: typeof waiting) => rows.find((one) => one.id === row?.id);
  // Its attempts are counted further.
  expect(after(waiting)).toMatchObject({ status: "pending", attempts: 4 });
  expect(after(waiting)?.nextAttemptAt.getTime()).toBeLessThan(Date.now() + 1000);
  expect(after(underWay)).toMatchObject({ attempts: 4, nextAttemptAt: inAnHour, leaseOwner: "a worker" });
  await bench.db.delete(webhookDelivery);
});

test("an interrupted recovery continues at its position, and one outside its range finds nothing", async () => {
  const endpoint = await bench.addEndpoint({ events: ["order.expired"] });
  const { id } = await startRecovery(bench.db, active(endpoint), always, new Date());
  // Killed in the middle of a page: its transaction never ends.
  await expect(
    inTransaction(bench.db, async (tx) => {
      await recoverDeliveries(tx as unknown as Database);
      throw new Error("killed");
    }),
  ).rejects.toThrow("killed");
  expect(await recoveryOf(id)).toMatchObject({ status: "running", cursor: 0, queued: 0 });
  expect(await bench.deliveries(endpoint.id)).toEqual([]);
  await recoverDeliveries(bench.db);
  expect(await recoveryOf(id)).toMatchObject({ status: "done", total: 3, queued: 3 });

  const before = { ...always, until: new Date(Date.now() - 28 * day) };
  const empty = await startRecovery(bench.db, active(endpoint), before, new Date());
  await recoverDeliveries(bench.db);
  expect(await recoveryOf(empty.id)).toMatchObject({ status: "done", total: 0, queued: 0 });

  await bench.db.update(webhookEndpoint).set({ status: "paused" }).where(eq(webhookEndpoint.id, endpoint.id));
  const refused = await startRecovery(bench.db, active(endpoint), always, new Date());
  await recoverDeliveries(bench.db);
  expect((await recoveryOf(refused.id)).status).toBe("failed");
  await bench.db.delete(webhookDelivery);
});

test("a delivery sent again has the same id and body, and its attempts are counted further", async () => {
  const endpoint = await bench.addEndpoint({}, answers(500));
  await bench.tell();
  const [last] = await bench.deliveries(endpoint.id);
  await bench.db
    .update(webhookDelivery)
    .set({ attempts: 9 })
    .where(eq(webhookDelivery.id, last?.id ?? ""));
  const worker = bench.startDeliverer();
  const failed = await bench.untilDelivery(endpoint.id, ({ status }) => status === "failed");
  bench.receiver.reactions.set(endpoint.path, answers(200));
  expect(await resendDelivery(bench.db, active(endpoint), failed.id)).toMatchObject({
    status: "pending",
    attempts: 0,
  });
  await bench.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");
  const [first, second] = bench.received(endpoint.path);
  expect(second?.raw).toBe(first?.raw);
  expect((await bench.attempts(failed.id)).map(({ number, statusCode }) => [number, statusCode])).toEqual([
    [1, 500],
    [2, 200],
  ]);
  await bench.db
    .update(webhookEndpoint)
    .set({ status: "revoked" })
    .where(eq(webhookEndpoint.id, endpoint.id));
  expect(await resendDelivery(bench.db, active(endpoint), "whd_00000000000000000000000000")).toBeUndefined();
  await worker.stop();
});

test("a test event is tried once, reaches a paused endpoint too, and is in no feed", async () => {
  const worker = bench.startDeliverer();
  const endpoint = await bench.addEndpoint({ status: "paused" }, answers(500));
  const eventCount = (await bench.events()).length;
  const queued = await queueTest(bench.db, {
    endpointId: endpoint.id,
    type: "order.created",
    data: { order: { id: "ord_example" } },
  });
  const row = await bench.untilDelivery(endpoint.id, ({ status }) => status === "failed");
  expect(row).toMatchObject({ id: queued.id, attempts: 1, eventId: null });
  const [request] = bench.received(endpoint.path);
  expect(request?.body).toMatchObject({ type: "order.created", data: { order: { id: "ord_example" } } });
  expect(request?.body).toMatchObject({ id: queued.id, event_id: expect.stringMatching(/^evt_/) });
  expect(await bench.events()).toHaveLength(eventCount);
  expect((await bench.endpoint(endpoint.id)).status).toBe("paused");
  await worker.stop();
});

test("after thirty days deliveries, attempts and events are deleted, and no younger ones", async () => {
  const worker = bench.startDeliverer();
  const endpoint = await bench.addEndpoint({ events: ["order.released"] });
  await bench.tell(3, {}, "order.released");
  await until(
    async () =>
      (await bench.deliveries(endpoint.id)).filter((row) => row.status === "succeeded").length === 3,
    "three deliveries",
  );
  await worker.stop();
  const [old, recovered, young] = await bench.deliveries(endpoint.id);
  const age = (table: "event" | "webhook_delivery", id: string | null | undefined) =>
    bench.db.execute(
      sql`update ${sql.identifier("earnest")}.${sql.identifier(table)} set created_at = now() - interval '31 days' where id = ${id}`,
    );
  await age("event", old?.eventId);
  await age("webhook_delivery", old?.id);
  // Its event is old, and it was sent recently.
  await age("event", recovered?.eventId);

  await removeOldRows(bench.db);
  expect((await bench.deliveries(endpoint.id)).map(({ id }) => id)).toEqual([recovered?.id, young?.id]);
  expect(await bench.attempts(old?.id ?? "")).toEqual([]);
  expect(await bench.attempts(young?.id ?? "")).toHaveLength(1);
  const left = await bench.db.select({ id: event.id }).from(event).where(eq(event.type, "order.released"));
  expect(left.map(({ id }) => id).sort()).toEqual([recovered?.eventId, young?.eventId].sort());
  expect(await bench.db.$count(webhookAttempt)).toBeGreaterThan(0);
});
