import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { usualRates } from "../../../config/limits.ts";
import { largestBody } from "../../../trade/storable-json.ts";
import { expectStatus, type Session, signIn } from "../../harness/api.ts";
import { createMarket, type Market, placeFunded, settleNow } from "../../harness/market/market.ts";

const rates = { ...usualRates, sign_in: 1000, verify: 1000, content: 40_000, content_in_all: 400_000 };

let market: Market;
let context: ReturnType<typeof createContext>;
let app: ReturnType<typeof createApp>;
let outsiders: [Session, Session];
beforeAll(async () => {
  market = await createMarket();
  outsiders = [await signIn(market.api), await signIn(market.api)];
  context = createContext({ ...market.api.config, rateLimits: rates });
});
beforeEach(async () => {
  await market.api.db.execute(sql`delete from earnest.rate_limit`);
  // Each API has its own memory of the counts.
  app = createApp(context);
});
afterAll(async () => {
  await context?.db.$client.end();
  await market?.api.close();
});

type SendOptions = { token?: string; from?: string; hasLength?: boolean; path?: string };

/** Sends an invalid body of this size. An accepted body is answered with 400. */
async function send(bytes: number, { token, from = "203.0.113.1", hasLength = true, path }: SendOptions) {
  const response = await app.request(
    `/api/v1${path ?? "/receipts/verify"}`,
    {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(hasLength ? { "content-length": String(bytes) } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: "x".repeat(bytes),
    },
    { incoming: { socket: { remoteAddress: from } } },
  );
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, headers: response.headers, error };
}

/** Sends bodies of 10,000 bytes until one is refused. Returns the number accepted, and the refusal. */
async function spend(options: SendOptions) {
  for (let passed = 0; passed < 50; passed += 1) {
    const answer = await send(10_000, options);
    if (answer.status === 429) return { passed, refused: answer };
    expect(answer.status).toBe(400);
  }
  throw new Error("Nothing was refused.");
}

test.each([true, false])(
  "an account that used up its bytes is refused with all its tokens, and another is served; with a length: %s",
  async (hasLength) => {
    const [{ token }, other] = outsiders;
    const { passed, refused } = await spend({ token, hasLength });
    expect(passed).toBe(4);
    expect(refused.error).toMatchObject({ code: "rate_limited" });
    expect(refused.error.message).toMatch(/^The limit is 40000 bytes of bodies of one client within 60 sec/);
    expect(refused.headers.get("ratelimit-policy")).toContain('"content";q=40000;qu="content-bytes";w=60');
    expect(refused.headers.get("ratelimit")).toMatch(/"credential";r=\d+;t=\d+, .*"content";r=\d+;t=\d+/);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(10);
    expect(seconds).toBeLessThanOrEqual(15);
    // Another session, and the other way to send a body.
    const again = await signIn(market.api, outsiders[0].account);
    expect(
      (await send(10_000, { token: again.token, hasLength: !hasLength, from: "203.0.113.9" })).status,
    ).toBe(429);
    expect((await send(10_000, { token: other.token, hasLength })).status).toBe(400);
    expect((await send(10_000, { hasLength })).status).toBe(400);
    // Requests without a body are not limited by bytes.
    const headers = { authorization: `Bearer ${token}` };
    expect((await app.request("/api/v1/me", { headers })).status).toBe(200);
  },
);

test("without a token bytes count by address, and another address is served", async () => {
  const from = "203.0.113.2";
  expect((await spend({ from, path: "/auth/nonce" })).passed).toBe(4);
  expect((await send(10_000, { from, path: "/receipts/verify" })).status).toBe(429);
  expect((await send(10_000, { from, path: "/auth/signin", token: "est_made-up" })).status).toBe(429);
  expect((await send(10_000, { from: "203.0.113.3" })).status).toBe(400);
});

test.each([true, false])(
  "a body that is too large counts as the largest allowed; with a length: %s",
  async (hasLength) => {
    const { token } = outsiders[0];
    expect((await send(largestBody + 1, { token, hasLength })).status).toBe(413);
    expect((await send(10_000, { token, hasLength })).status).toBe(429);
  },
);

test.each([true, false])(
  "a session that ends while its body is sent can do nothing; with a length: %s",
  async (hasLength) => {
    const { token, accountId } = await signIn(market.api);
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const bytes = new TextEncoder().encode(JSON.stringify({ name: "Too late" }));
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          expectStatus(200, await market.api.request("POST", "/auth/logout", { token }));
          controller.enqueue(bytes);
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const response = await app.request(`/api/v1/organisations/${accountId}`, {
      method: "PATCH",
      headers: { ...headers, ...(hasLength ? { "content-length": String(bytes.length) } : {}) },
      body,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(401);
  },
);

test("a body that is shorter than its length counts no more than its sender has left", async () => {
  const { token } = outsiders[0];
  const lie = { authorization: `Bearer ${token}`, "content-length": "999999999999" };
  for (let time = 0; time < 50; time += 1) {
    await app.request("/api/v1/receipts/verify", { method: "POST", headers: lie, body: "{}" });
  }
  expect((await send(30_000, { token: outsiders[1].token })).status).toBe(400);
});

test("addresses and accounts of one network use up only their network's share", async () => {
  const [one, other] = outsiders;
  const third = await signIn(market.api);
  const none = { token: undefined };
  for (const [first, second, last] of [
    [none, none, none],
    [one, other, third],
  ] as const) {
    await spend({ token: first.token, from: "198.51.100.1" });
    await spend({ token: second.token, from: "198.51.100.2" });
    const shut = await send(10_000, { token: last.token, from: "198.51.100.3" });
    expect([shut.status, shut.error.message]).toEqual([429, expect.stringContaining("from one network")]);
    expect(shut.headers.get("ratelimit-policy")).toContain('"content_in_all";q=100000');
    expect((await send(10_000, { token: last.token, from: "198.51.101.3" })).status).toBe(400);
  }
});

test("many addresses block no account, and many free accounts block no account with funded orders", async () => {
  const { buyer, provider } = market;
  await placeFunded(market);
  expectStatus(200, await market.api.request("GET", "/me", buyer));
  await settleNow(market);
  for (let host = 1; host <= 3; host += 1) await spend({ from: `198.51.${host}.1` }).catch(() => {});
  const shut = await send(10_000, { from: "198.51.99.1" });
  expect([shut.status, shut.error.message]).toEqual([
    429,
    expect.stringContaining("all clients of this kind"),
  ]);
  expect(shut.headers.get("ratelimit-policy")).toContain('"content_in_all";q=100000;qu="content-bytes";w=60');

  const crowd = await Promise.all(Array.from({ length: 3 }, () => signIn(market.api)));
  for (const [at, { token }] of crowd.entries()) await spend({ token, from: `203.0.${at}.1` });
  const newcomer = await send(10_000, { token: outsiders[1].token });
  expect([newcomer.status, newcomer.error.code]).toEqual([429, "rate_limited"]);
  for (const { token } of [buyer, provider]) {
    const served = await send(10_000, { token });
    expect(served.status).toBe(400);
    expect(served.headers.get("ratelimit-policy")).toContain('"content_in_all";q=200000');
    // Each of them has its own share, and no more.
    expect((await spend({ token })).passed).toBeLessThan(4);
  }
});
