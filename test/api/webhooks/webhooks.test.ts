import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { event, webhookAttempt, webhookDelivery, webhookEndpoint } from "../../../db/schema.ts";
import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";
import { createKey, expectStatus } from "../../harness/api.ts";
import { ask, createMarket, type Market, place } from "../../harness/market/market.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const url = "https://hooks.example.org/earnest";
const create = async (body: Record<string, unknown> = {}, who = market.buyer) =>
  expectStatus(201, await ask(market, who, "POST", "/webhooks", { url, events: ["*"], ...body }));
const send = (method: string, path: string, body?: unknown, token = market.buyer.token) =>
  market.api.request(method, path, { token, body });

describe("endpoints", () => {
  test("show their secret once, and never again", async () => {
    const made = await create({ description: "the nightly batch" });
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toMatchObject({ url, events: ["*"], status: "active", description: "the nightly batch" });
    const read = expectStatus(200, await send("GET", `/webhooks/${made.id}`));
    expect(read).not.toHaveProperty("secret");
    const { secret: _, ...rest } = made;
    expect(read).toEqual(rest);
    const list = expectStatus(200, await send("GET", "/webhooks"));
    expect(list.items.map(({ id }: { id: string }) => id)).toContain(made.id);
    expect(JSON.stringify(list)).not.toContain("whsec_");
    const [row] = await market.api.db.select().from(webhookEndpoint).where(eq(webhookEndpoint.id, made.id));
    expect(JSON.stringify(row)).not.toContain(made.secret.slice(6));
  });

  test("have a secret of their own each", async () => {
    expect((await create()).secret).not.toBe((await create()).secret);
  });

  test.each([
    ["http://example.org/hook", "insecure_scheme"],
    ["https://10.0.0.1/hook", "forbidden_address"],
    ["https://169.254.169.254/latest", "forbidden_address"],
    ["https://user:secret@example.org/", "credentials_in_url"],
    ["https://db.internal/hook", "forbidden_host"],
    ["not a url", "invalid_url"],
  ])("refuse the URL %s", async (hostile, keyword) => {
    const answer = await send("POST", "/webhooks", { url: hostile, events: ["*"] });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", details: [{ path: "/url", keyword }] } },
    });
  });

  test("refuse unknown types, an empty list, and unknown members", async () => {
    for (const body of [
      { url, events: ["order.paid"] },
      { url, events: [] },
      { url, events: ["*"], secret: "x" },
    ]) {
      expect((await send("POST", "/webhooks", body)).status).toBe(400);
    }
  });

  test("are changed, paused and resumed", async () => {
    const { id } = await create();
    const path = `/webhooks/${id}`;
    const paused = expectStatus(
      200,
      await send("PATCH", path, { status: "paused", events: ["order.funded"] }),
    );
    expect(paused).toMatchObject({ status: "paused", events: ["order.funded"] });
    expect(expectStatus(200, await send("PATCH", path, { status: "active" })).status).toBe("active");
    expect((await send("PATCH", path, { status: "revoked" })).status).toBe(400);
    expect((await send("PATCH", path, {})).status).toBe(400);
    expect((await send("PATCH", path, { url: "https://192.168.1.1/" })).status).toBe(400);
  });

  test("are gone once deleted, with their pending deliveries", async () => {
    const { id } = await create({}, market.outsider);
    const path = `/webhooks/${id}`;
    expectStatus(202, await send("POST", `${path}/test`, {}, market.outsider.token));
    const revoked = expectStatus(200, await send("DELETE", path, undefined, market.outsider.token));
    expect(revoked.status).toBe("revoked");
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { status: "active" } : undefined;
      expect((await send(method, path, body, market.outsider.token)).status).toBe(404);
    }
    const rows = await market.api.db.select().from(webhookDelivery).where(eq(webhookDelivery.endpointId, id));
    expect(rows).toMatchObject([{ status: "cancelled", lastError: "The endpoint was revoked." }]);
  });

  test("of other accounts are 404", async () => {
    const { id } = await create();
    for (const [method, rest] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/rotate-secret"],
      ["GET", "/deliveries"],
    ] as const) {
      expect((await send(method, `/webhooks/${id}${rest}`, undefined, market.provider.token)).status).toBe(
        404,
      );
    }
  });

  test("get a new secret on rotation, and refuse another rotation within the overlap", async () => {
    const made = await create();
    const rotated = expectStatus(200, await send("POST", `/webhooks/${made.id}/rotate-secret`));
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(made.secret);
    const overlap = Date.parse(rotated.previous_secret_until) - Date.now();
    expect(overlap).toBeGreaterThan(23.9 * 3_600_000);
    expect(overlap).toBeLessThan(24.1 * 3_600_000);
    expect(await send("POST", `/webhooks/${made.id}/rotate-secret`)).toMatchObject({
      status: 409,
      body: { error: { code: "invalid_state" } },
    });
  });

  test("need their scopes", async () => {
    const reader = await createKey(market.api, market.buyer, ["webhooks:read"]);
    const writer = await createKey(market.api, market.buyer, ["webhooks:write"]);
    expect((await market.api.request("GET", "/webhooks", { apiKey: reader })).status).toBe(200);
    expect((await market.api.request("GET", "/webhooks", { apiKey: writer })).status).toBe(403);
    const body = { url, events: ["*"] };
    expect((await market.api.request("POST", "/webhooks", { apiKey: writer, body })).status).toBe(201);
    expect((await market.api.request("POST", "/webhooks", { apiKey: reader, body })).status).toBe(403);
  });

  test("are capped", async () => {
    const { outsider } = market;
    for (let number = 0; number < 50; number += 1) await create({}, outsider);
    expect(await send("POST", "/webhooks", { url, events: ["*"] }, outsider.token)).toMatchObject({
      status: 409,
      body: { error: { code: "conflict" } },
    });
  });
});

test("an event's deliveries are written with it, for the subscribed endpoints of its account", async () => {
  const all = await create({}, market.provider);
  const some = await create({ events: ["order.created"] }, market.provider);
  const other = await create({ events: ["order.funded"] }, market.provider);
  const paused = await create({}, market.provider);
  await send("PATCH", `/webhooks/${paused.id}`, { status: "paused" }, market.provider.token);
  const { id } = await place(market);
  const [recorded] = (await market.api.db.select().from(event).where(eq(event.orderId, id))).filter(
    ({ accountId }) => accountId === market.provider.accountId,
  );
  for (const { endpoint, count } of [
    { endpoint: all, count: 1 },
    { endpoint: some, count: 1 },
    { endpoint: other, count: 0 },
    { endpoint: paused, count: 0 },
  ]) {
    const { items } = expectStatus(
      200,
      await send("GET", `/webhooks/${endpoint.id}/deliveries`, undefined, market.provider.token),
    );
    expect(items).toHaveLength(count);
    if (count === 1) {
      expect(items[0]).toMatchObject({
        event_id: recorded?.id,
        type: "order.created",
        status: "pending",
        attempts: 0,
      });
    }
  }
});

test("deliveries are filtered, read, and sent again", async () => {
  const { id } = await create();
  const path = `/webhooks/${id}`;
  const tried = expectStatus(202, await send("POST", `${path}/test`, { type: "order.funded" }));
  expect(tried).toMatchObject({ event_id: null, type: "order.funded", status: "pending" });
  const listed = async (query: string) =>
    expectStatus(200, await send("GET", `${path}/deliveries?${query}`)).items.length;
  expect(await listed("status=pending")).toBe(1);
  expect(await listed("status=failed")).toBe(0);
  expect(await listed("type=order.created")).toBe(0);
  expect(await listed("until=2020-01-01T00:00:00Z")).toBe(0);
  const detail = expectStatus(200, await send("GET", `${path}/deliveries/${tried.id}`));
  expect(detail).toMatchObject({
    id: tried.id,
    body: { id: tried.id, type: "order.funded", data: { test: true } },
    attempt_list: [],
  });
  const startedAt = new Date("2026-11-01T12:00:00.987Z");
  const signatures = { "X-Service-Signature": "t=1793534400,v1=ab", "webhook-signature": "v1,cd=" };
  const whole = {
    "Content-Type": "application/json",
    "User-Agent": "Earnest-Webhooks/1",
    "X-Service-Event": "order.funded",
    "X-Service-Delivery": tried.id,
    "webhook-id": tried.id,
    "webhook-timestamp": "1793534400",
    ...signatures,
  };
  // The first attempts record all headers, later ones the signatures.
  await market.api.db.insert(webhookAttempt).values(
    [whole, signatures].map((requestHeaders, at) => {
      return { deliveryId: tried.id, number: at + 1, startedAt, latencyMs: 1, requestHeaders };
    }),
  );
  const { attempt_list } = expectStatus(200, await send("GET", `${path}/deliveries/${tried.id}`));
  expect(attempt_list.map(({ request_headers }: { request_headers: object }) => request_headers)).toEqual([
    whole,
    whole,
  ]);
  await market.api.db
    .update(webhookDelivery)
    .set({ status: "failed", attempts: 10, finishedAt: new Date() })
    .where(eq(webhookDelivery.id, tried.id));
  const again = expectStatus(202, await send("POST", `${path}/deliveries/${tried.id}/resend`));
  expect(again).toMatchObject({ id: tried.id, status: "pending", finished_at: null });
  await send("PATCH", path, { status: "paused" });
  expect((await send("POST", `${path}/deliveries/${tried.id}/resend`)).status).toBe(409);
  expect((await send("GET", `${path}/deliveries/whd_nothing`)).status).toBe(404);
});

test("a recovery accepts a time within the retention", async () => {
  const { id } = await create();
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const started = expectStatus(202, await send("POST", `/webhooks/${id}/recover`, { since }));
  expect(started).toMatchObject({ since, status: "running", queued: 0 });
  expect(expectStatus(200, await send("GET", `/webhooks/${id}/recoveries/${started.id}`))).toEqual(started);
  const old = new Date(Date.now() - 40 * 86_400_000).toISOString();
  expect((await send("POST", `/webhooks/${id}/recover`, { since: old })).status).toBe(400);
  expect((await send("POST", `/webhooks/${id}/recover`, { since, until: since })).status).toBe(400);
});

test("every event type has a schema of its data", async () => {
  const { items } = expectStatus(200, await send("GET", "/webhooks/events"));
  expect(items.map(({ type }: { type: string }) => type)).toEqual(Object.keys(eventTypes));
  for (const { data_schema } of items) expect(data_schema).toMatchObject({ type: "object" });
});
