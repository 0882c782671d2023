import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { Hono } from "hono";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createPublicAnswers } from "../../../api/http/public-answers.ts";
import type { Variables } from "../../../api/variables.ts";
import { createKey, publishService, type Session, signIn } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: Awaited<ReturnType<typeof createDocumentedApi>>;
let provider: Session;
let agentSlug: string;
let servicePath: string;
let agentPath: string;
const list = "/marketplace/services?tags=kept";

beforeAll(async () => {
  api = await createDocumentedApi({ env: { ANSWER_CACHE_MB: "1" } });
  provider = await signIn(api);
  const { agent, service } = await publishService(api, provider, { tags: ["kept"] });
  agentSlug = agent.slug;
  agentPath = `/agents/${agentSlug}`;
  servicePath = `${agentPath}/services/${service.slug}`;
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) => api.request("GET", path, { headers });
const titleIn = async (path: string) => {
  const { body } = await get(path);
  return (body.items?.[0] ?? body).title as string;
};

let changes = 0;
/** Gives the service another title, behind the API's back. */
async function retitle(): Promise<string> {
  const title = `Title ${++changes}`;
  await api.db.execute(sql`update earnest.service set title = ${title}`);
  return title;
}

/** The number of statements that wait for the table of services. */
async function countWaiting(): Promise<number | null> {
  const waiting = sql`select from pg_locks where relation = 'earnest.service'::regclass and not granted`;
  return (await api.db.execute(waiting)).rowCount;
}

/** Waits until every cached answer has expired. */
const lifeOver = () => sleep(1050);

describe("a cached answer", () => {
  test.each([
    ["a list", () => list],
    ["a service", () => servicePath],
    ["an agent's services", () => `${agentPath}/services`],
  ])("is returned for a second at most: %s", async (_, pathOf) => {
    await lifeOver();
    const begin = performance.now();
    const before = await titleIn(pathOf());
    const title = await retitle();
    const again = await titleIn(pathOf());
    if (performance.now() - begin < 1000) expect(again).toBe(before);
    await lifeOver();
    expect(await titleIn(pathOf())).toBe(title);
  });

  test("expires by a monotonic clock", async () => {
    await lifeOver();
    const begin = performance.now();
    const cachedTitle = await titleIn(list);
    await retitle();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    try {
      const again = await titleIn(list);
      if (performance.now() - begin < 1000) expect(again).toBe(cachedTitle);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is read once for all concurrent requests, and a refusal is not shared", async () => {
    await lifeOver();
    let begun = 0;
    const count = vi.spyOn(api.context.db, "select");
    // Until all have asked, no reading ends.
    const lock = new pg.Client({ connectionString: api.config.databaseUrl });
    await lock.connect();
    await lock.query("begin; lock table earnest.service in access exclusive mode");
    try {
      const answers = Promise.all(Array.from({ length: 8 }, () => get(`${agentPath}/services`)));
      await expect.poll(countWaiting).toBeGreaterThan(0);
      await lock.query("commit");
      await answers;
      begun = count.mock.calls.length;
    } finally {
      await lock.end();
      count.mockRestore();
    }
    await lifeOver();
    const alone = vi.spyOn(api.context.db, "select");
    try {
      await get(`${agentPath}/services`);
      expect(alone.mock.calls.length).toBeGreaterThan(0);
      expect(begun).toBeLessThan(2 * alone.mock.calls.length + 1);
    } finally {
      alone.mockRestore();
    }
    const missing = await Promise.all(Array.from({ length: 3 }, () => get("/agents/nobody-at-all")));
    expect(missing.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test("is evicted for others: all together stay within the bound in bytes", async () => {
    await api.db.execute(sql`update earnest.service set description = ${"x".repeat(10_000)}`);
    await lifeOver();
    const begin = performance.now();
    const pages = Array.from({ length: 60 }, (_, n) => `${list}&limit=${n + 1}`);
    const [first, last] = [pages[0] as string, pages[59] as string];
    for (const path of pages) await get(path);
    const title = await retitle();
    const found = [await titleIn(last), await titleIn(first)];
    if (performance.now() - begin < 1000) expect(found[0]).not.toBe(title);
    expect(found[1]).toBe(title);
  });
});

describe("the cache does not share", () => {
  test("the answer to an owner", async () => {
    const token = await createKey(api, provider, ["services:read", "agents:read"]);
    const execution = { endpoint: "https://translator.example/orders", timeout_seconds: 30 };
    await api.db.execute(sql`
      update earnest.service set execution_url = ${execution.endpoint}, execution_seconds = 30`);
    await lifeOver();
    await get(servicePath);
    for (let turn = 0; turn < 3; turn += 1) {
      const own = await get(servicePath, { "x-api-key": token });
      expect(own.body.execution).toEqual(execution);
      expect(own.headers.get("cache-control")).toBe("no-store");
      const others = await get(servicePath);
      expect(others.body.execution).toBeNull();
      expect(others.headers.get("etag")).not.toBe(own.headers.get("etag"));
    }
  });

  test("a draft, and a 404", async () => {
    const slug = "drafted-agent";
    expect((await get(`/agents/${slug}`)).status).toBe(404);
    await api.request("POST", "/agents", { token: provider.token, body: { slug, name: "Draft" } });
    expect((await api.request("GET", `/agents/${slug}`, { token: provider.token })).status).toBe(200);
    expect((await get(`/agents/${slug}`)).status).toBe(404);
    await api.db.execute(sql`update earnest.agent set status = 'published' where slug = ${slug}`);
    expect((await get(`/agents/${slug}`)).status).toBe(200);
  });

  test("an answer to a token that is not valid", async () => {
    await get(servicePath);
    expect((await get(servicePath, { authorization: "Bearer est_none" })).status).toBe(401);
    expect((await get(servicePath, { "x-api-key": "esk_none" })).status).toBe(401);
  });

  test("the answer to an unknown parameter, or parts of the request's headers", async () => {
    await get(list);
    expect((await get(`${list}&tgas=other`)).status).toBe(400);
    const forged = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      forwarded: "host=evil.example",
    };
    const path = `${list}&limit=7`;
    const first = await get(path, forged);
    expect(first.status).toBe(200);
    expect(JSON.stringify((await get(path)).body)).not.toContain("evil.example");
  });
});

describe("conditional requests", () => {
  test("with too many tags are refused, whether the answer is cached or not", async () => {
    const tags = { "if-none-match": `"${"x".repeat(1000)}"` };
    expect((await get(`${list}&limit=19`, tags)).status).toBe(400);
    await get(list);
    expect((await get(list, tags)).status).toBe(400);
  });

  test.each([
    ["services", () => list],
    ["agents", () => "/marketplace/agents"],
    ["filters", () => "/marketplace/filters"],
    ["categories", () => "/categories"],
    ["an agent", () => agentPath],
    ["an agent's services", () => `${agentPath}/services`],
  ])("are answered 304 as long as nothing changed: %s", async (_, pathOf) => {
    const first = await get(pathOf());
    const tag = first.headers.get("etag") ?? "";
    expect(first.headers.get("cache-control")).toBe("public, no-cache");
    expect(first.headers.get("vary")).toContain("Authorization, X-API-Key");
    for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const again = await get(pathOf(), { "if-none-match": sent });
      expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", tag]);
    }
    expect((await get(pathOf(), { "if-none-match": '"other"' })).body).toEqual(first.body);
  });

  test("are answered 200 with another tag after a change", async () => {
    const tag = (await get(list)).headers.get("etag") ?? "";
    const change = { token: provider.token, body: { title: "Changed" } };
    expect((await api.request("PATCH", servicePath, change)).status).toBe(200);
    await lifeOver();
    const changed = await get(list, { "if-none-match": tag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(tag);
  });
});

test("an answer that is still being read is returned, however many other requests arrive", async () => {
  const answers = createPublicAnswers({
    config: { ...api.config, answerCacheBytes: 1024 * 1024 },
    db: api.db,
    readDb: null,
  });
  const read = Promise.withResolvers<void>();
  const app = new Hono<{ Variables: Variables }>().get("/market", answers.serve, (c) =>
    answers.give(c, async () => {
      await read.promise;
      return { shown: { page: c.req.query("page") } };
    }),
  );
  const statuses = Array.from(
    { length: 2500 },
    async (_, page) => (await app.request(`/market?page=${page}`)).status,
  );
  read.resolve();
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
});
