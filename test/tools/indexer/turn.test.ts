import { sql } from "drizzle-orm";
import pino from "pino";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Turn, takeTurn } from "../../../tools/indexer/turn.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { startDatabaseProxy } from "../../harness/database-proxy.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const log = pino({ level: "silent" });
const turns: Turn[] = [];
afterEach(async () => {
  for (const turn of turns.splice(0)) await turn.end();
});

const take = async ({ url = database.url, signal = new AbortController().signal } = {}) => {
  const turn = await takeTurn(url, "ponder_test", { log, signal });
  if (turn) turns.push(turn);
  return turn;
};

/** Begins to wait for the turn. */
function wait(signal?: AbortSignal) {
  let taken: Turn | null | undefined;
  const waiting = take(signal ? { signal } : {}).then((turn) => {
    taken = turn;
  });
  return { waiting, taken: () => taken };
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("a second indexer gets its turn when the first one ends, and none if it is stopped first", async () => {
  const first = await take();
  const stopped = new AbortController();
  const [second, third] = [wait(), wait(stopped.signal)];
  await sleep(2500);
  expect([first?.lost.aborted, second.taken(), third.taken()]).toEqual([false, undefined, undefined]);
  stopped.abort();
  await third.waiting;
  expect(third.taken()).toBeNull();
  await turns.shift()?.end();
  await second.waiting;
  expect(second.taken()?.lost.aborted).toBe(false);
});

test("a turn is lost with its connection", async () => {
  const turn = await take();
  await database.db.execute(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'earnest_indexer_turn' and datname = current_database()`);
  await vi.waitFor(() => expect(turn?.lost.aborted).toBe(true), { timeout: 40_000 });
});

test("an indexer that is cut off loses its turn, and the next one gets it", async () => {
  const proxy = await startDatabaseProxy(database.url);
  try {
    const turn = await take({ url: proxy.url });
    proxy.faults.statement = () => "hold";
    const next = wait();
    await vi.waitFor(() => expect(turn?.lost.aborted).toBe(true), { timeout: 40_000 });
    await vi.waitFor(() => expect(next.taken()).toBeTruthy(), { timeout: 40_000 });
  } finally {
    await proxy.close();
  }
});
