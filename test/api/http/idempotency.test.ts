import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agent, apiKey, idempotencyRecord, order, webhookEndpoint } from "../../../db/schema.ts";
import { removeOldRows } from "../../../jobs/retention.ts";
import { createKey, expectStatus, type RequestOptions } from "../../harness/api.ts";
import { createMarket, type Market } from "../../harness/market/market.ts";

let market: Market;
let api: Market["api"];
let token: string;
beforeAll(async () => {
  market = await createMarket();
  api = market.api;
  token = market.buyer.token;
});
afterAll(() => api.close());

let made = 0;
let key: string;
beforeEach(() => {
  key = `key-${++made}`;
});

/** Sends a write with the key of this test. */
function write(method: string, path: string, body?: unknown, options: RequestOptions = {}) {
  const headers = { "idempotency-key": key, ...options.headers };
  return api.request(method, path, { token, ...(body === undefined ? {} : { body }), ...options, headers });
}

const placing = () => ({ service_id: market.service.id, input_payload: { text: "x" } });
const countOrders = () => api.db.$count(order);
const readRecords = () => api.db.select().from(idempotencyRecord);

describe("the same write with the same key", () => {
  test("places one order, and gets the same answer", async () => {
    const before = await countOrders();
    const first = await write("POST", "/orders", placing());
    const again = await write("POST", "/orders", placing());
    expectStatus(201, first);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect(await countOrders()).toBe(before + 1);
  });

  test("sent 50 times at once takes effect once, and requests in between are told to retry", async () => {
    const before = await countOrders();
    const answers = await Promise.all(Array.from({ length: 50 }, () => write("POST", "/orders", placing())));
    expect(await countOrders()).toBe(before + 1);
    const done = answers.filter(({ status }) => status === 201);
    expect(new Set(done.map(({ body }) => body.id)).size).toBe(1);
    for (const { status, body, headers } of answers.filter((one) => !done.includes(one))) {
      expect([status, body.error.code, headers.get("retry-after")]).toEqual([409, "conflict", "1"]);
    }
  });

  test("gets its answer again for each kind of write, and takes effect once", async () => {
    const provider = { token: market.provider.token };
    const slug = `idempotent-${process.pid}`;
    const kinds: [string, string, unknown, number][] = [
      ["POST", "/agents", { slug, name: "Once" }, 201],
      ["PUT", `/agents/${slug}/payout-wallet`, { address: market.provider.account.address }, 200],
      ["PATCH", `/agents/${slug}`, { name: "Twice" }, 200],
      ["POST", `/agents/${slug}/publish`, undefined, 200],
      ["POST", "/webhooks", { url: "http://localhost:9/hook", events: ["*"] }, 201],
    ];
    for (const [method, path, body, status] of kinds) {
      key = `kind-${method}-${path}`;
      const first = await write(method, path, body, provider);
      expectStatus(status, first);
      const again = await write(method, path, body, provider);
      expect([again.status, again.body]).toEqual([status, first.body]);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    }
    expect(await api.db.$count(agent, eq(agent.slug, slug))).toBe(1);
    expect(await api.db.$count(webhookEndpoint)).toBe(1);
  });

  test("gets the answer of a deletion again, which would be 404 without a key", async () => {
    const { id } = expectStatus(
      201,
      await api.request("POST", "/api-keys", { token, body: { name: "k", scopes: ["orders:read"] } }),
    );
    const first = expectStatus(200, await write("DELETE", `/api-keys/${id}`));
    expect((await write("DELETE", `/api-keys/${id}`)).body).toEqual(first);
    expect((await api.request("DELETE", `/api-keys/${id}`, { token })).status).toBe(404);
  });

  test("gets a refusal again, even if it would pass now", async () => {
    const slug = `refused-first-${process.pid}`;
    const path = `/agents/${slug}`;
    const first = await write("PATCH", path, { name: "x" });
    expect(first.status).toBe(404);
    expectStatus(201, await api.request("POST", "/agents", { token, body: { slug, name: "y" } }));
    expect((await write("PATCH", path, { name: "x" })).body).toEqual(first.body);
    expect((await api.request("PATCH", path, { token, body: { name: "x" } })).status).toBe(200);
  });
});

describe("the same key", () => {
  test.each([
    ["another body", "POST", "/orders", { quantity: 1 }],
    ["another path", "POST", "/agents", {}],
    ["a query", "POST", "/orders?a=1", {}],
  ])("with %s is 422, and changes nothing", async (_, method, path, fields) => {
    expectStatus(201, await write("POST", "/orders", placing()));
    const before = await countOrders();
    const { status, body } = await write(method, path, { ...placing(), ...fields });
    expect([status, body.error.code]).toEqual([422, "idempotency_mismatch"]);
    expect(await countOrders()).toBe(before);
  });

  test("with another method is 422", async () => {
    const path = "/webhooks/whe_0";
    expect((await write("PATCH", path, { status: "paused" })).status).toBe(404);
    const other = await write("DELETE", path, { status: "paused" });
    expect([other.status, other.body.error.code]).toEqual([422, "idempotency_mismatch"]);
  });

  test("with another payment in the header is 422", async () => {
    const path = "/orders/ord_0/payment";
    expect((await write("POST", path, undefined, { headers: { "payment-signature": "YQ==" } })).status).toBe(
      404,
    );
    const other = await write("POST", path, undefined, { headers: { "payment-signature": "Yg==" } });
    expect(other.body.error.code).toBe("idempotency_mismatch");
  });

  test("of another account is a different key", async () => {
    expectStatus(201, await write("POST", "/orders", placing()));
    const other = await write("POST", "/orders", placing(), { token: market.outsider.token });
    expectStatus(201, other);
    expect(other.headers.get("idempotent-replayed")).toBeNull();
  });

  test("is free again after an answer that is independent of the write: 401, 402, 403, 429", async () => {
    const narrow = await createKey(api, market.buyer, ["orders:read"]);
    expect((await write("POST", "/orders", placing(), { token: narrow })).status).toBe(403);
    const body = { ...placing(), settlement_rail: "x402" };
    const placed = expectStatus(201, await write("POST", "/orders", body));
    key = `pay-${key}`;
    expect((await write("POST", `/orders/${placed.id}/payment`)).status).toBe(402);
    const paid = await write("POST", `/orders/${placed.id}/payment`, undefined, {
      headers: { "payment-signature": "not base64 of JSON" },
    });
    expect(paid.status).toBe(400);
  });

  test("expires after 24 hours", async () => {
    const first = expectStatus(201, await write("POST", "/orders", placing()));
    await api.db.execute(
      sql`update earnest.idempotency_record set created_at = now() - interval '24 hours 1 second'`,
    );
    const later = expectStatus(201, await write("POST", "/orders", placing()));
    expect(later.id).not.toBe(first.id);

    await api.db.execute(sql`update earnest.idempotency_record set created_at = now() - interval '25 hours'`);
    await write("POST", "/orders", placing(), { headers: { "idempotency-key": `${key}-new` } });
    await removeOldRows(api.db);
    expect(await readRecords()).toHaveLength(1);
  });

  test.each([
    ["empty", ""],
    ["longer than 255 characters", "k".repeat(256)],
    ["not printable", "a\u00e9"],
    ["blank", "   "],
  ])("is 400 when it is %s", async (_, name) => {
    const { status, body } = await write("POST", "/orders", placing(), {
      headers: { "idempotency-key": name },
    });
    expect([status, body.error.code]).toEqual([400, "invalid_request"]);
  });

  test("may have 255 characters", async () => {
    const name = "k".repeat(255);
    expectStatus(201, await write("POST", "/orders", placing(), { headers: { "idempotency-key": name } }));
  });

  test("has no effect on reads and on public operations", async () => {
    const before = (await readRecords()).length;
    const read = await api.request("GET", "/orders", { token, headers: { "idempotency-key": key } });
    expect(read.status).toBe(200);
    const body = { address: market.buyer.account.address, chain_id: 31_337 };
    const nonces = [1, 2].map(() => write("POST", "/auth/nonce", body, { token: "est_made_up" }));
    const [one, two] = await Promise.all(nonces);
    expect(one?.body.nonce).not.toBe(two?.body.nonce);
    expect((await write("POST", "/orders", placing(), { token: "est_made_up" })).status).toBe(401);
    expect(await readRecords()).toHaveLength(before);
  });
});

describe("a secret that is shown once", () => {
  test("is returned again to the same token, and is not in the database", async () => {
    const body = { name: "secret", scopes: ["orders:read"] };
    const first = expectStatus(201, await write("POST", "/api-keys", body));
    const again = expectStatus(201, await write("POST", "/api-keys", body));
    expect(again.token).toBe(first.token);
    expect((await api.request("GET", "/me", { token: again.token })).status).toBe(200);
    expect(await api.db.$count(apiKey, eq(apiKey.name, "secret"))).toBe(1);

    const stored = JSON.stringify(await readRecords());
    expect(stored).not.toContain(first.token);
    expect(stored).not.toContain(Buffer.from(first.token).toString("base64").slice(4, 40));
    expect(stored).not.toContain(key);
    expect(stored).not.toContain(first.id);
  });

  test("is not returned to another token of the account, which gets an explanation", async () => {
    const body = { url: "http://localhost:9/other", events: ["*"] };
    expectStatus(201, await write("POST", "/webhooks", body));
    const other = await createKey(api, market.buyer, ["webhooks:write"]);
    const answer = await write("POST", "/webhooks", body, { token: other });
    expect([answer.status, answer.body.error.code]).toEqual([409, "conflict"]);
    expect(answer.body.error.message).toMatch(/another token of your account/);
    expect(await api.db.$count(webhookEndpoint, eq(webhookEndpoint.url, body.url))).toBe(1);
  });
});

describe("after a crash", () => {
  /** The state that a process leaves when it dies between placing an order and storing the answer. */
  async function forgetAnswer(leased: "yet" | "no longer") {
    const until = leased === "yet" ? sql`now() + interval '1 minute'` : sql`now() - interval '1 second'`;
    await api.db.execute(
      sql`update earnest.idempotency_record set status = null, answer = null, leased_until = ${until}`,
    );
  }

  test("the retry gets the order that was placed, not a second one", async () => {
    const first = expectStatus(201, await write("POST", "/orders", placing()));
    const before = await countOrders();
    await forgetAnswer("no longer");
    const again = await write("POST", "/orders", placing());
    expect(expectStatus(201, again)).toEqual(first);
    expect(await countOrders()).toBe(before);
    // The answer is stored from then on.
    expect((await write("POST", "/orders", placing())).headers.get("idempotent-replayed")).toBe("true");
  });

  test("a retry waits for the lease of a process that may still work", async () => {
    expectStatus(201, await write("POST", "/orders", placing()));
    await forgetAnswer("yet");
    const { status, headers } = await write("POST", "/orders", placing());
    expect([status, headers.get("retry-after")]).toEqual([409, "1"]);
  });

  test("another body under the key is refused", async () => {
    expectStatus(201, await write("POST", "/orders", placing()));
    await forgetAnswer("no longer");
    const { status } = await write("POST", "/orders", { ...placing(), quantity: 1 });
    expect(status).toBe(422);
  });

  test("an answer 5xx is not stored: the retry continues at once", async () => {
    await api.db.execute(sql`alter table earnest.event rename to event_away`);
    let failed: Awaited<ReturnType<typeof write>>;
    try {
      failed = await write("POST", "/orders", placing());
    } finally {
      await api.db.execute(sql`alter table earnest.event_away rename to event`);
    }
    expect(failed.status).toBe(500);
    const before = await countOrders();
    expectStatus(201, await write("POST", "/orders", placing()));
    expect(await countOrders()).toBe(before + 1);
  });
});
