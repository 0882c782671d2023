import { setImmediate } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inTransaction } from "../../../db/transaction.ts";
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
/** Gives the service another title, by a connection that is not the API's. */
async function retitle(): Promise<string> {
  const title = `Title ${++changes}`;
  await api.db.execute(sql`update earnest.service set title = ${title}`);
  return title;
}

/** The same without anybody being told: whoever answers with the old title has kept it. */
async function retitleInSilence(): Promise<string> {
  const title = `Silent ${++changes}`;
  await inTransaction(api.db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`update earnest.service set title = ${title}`);
  });
  return title;
}

const isKept = async (path: string) => {
  const before = await titleIn(path);
  await retitleInSilence();
  return (await titleIn(path)) === before;
};

/** Until listening has begun nothing is kept. */
const untilKept = (path: string) =>
  vi.waitFor(async () => expect(await isKept(path)).toBe(true), { timeout: 10_000, interval: 20 });

describe("an answer that is kept", () => {
  test.each([
    ["a list", () => list],
    ["a service", () => servicePath],
    ["an agent's services", () => `${agentPath}/services`],
  ])("is given again, and a change made elsewhere is seen as soon as it is told: %s", async (_, pathOf) => {
    await untilKept(pathOf());
    const title = await retitle();
    await vi.waitFor(async () => expect(await titleIn(pathOf())).toBe(title), { timeout: 1000, interval: 5 });
  });

  test("gives way to what is found at an agent's endpoint, which lists of services do not show", async () => {
    await untilKept(list);
    await vi.waitFor(
      async () => {
        // Kept: what is written in silence is not seen.
        const { body } = await get(agentPath);
        await inTransaction(api.db, async (tx) => {
          await tx.execute(sql`set local session_replication_role = replica`);
          await tx.execute(sql`update earnest.agent set tagline = ${`silent ${++changes}`}`);
        });
        expect((await get(agentPath)).body.tagline).toBe(body.tagline);
      },
      { timeout: 10_000, interval: 20 },
    );
    await get(list);
    const silent = await retitleInSilence();
    await api.db.execute(sql`
      insert into earnest.probe_target (id, url, host, phase) values ('t', 'https://a.example/', 'a.example', 0)`);
    await api.db.execute(
      sql`insert into earnest.agent_probe (agent_id, target_id) select id, 't' from earnest.agent`,
    );
    await api.db.execute(sql`
      update earnest.agent set api_endpoint = 'https://a.example/' where slug = ${agentSlug}`);
    await api.db.execute(sql`
      update earnest.probe_target set last_checked_at = now(), reachable = true, checks_7d = 1, ok_7d = 1`);
    await vi.waitFor(
      async () => expect((await get(agentPath)).body.endpoint_health).toMatchObject({ reachable: true }),
      { timeout: 1000, interval: 5 },
    );
    expect(await titleIn(list)).toBe(silent);
  });

  test("is never older than a write that was answered here, however many ask meanwhile", async () => {
    await untilKept(servicePath);
    let asking = true;
    const readers = Array.from({ length: 4 }, async () => {
      // What is kept is given without waiting for anything: others must have their turn.
      for (; asking; await setImmediate()) await Promise.all([get(servicePath), get(list)]);
    });
    try {
      for (let turn = 0; turn < 25; turn += 1) {
        const title = `Turn ${turn}`;
        await api.request("PATCH", servicePath, { token: provider.token, body: { title } });
        expect([await titleIn(servicePath), await titleIn(list)]).toEqual([title, title]);
      }
    } finally {
      asking = false;
    }
    await Promise.all(readers);
  });

  test("is dropped with the connection that would tell of changes", async () => {
    await untilKept(list);
    await get(list);
    const silent = await retitleInSilence();
    await api.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen %'`);
    await vi.waitFor(async () => expect(await titleIn(list)).toBe(silent), { timeout: 2000, interval: 10 });
    await untilKept(list);
  });

  test("lasts by a clock that nobody sets", async () => {
    await untilKept(list);
    const kept = await titleIn(list);
    await retitleInSilence();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    try {
      expect(await titleIn(list)).toBe(kept);
    } finally {
      vi.useRealTimers();
    }
  });

  test("makes room for others: all together stay within their bytes", async () => {
    await untilKept(servicePath);
    const description = "x".repeat(10_000);
    await api.request("PATCH", servicePath, { token: provider.token, body: { description } });
    const paths = Array.from(
      { length: 150 },
      (_, n) => `${list}&limit=${(n % 99) + 1}&offset=0&sort=${n < 99 ? "newest" : "price_low"}`,
    );
    await untilKept(servicePath);
    for (const path of paths) await get(path);
    const silent = await retitleInSilence();
    expect(await titleIn(paths.at(-1) as string)).not.toBe(silent);
    expect(await titleIn(paths[0] as string)).toBe(silent);
  });
});

describe("what is not given to others", () => {
  test("an owner's answer, and what was kept to the owner", async () => {
    const token = await createKey(api, provider, ["services:read", "agents:read"]);
    const execution = { endpoint: "https://translator.example/orders", timeout_seconds: 30 };
    await api.db.execute(sql`
      update earnest.service set execution_url = ${execution.endpoint}, execution_seconds = 30`);
    await untilKept(servicePath);
    for (let turn = 0; turn < 3; turn += 1) {
      const own = await get(servicePath, { "x-api-key": token });
      expect(own.body.execution).toEqual(execution);
      expect(own.headers.get("cache-control")).toBe("no-store");
      const others = await get(servicePath);
      expect(others.body.execution).toBeNull();
      expect(others.headers.get("etag")).not.toBe(own.headers.get("etag"));
    }
  });

  test("a draft, and what says that there is nothing", async () => {
    const slug = "drafted-agent";
    expect((await get(`/agents/${slug}`)).status).toBe(404);
    await api.request("POST", "/agents", { token: provider.token, body: { slug, name: "Draft" } });
    expect((await api.request("GET", `/agents/${slug}`, { token: provider.token })).status).toBe(200);
    expect((await get(`/agents/${slug}`)).status).toBe(404);
    await api.db.execute(sql`update earnest.agent set status = 'published' where slug = ${slug}`);
    expect((await get(`/agents/${slug}`)).status).toBe(200);
  });

  test("anything to whoever sends a token that is not valid", async () => {
    await untilKept(servicePath);
    expect((await get(servicePath, { authorization: "Bearer est_none" })).status).toBe(401);
    expect((await get(servicePath, { "x-api-key": "esk_none" })).status).toBe(401);
  });

  test("a parameter that is unknown, or anything of a header", async () => {
    await untilKept(list);
    expect((await get(`${list}&tgas=other`)).status).toBe(400);
    const forged = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      forwarded: "host=evil.example",
    };
    const asked = `${list}&limit=7`;
    const first = await get(asked, forged);
    expect(first.status).toBe(200);
    expect(JSON.stringify((await get(asked)).body)).not.toContain("evil.example");
  });
});

describe("conditional requests", () => {
  test("with more tags than are taken are refused, whether the answer is kept or not", async () => {
    const tags = { "if-none-match": `"${"x".repeat(1000)}"` };
    expect((await get(`${list}&limit=19`, tags)).status).toBe(400);
    await untilKept(list);
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

  test("are answered 200 with another tag once something changed", async () => {
    const tag = (await get(list)).headers.get("etag") ?? "";
    await api.request("PATCH", servicePath, { token: provider.token, body: { title: "Changed" } });
    const changed = await get(list, { "if-none-match": tag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(tag);
  });
});
