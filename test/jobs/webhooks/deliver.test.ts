import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertEvents } from "../../../db/account-events.ts";
import { event, webhookDelivery, webhookEndpoint } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { verifyWebhook } from "../../../protocol/webhooks/signature.ts";
import { headersOf, resendDelivery } from "../../../trade/webhooks/deliveries.ts";
import {
  answers,
  type DeliverBench,
  type Reaction,
  startDeliverBench,
} from "../../harness/jobs/deliveries.ts";
import { until } from "../../harness/jobs/ledger.ts";

let bench: DeliverBench;
beforeAll(async () => {
  bench = await startDeliverBench();
  bench.startDeliverer();
});
afterAll(() => bench?.close());

test("an event arrives within moments, as specified, and both verifiers accept it", async () => {
  const endpoint = await bench.addEndpoint({}, answers(201, {}, "thanks"));
  await bench.tell(1, { order: { id: "ord_x" }, note: "Grüße" });
  const done = await bench.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");

  const [request] = bench.received(endpoint.path);
  const [recorded] = (await bench.events()).slice(-1);
  if (!request || !recorded) throw new Error("Nothing arrived.");
  expect(request.body).toEqual({
    id: done.id,
    event_id: recorded.id,
    type: "order.funded",
    created_at: recorded.createdAt.toISOString(),
    data: { order: { id: "ord_x" }, note: "Grüße" },
  });
  expect(Object.keys(request.body)).toEqual(["id", "event_id", "type", "created_at", "data"]);
  expect(request.headers).toMatchObject({
    "content-type": "application/json",
    "x-service-event": "order.funded",
    "x-service-delivery": done.id,
    "webhook-id": done.id,
  });
  const signature = request.headers["x-service-signature"] as string;
  expect(signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  expect(verifyWebhook(request.raw, signature, endpoint.secret)).toBe(true);
  expect(verifyWebhook(request.raw.replace("ord_x", "ord_y"), signature, endpoint.secret)).toBe(false);
  const standard = new Webhook(endpoint.secret);
  expect(standard.verify(request.raw, request.headers as Record<string, string>)).toEqual(request.body);

  expect(done).toMatchObject({ attempts: 1, lastStatusCode: 201, lastError: null, leaseOwner: null });
  expect(done.finishedAt).not.toBeNull();
  const [attempt] = await bench.attempts(done.id);
  expect(attempt).toMatchObject({ number: 1, statusCode: 201, error: null, responseBody: "thanks" });
  expect(attempt?.latencyMs).toBeLessThan(15_000);
  expect(attempt?.requestHeaders).toEqual({
    "X-Service-Signature": signature,
    "webhook-signature": request.headers["webhook-signature"],
  });
  // The other headers are not stored.
  for (const [name, value] of Object.entries(headersOf(done, attempt?.startedAt ?? new Date(0)))) {
    expect([name, request.headers[name.toLowerCase()]]).toEqual([name, value]);
  }
});

test("two endpoints get one event under two delivery ids, which stay when it is sent again", async () => {
  const [first, second] = [await bench.addEndpoint(), await bench.addEndpoint()];
  await bench.tell();
  const [recorded] = (await bench.events()).slice(-1);
  const ids = [];
  for (const { id, path } of [first, second]) {
    const done = await bench.untilDelivery(id, ({ status }) => status === "succeeded");
    await resendDelivery(bench.db, { id, status: "active" }, done.id);
    const [sent, again] = await until(async () => {
      const requests = bench.received(path);
      return requests.length === 2 ? requests : null;
    }, "two requests");
    expect(sent?.body).toMatchObject({ id: done.id, event_id: recorded?.id });
    expect(again?.raw).toBe(sent?.raw);
    for (const name of ["x-service-delivery", "webhook-id"]) {
      expect([sent?.headers[name], again?.headers[name]]).toEqual([done.id, done.id]);
    }
    ids.push(sent?.body.id);
  }
  expect(new Set(ids).size).toBe(2);
});

test("a transaction that is rolled back leaves no event and no delivery", async () => {
  const endpoint = await bench.addEndpoint();
  const undone = inTransaction(bench.db, async (tx) => {
    await insertEvents(tx, [
      { accountId: bench.accountId, type: "order.funded", data: {}, orderId: null, key: "undone" },
    ]);
    const inside = await tx.select().from(webhookDelivery).where(eq(webhookDelivery.endpointId, endpoint.id));
    expect(inside).toHaveLength(1);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await bench.deliveries(endpoint.id)).toEqual([]);
});

test("only endpoints that subscribe to the type, of the account, and active, get an event", async () => {
  const wants = await bench.addEndpoint({ events: ["order.expired", "order.started"] });
  const other = await bench.addEndpoint({ events: ["order.created"] });
  const paused = await bench.addEndpoint({ status: "paused" });
  const disabled = await bench.addEndpoint({ status: "disabled" });
  await bench.tell(1, {}, "order.started");
  await bench.untilDelivery(wants.id, ({ status }) => status === "succeeded");
  for (const { id } of [other, paused, disabled]) expect(await bench.deliveries(id)).toEqual([]);
});

test("while a secret is replaced, the old and the new one both verify", async () => {
  const endpoint = await bench.addEndpoint({
    secretVersion: 2,
    previousSecretUntil: new Date(Date.now() + 3_600_000),
  });
  await bench.tell();
  const [request] = await until(async () => atLeastOne(bench.received(endpoint.path)), "a request");
  const signature = request.headers["x-service-signature"] as string;
  for (const version of [1, 2]) {
    const secret = bench.secretOf(endpoint.id, version);
    expect(verifyWebhook(request.raw, signature, secret)).toBe(true);
    expect(new Webhook(secret).verify(request.raw, request.headers as Record<string, string>)).toBeTruthy();
  }

  await bench.db
    .update(webhookEndpoint)
    .set({ previousSecretUntil: new Date(Date.now() - 1000) })
    .where(eq(webhookEndpoint.id, endpoint.id));
  await bench.tell();
  const later = await until(async () => bench.received(endpoint.path)[1], "a second request");
  const laterSignature = later.headers["x-service-signature"] as string;
  expect(verifyWebhook(later.raw, laterSignature, bench.secretOf(endpoint.id, 1))).toBe(false);
  expect(verifyWebhook(later.raw, laterSignature, bench.secretOf(endpoint.id, 2))).toBe(true);
});

test("ten failures, then no more: the same id and body each time, on the documented schedule", async () => {
  const endpoint = await bench.addEndpoint({}, answers(500, {}, "x".repeat(10_000)));
  await bench.tell();
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 10; attempt++) {
    const row = await bench.untilDelivery(
      endpoint.id,
      ({ attempts, leasedUntil }) => attempts === attempt && leasedUntil === null,
    );
    expect(row.status).toBe(attempt < 10 ? "pending" : "failed");
    const [last] = (await bench.attempts(row.id)).slice(-1);
    if (!last) throw new Error("There is no attempt.");
    const ended = last.startedAt.getTime() + (last.latencyMs ?? 0);
    waits.push((row.nextAttemptAt.getTime() - ended) / 1000);
    if (attempt < 10) await bench.makeDue(row.id);
  }
  const [row] = await bench.deliveries(endpoint.id);
  const schedule = [5, 25, 125, 625, 3125, 15_625, 78_125, 86_400, 86_400];
  schedule.forEach((seconds, index) => {
    expect(waits[index]).toBeGreaterThanOrEqual(seconds * 0.8 - 0.1);
    // The delay begins when the failure is stored, on a busy machine some seconds after it.
    expect(waits[index]).toBeLessThanOrEqual(seconds * 1.2 + 30);
  });
  const storedAttempts = await bench.attempts(row?.id ?? "");
  expect(storedAttempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(storedAttempts[0]?.responseBody).toHaveLength(4096);
  expect(row).toMatchObject({ lastStatusCode: 500, lastError: expect.stringMatching(/^refused: .*500/) });
  const requests = bench.received(endpoint.path);
  expect(new Set(requests.map(({ raw }) => raw)).size).toBe(1);
  expect(new Set(requests.map(({ headers }) => headers["x-service-delivery"])).size).toBe(1);
  expect(requests).toHaveLength(10);
});

test("a redirect is a failure and is not followed", async () => {
  const target = await bench.addEndpoint({ events: ["none"] });
  const endpoint = await bench.addEndpoint(
    {},
    answers(307, { location: `${bench.receiver.url}${target.path}` }),
  );
  await bench.tell();
  const row = await bench.untilDelivery(endpoint.id, ({ attempts }) => attempts === 1);
  expect(row).toMatchObject({
    status: "pending",
    lastStatusCode: 307,
    lastError: expect.stringMatching(/^redirected: /),
  });
  expect(bench.received(target.path)).toEqual([]);
});

test.each<[string, Reaction]>([
  ["a 200 whose body breaks off", (response) => breakOff(response, 200)],
  [
    "a 202 after interim answers",
    (response) => {
      response.writeContinue();
      response.writeProcessing();
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.writeContinue();
      response.writeHead(202).end("half");
    },
  ],
])("%s acknowledges a delivery, which is sent once", async (_what, react) => {
  const endpoint = await bench.addEndpoint({}, react);
  await bench.tell();
  const done = await bench.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");
  expect(done).toMatchObject({ attempts: 1, lastError: null });
  const [attempt] = await bench.attempts(done.id);
  expect(attempt).toMatchObject({ number: 1, error: null, responseBody: "half" });
  expect(bench.received(endpoint.path)).toHaveLength(1);
});

test("a refusal whose body breaks off still counts, with its Retry-After", async () => {
  const endpoint = await bench.addEndpoint({}, (response) => breakOff(response, 503, { "Retry-After": "9" }));
  await bench.tell();
  const row = await bench.untilDelivery(
    endpoint.id,
    ({ attempts, leasedUntil }) => attempts === 1 && leasedUntil === null,
  );
  const error = "refused: The endpoint answered 503: answer 2xx to acknowledge a delivery.";
  expect(row).toMatchObject({ status: "pending", lastStatusCode: 503, lastError: error });
  const [attempt] = await bench.attempts(row.id);
  const wait = row.nextAttemptAt.getTime() - (attempt?.startedAt.getTime() ?? 0);
  expect(wait).toBeGreaterThanOrEqual(8900);
});

test("Retry-After is granted between the schedule's delay and twice that", async () => {
  const delays = new Map([
    ["1", 5],
    ["7", 7],
    ["86400", 10],
  ]);
  for (const [header, granted] of delays) {
    const endpoint = await bench.addEndpoint({}, answers(503, { "retry-after": header }));
    await bench.tell();
    const row = await bench.untilDelivery(
      endpoint.id,
      ({ attempts, leasedUntil }) => attempts === 1 && leasedUntil === null,
    );
    // The statement that sets the next attempt writes its own time here.
    const { failingSince } = await bench.endpoint(endpoint.id);
    const wait = (row.nextAttemptAt.getTime() - (failingSince?.getTime() ?? 0)) / 1000;
    expect(wait).toBeCloseTo(granted, 1);
    await bench.db
      .update(webhookEndpoint)
      .set({ status: "paused" })
      .where(eq(webhookEndpoint.id, endpoint.id));
  }
});

test("410 is retried as any other status, and disables nothing", async () => {
  const endpoint = await bench.addEndpoint({}, answers(410));
  await bench.tell();
  const failed = await bench.untilDelivery(
    endpoint.id,
    ({ attempts, leasedUntil }) => attempts === 1 && leasedUntil === null,
  );
  expect(failed).toMatchObject({ status: "pending", lastStatusCode: 410 });
  expect(failed.lastError).toMatch(/410/);
  expect(await bench.endpoint(endpoint.id)).toMatchObject({ status: "active", disabledReason: null });
  bench.receiver.reactions.set(endpoint.path, answers(204));
  await bench.makeDue(failed.id);
  await bench.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");
});

test("an endpoint that failed everything for five days is disabled, one with a success in between is not", async () => {
  const fiveDays = new Date(Date.now() - 5 * 86_400_000 - 60_000);
  const other = await bench.addEndpoint({ events: ["webhook.disabled"] });
  const endpoint = await bench.addEndpoint({ failingSince: fiveDays }, answers(500));
  await bench.tell();
  let row = await bench.untilDelivery(endpoint.id, ({ attempts }) => attempts === 1);
  // One failure after long silence says little: the receiver has some attempts first.
  expect((await bench.endpoint(endpoint.id)).status).toBe("active");
  for (const attempt of [2, 3, 4, 5, 6]) {
    await bench.makeDue(row.id);
    row = await bench.untilDelivery(endpoint.id, ({ attempts }) => attempts === attempt);
  }
  bench.receiver.reactions.set(endpoint.path, answers(204));
  await bench.tell();
  await bench.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");
  expect((await bench.endpoint(endpoint.id)).failingSince).toBeNull();
  bench.receiver.reactions.set(endpoint.path, answers(500));
  await bench.makeDue(row.id);
  await bench.untilDelivery(endpoint.id, ({ attempts }) => attempts === 7);
  expect(await bench.endpoint(endpoint.id)).toMatchObject({
    status: "active",
    failingSince: expect.any(Date),
  });

  await bench.db
    .update(webhookEndpoint)
    .set({ failingSince: fiveDays })
    .where(eq(webhookEndpoint.id, endpoint.id));
  await bench.makeDue(row.id);
  await until(async () => (await bench.endpoint(endpoint.id)).status === "disabled", "a disabled endpoint");
  expect((await bench.endpoint(endpoint.id)).disabledReason).toBe("failing");
  // The account's other endpoint gets the event, and the disabled one nothing more.
  const disabled = await bench.untilDelivery(other.id, ({ type }) => type === "webhook.disabled");
  const [{ data } = { data: {} }] = await bench.db
    .select()
    .from(event)
    .where(eq(event.id, disabled.eventId ?? ""));
  expect(data).toEqual({
    endpoint_id: endpoint.id,
    host: "localhost",
    reason: "failing",
    links: { endpoint: `/api/v1/webhooks/${endpoint.id}` },
  });
  expect((await bench.deliveries(endpoint.id)).map(({ status }) => status).sort()).toEqual([
    "cancelled",
    "succeeded",
  ]);
});

test("pending deliveries of a paused endpoint are sent when it is resumed", async () => {
  const endpoint = await bench.addEndpoint({}, answers(500));
  await bench.tell();
  const row = await bench.untilDelivery(
    endpoint.id,
    ({ attempts, leasedUntil }) => attempts === 1 && leasedUntil === null,
  );
  const set = (status: "paused" | "active") =>
    bench.db.update(webhookEndpoint).set({ status }).where(eq(webhookEndpoint.id, endpoint.id));
  await set("paused");
  bench.receiver.reactions.set(endpoint.path, answers(200));
  await bench.makeDue(row.id);
  const marker = await bench.addEndpoint();
  await bench.tell();
  await bench.untilDelivery(marker.id, ({ status }) => status === "succeeded");
  expect(bench.received(endpoint.path)).toHaveLength(1);
  await set("active");
  await bench.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");
});

test("a body is never larger than 20 kB, and shows that something was left out", async () => {
  const endpoint = await bench.addEndpoint();
  await bench.tell(1, {
    order: { id: "ord_1" },
    entry: { data: { text: randomBytes(30_000).toString("hex") } },
    links: { trail: "/api/v1/orders/ord_1/events" },
  });
  await bench.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");
  const [request] = bench.received(endpoint.path);
  expect(Buffer.byteLength(request?.raw ?? "")).toBeLessThan(20_000);
  expect(request?.body.data).toMatchObject({
    links: { trail: "/api/v1/orders/ord_1/events" },
    entry: { data: { left_out: true } },
  });
});

test("an endpoint whose address is not public is never contacted", async () => {
  const endpoint = await bench.addEndpoint({ url: "https://10.0.0.1/hook" });
  await bench.tell();
  const row = await bench.untilDelivery(endpoint.id, ({ attempts }) => attempts === 1);
  expect(row).toMatchObject({ status: "pending", lastError: expect.stringMatching(/^forbidden_address: /) });
});

/** Announces a longer body than it sends. */
function breakOff(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "Content-Length": "100", ...headers });
  response.write("half", () => response.destroy());
}

function atLeastOne<T>(values: T[]): [T, ...T[]] | null {
  const [first, ...rest] = values;
  return first === undefined ? null : [first, ...rest];
}
