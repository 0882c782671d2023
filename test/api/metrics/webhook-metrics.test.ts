import { typeid } from "typeid-js";
import { expect, onTestFinished, test } from "vitest";
import { account, webhookAttempt, webhookDelivery, webhookEndpoint } from "../../../db/schema.ts";
import { createTestApi } from "../../harness/api.ts";

test("GET /metrics/earnest has the webhook queue, its age, and the results of the last hour's attempts", async () => {
  const api = await createTestApi();
  onTestFinished(() => api.close());
  const scrape = async () => {
    const text = await api.metrics();
    return new Map(
      text
        .split("\n")
        .filter((line) => line.startsWith("earnest_webhook"))
        .map((line) => line.split(" ") as [string, string])
        .map(([name, value]) => [name.replace("earnest_webhook_", ""), Number(value)]),
    );
  };
  const empty = await scrape();
  expect(empty.get('deliveries_pending{state="due"}')).toBe(0);
  expect(empty.get("oldest_due_age_seconds")).toBe(0);
  expect(empty.get('attempts_last_hour{outcome="failed"}')).toBe(0);
  expect([...empty.keys()].some((name) => name.includes("quantile"))).toBe(false);

  const accountId = typeid("acc").toString();
  await api.db.insert(account).values({ id: accountId });
  const addEndpoint = async (status: "active" | "paused") => {
    const id = typeid("whe").toString();
    const url = "https://example.org/";
    await api.db
      .insert(webhookEndpoint)
      .values({ id, accountId, url, host: "example.org", events: ["*"], status, acknowledgedAt: new Date() });
    return id;
  };
  const [active, paused] = [await addEndpoint("active"), await addEndpoint("paused")];
  const add = async (endpointId: string, fields: Partial<typeof webhookDelivery.$inferInsert> = {}) => {
    const id = typeid("whd").toString();
    await api.db.insert(webhookDelivery).values({ id, endpointId, type: "order.funded", ...fields });
    return id;
  };
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000);
  await add(active, { nextAttemptAt: at(-90) });
  await add(active, { nextAttemptAt: at(-30) });
  await add(active, { nextAttemptAt: at(40), leasedUntil: at(40), leaseOwner: "one" });
  await add(active, { nextAttemptAt: at(300) });
  await add(paused, { nextAttemptAt: at(-5000) });
  const createdAt = at(-60);
  for (const [seconds, error] of [
    [1, null],
    [2, null],
    [3, "timeout: There was no whole answer."],
  ] as const) {
    const deliveryId = await add(active, { status: "succeeded", createdAt });
    const startedAt = new Date(createdAt.getTime() + 500 * seconds);
    await api.db
      .insert(webhookAttempt)
      .values({ deliveryId, number: 1, startedAt, latencyMs: 100 * seconds, error, requestHeaders: {} });
  }
  const old = await add(active, { status: "failed", createdAt: at(-7200) });
  await api.db
    .insert(webhookAttempt)
    .values({ deliveryId: old, number: 1, startedAt: at(-7200), latencyMs: 9000, requestHeaders: {} });

  const found = await scrape();
  const pending = (state: string) => found.get(`deliveries_pending{state="${state}"}`);
  expect([pending("due"), pending("sending"), pending("waiting"), pending("held")]).toEqual([2, 1, 1, 1]);
  expect(found.get("oldest_due_age_seconds")).toBeGreaterThanOrEqual(90);
  expect(found.get("oldest_due_age_seconds")).toBeLessThan(120);
  expect(found.get('attempts_last_hour{outcome="succeeded"}')).toBe(2);
  expect(found.get('attempts_last_hour{outcome="failed"}')).toBe(1);
  expect(found.get('attempt_latency_seconds{quantile="0.5"}')).toBeCloseTo(0.2);
  expect(found.get('first_attempt_delay_seconds{quantile="0.5"}')).toBeCloseTo(1);
  expect(found.get('endpoints{status="active"}')).toBe(1);
  expect(found.get('endpoints{status="paused"}')).toBe(1);
});
