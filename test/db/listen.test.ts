import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { listen } from "../../db/listen.ts";
import { wakeListeners } from "../../db/notify.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../harness/database-proxy.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
const log = { warn: vi.fn() };
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
});
afterEach(() => {
  proxy.faults.statement = () => null;
  proxy.faults.refuse = false;
  log.warn.mockClear();
});
afterAll(async () => {
  await proxy?.close();
  await database?.close();
});

/** Listens on two channels through the proxy. */
function begin() {
  const stop = new AbortController();
  const messages: string[] = [];
  const hear = (channel: string) => (text: string | null) => messages.push(`${channel} ${text}`);
  const ended = listen(
    { one: hear("one"), other: hear("other") },
    { databaseUrl: proxy.url, log, signal: stop.signal },
  );
  return {
    messages,
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

const within = { interval: 10 };

test("each channel is woken when listening begins, and by each notification", async () => {
  const { messages, end } = begin();
  await expect.poll(() => [...messages].sort(), within).toEqual(["one null", "other null"]);
  await wakeListeners(database.db, "one", "news");
  await expect.poll(() => messages, within).toContain("one news");
  expect(messages).toHaveLength(3);
  await end();
});

test("a lost connection is opened again, and each channel woken again", async () => {
  const { messages, end } = begin();
  for (let lost = 0; lost < 3; lost += 1) {
    await expect.poll(() => [...messages].sort(), within).toEqual(["one null", "other null"]);
    messages.length = 0;
    await wakeListeners(database.db, "other", "news");
    await expect.poll(() => messages, within).toEqual(["other news"]);
    messages.length = 0;
    await database.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen %'`);
  }
  await end();
});

test("a server that is down at first is listened to once it is up", async () => {
  proxy.faults.refuse = true;
  const { messages, end } = begin();
  await expect.poll(() => log.warn.mock.calls.length, within).toBe(2);
  proxy.faults.refuse = false;
  // Each attempt of `postgres` wakes them.
  await expect.poll(() => new Set(messages), within).toEqual(new Set(["one null", "other null"]));
  await wakeListeners(database.db, "one", "news");
  await expect
    .poll(() => messages.filter((message) => message.endsWith("news")), within)
    .toEqual(["one news"]);
  await end();
});

test("listening to a server that does not answer ends by its signal", async () => {
  proxy.faults.statement = (text) => (/listen "one"/.test(text) ? "hold" : null);
  const { messages, end } = begin();
  await new Promise((resolve) => setTimeout(resolve, 200));
  await end();
  expect(messages).toEqual([]);
  expect(log.warn).not.toHaveBeenCalled();
});
