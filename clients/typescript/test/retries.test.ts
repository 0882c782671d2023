import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pause } from "../src/core/retry.ts";
import { ConnectionError, type Earnest, RateLimitError, ServerError, TimeoutError } from "../src/index.ts";
import { publishService, startService, type TestService } from "./service.fixture.ts";

let service: TestService;
let buyer: Earnest;
let serviceId: string;

beforeAll(async () => {
  service = await startService();
  const provider = await service.signedIn();
  serviceId = (await publishService(provider)).id;
  buyer = (await service.signedIn()).client;
});
afterAll(() => service.close());
beforeEach(() => {
  service.faults.length = 0;
  service.seen.length = 0;
});

const keysSent = () => service.seen.map(({ headers }) => headers["idempotency-key"]);

async function countOrders(): Promise<number> {
  return (await buyer.orders.list({ limit: 1 })).body.total;
}

describe("a write whose answer does not come", () => {
  test.each(["lost", "cut"] as const)("is sent again under its key and done once: %s", async (fault) => {
    const before = await countOrders();
    service.seen.length = 0;
    service.faults.push(fault, fault);
    const { data, response } = await buyer.orders.place({ service_id: serviceId }).withResponse();
    expect(response.attempts).toBe(3);
    expect(response.headers.get("idempotent-replayed")).toBe("true");
    expect(new Set(keysSent())).toEqual(new Set([response.idempotencyKey]));
    expect(response.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(await countOrders()).toBe(before + 1);
    expect((await buyer.orders.get(data.id)).status).toBe("created");
  });

  test("tells its key once the tries are used up, and the key finds what was done", async () => {
    const before = await countOrders();
    service.faults.push("lost");
    const failure = await buyer.orders
      .place({ service_id: serviceId }, { maxRetries: 0 })
      .catch((error) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ name: "ConnectionError", attempts: 1 });
    expect(await countOrders()).toBe(before + 1);
    const { idempotencyKey } = failure as ConnectionError;
    const order = await buyer.orders.place(
      { service_id: serviceId },
      { idempotencyKey: idempotencyKey ?? undefined },
    );
    expect(await countOrders()).toBe(before + 1);
    expect(order.service_id).toBe(serviceId);
  });

  test("has another key for each call, and the caller's where one is given", async () => {
    await buyer.orders.place({ service_id: serviceId });
    await buyer.orders.place({ service_id: serviceId });
    const [first, second] = keysSent();
    expect(first).not.toBe(second);
    const key = `mine-${Date.now()}`;
    const { id } = await buyer.orders.place({ service_id: serviceId }, { idempotencyKey: key });
    expect((await buyer.orders.place({ service_id: serviceId }, { idempotencyKey: key })).id).toBe(id);
  });

  test("is not sent again where a second try is another request: a sign-in uses its nonce up", async () => {
    service.faults.push(null, "lost");
    await expect(service.signedIn()).rejects.toBeInstanceOf(ConnectionError);
    expect(service.seen.map(({ path }) => path)).toEqual(["/api/v1/auth/nonce", "/api/v1/auth/signin"]);
  });
});

describe("an answer that says to come again", () => {
  test.each([408, 429, 500, 502, 503, 504])("%i is tried again, twice unless told", async (status) => {
    service.faults.push({ status }, { status });
    const { response } = await buyer.me().withResponse();
    expect(response.attempts).toBe(3);
    service.faults.push({ status }, { status });
    await expect(buyer.me({ maxRetries: 1 })).rejects.toMatchObject({ status, attempts: 2 });
  });

  test.each([400, 401, 403, 404, 409, 412, 422])("%i is not", async (status) => {
    service.faults.push({ status });
    await expect(buyer.me()).rejects.toMatchObject({ status, attempts: 1, code: "unknown" });
  });

  test("waits as long as Retry-After says", async () => {
    service.faults.push({ status: 503, headers: { "retry-after": "1" } });
    const begin = performance.now();
    await buyer.me();
    expect(performance.now() - begin).toBeGreaterThanOrEqual(1000);
  });

  test("is an error at once where Retry-After is longer than the longest wait", async () => {
    service.faults.push({ status: 429, headers: { "retry-after": "120" } });
    const begin = performance.now();
    const failure = await buyer.me().catch((error) => error);
    expect(failure).toBeInstanceOf(RateLimitError);
    expect(failure).toMatchObject({ retryAfter: 120, attempts: 1 });
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  test("reads Retry-After as a date too", async () => {
    const date = new Date(Date.now() + 600_000).toUTCString();
    service.faults.push({ status: 503, headers: { "retry-after": date } });
    const failure = await buyer.me().catch((error) => error);
    expect(failure).toBeInstanceOf(ServerError);
    expect(Math.abs(((failure as ServerError).retryAfter as number) - 600)).toBeLessThan(5);
  });

  test("a 409 with Retry-After is the same write still under way: it is tried again", async () => {
    service.faults.push({ status: 409, headers: { "retry-after": "0" } });
    const { response } = await buyer.orders.place({ service_id: serviceId }).withResponse();
    expect(response.attempts).toBe(2);
  });

  test("waits differently each time, and never longer than the limit", async () => {
    const waits: number[] = [];
    const client = service.client({ maxRetries: 3, hooks: { onRetry: ({ waitMs }) => waits.push(waitMs) } });
    service.faults.push({ status: 503 }, { status: 503 }, { status: 503 });
    await client.chain.getStatus();
    expect(new Set(waits).size).toBe(3);
    expect(waits.map((wait, at) => wait <= 500 * 2 ** at)).toEqual([true, true, true]);
  });
});

test("an answer without end is given up at 64 MiB", async () => {
  const chunk = new Uint8Array(2 ** 20).fill(32);
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulls += 1;
      if (pulls <= 80) controller.enqueue(chunk);
      else controller.close();
    },
  });
  const headers = { "content-type": "application/json" };
  const client = service.client({ fetch: async () => new Response(body, { headers }), maxRetries: 0 });
  await expect(client.chain.getStatus()).rejects.toThrow("larger than 67108864 bytes");
  expect(pulls).toBeLessThan(70);
});

describe("time", () => {
  test("a wait longer than a timer holds is no short one", async () => {
    const stop = new AbortController();
    const waited = pause(2 ** 31, stop.signal);
    setTimeout(() => stop.abort(new Error("waits")), 20);
    await expect(waited).rejects.toThrow("waits");
  });

  test("a try that takes longer than timeoutMs is given up", async () => {
    service.faults.push({ delayMs: 2000 }, { delayMs: 2000 });
    const failure = await buyer.me({ timeoutMs: 200, maxRetries: 1 }).catch((error) => error);
    expect(failure).toBeInstanceOf(TimeoutError);
    expect(failure).toMatchObject({ attempts: 2, message: "GET /api/v1/me: no response within 200 ms." });
  });

  test("an abort ends the request, and the wait for the next try, with the caller's own reason", async () => {
    const reason = new Error("enough");
    service.faults.push({ delayMs: 2000 });
    const running = new AbortController();
    const reply = buyer.me({ signal: running.signal });
    setTimeout(() => running.abort(reason), 100);
    await expect(reply).rejects.toBe(reason);

    service.faults.push({ status: 503, headers: { "retry-after": "20" } });
    const waiting = new AbortController();
    const begin = performance.now();
    const waited = buyer.me({ signal: waiting.signal });
    setTimeout(() => waiting.abort(reason), 200);
    await expect(waited).rejects.toBe(reason);
    expect(performance.now() - begin).toBeLessThan(2000);
  });
});
