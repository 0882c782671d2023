import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listen } from "../../db/listen.ts";
import { keepListening } from "../../jobs/listen.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../harness/database-proxy.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
});
afterAll(async () => {
  vi.useRealTimers();
  await proxy?.close();
  await database?.close();
});

/** Listens through the proxy, whose server does not answer that. */
async function listenInVain() {
  const held = Promise.withResolvers<void>();
  proxy.faults.statement = (text) => {
    if (!text.includes("listen a_channel")) return null;
    held.resolve();
    return "hold";
  };
  const stop = new AbortController();
  const woken = vi.fn();
  const ended = listen({ a_channel: woken }, { databaseUrl: proxy.url, signal: stop.signal });
  await held.promise;
  return { stop, ended, woken };
}

test("listening to a server that does not answer ends by its signal", async () => {
  const { stop, ended, woken } = await listenInVain();
  stop.abort();
  await ended;
  expect(woken).not.toHaveBeenCalled();
});

test("a server that falls silent before it listens is left, and another is asked", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { ended } = await listenInVain();
  vi.advanceTimersByTime(60_000);
  await ended;
  vi.useRealTimers();
});

test("a server that ends each connection at once is asked again after a rest", async () => {
  let connections = 0;
  proxy.faults.statement = (text) => {
    if (!text.includes("listen a_channel")) return null;
    connections += 1;
    setTimeout(proxy.cut, 20);
    return null;
  };
  const timers = vi.spyOn(globalThis, "setTimeout");
  const stop = new AbortController();
  const log = { error: vi.fn() } as never;
  const ended = keepListening({ a_channel: () => {} }, { databaseUrl: proxy.url, log, signal: stop.signal });
  await expect.poll(() => connections, { timeout: 10_000, interval: 10 }).toBe(2);
  stop.abort();
  await ended;
  const rests = timers.mock.calls.filter(([, milliseconds]) => milliseconds === 500);
  expect(rests).toHaveLength(1);
  timers.mockRestore();
});
