import { sql } from "drizzle-orm";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addTask } from "../../db/task-queue.ts";
import { inTransaction } from "../../db/transaction.ts";
import { runTasks, type Task } from "../../jobs/tasks.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";

let database: TestDatabase;
let stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  await database.close();
});

const log = pino({ level: "silent" });

/** Runs a task as a worker does. */
function work(run: Task, { db, url }: Pick<TestDatabase, "db" | "url"> = database): () => Promise<void> {
  const stopped = new AbortController();
  const ended = runTasks({ renewals: { run } }, { db, databaseUrl: url, log, signal: stopped.signal });
  const stop = async () => {
    stopped.abort();
    await ended;
  };
  stops.push(stop);
  return stop;
}

async function countJobs(): Promise<number> {
  const { rows } = await database.db.execute<{ jobs: number }>(
    sql`select count(*)::int as jobs from graphile_worker.jobs`,
  );
  return rows[0]?.jobs ?? 0;
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("a task begins after the commit that adds it, and not at all after a rollback", async () => {
  const seen: unknown[] = [];
  work(async ({ payload }) => {
    seen.push(payload);
    return null;
  });
  await inTransaction(database.db, (tx) => addTask(tx, "renewals", { payload: { one: 1 } }));
  await expect.poll(() => seen).toEqual([{ one: 1 }]);
  await inTransaction(database.db, async (tx) => {
    await addTask(tx, "renewals", { payload: { two: 2 } });
    throw new Error("not this");
  }).catch(() => {});
  await addTask(database.db, "renewals", { payload: { three: 3 } });
  await expect.poll(() => seen).toEqual([{ one: 1 }, { three: 3 }]);
  await expect.poll(countJobs).toBe(0);
});

test("of a kind, one task runs at a time, whatever the number of workers; a failed one is retried", async () => {
  let busy = 0;
  let most = 0;
  let fails = 1;
  let done = 0;
  const run = async () => {
    busy += 1;
    most = Math.max(most, busy);
    await sleep(20);
    busy -= 1;
    if (fails-- > 0) throw new Error("once");
    done += 1;
    return null;
  };
  for (let workers = 0; workers < 3; workers += 1) work(run);
  for (let tasks = 0; tasks < 6; tasks += 1) await addTask(database.db, "renewals");
  await expect.poll(() => done).toBe(6);
  expect(most).toBe(1);
});

test("a task that sets its next due time is begun then, once, by any worker", async () => {
  const times: number[] = [];
  const run = async () => {
    times.push(Date.now());
    return times.length < 3 ? 1 : null;
  };
  work(run);
  work(run);
  await addTask(database.db, "renewals");
  await expect.poll(() => times.length).toBe(3);
  await sleep(1500);
  expect(times).toHaveLength(3);
  expect(await countJobs()).toBe(0);
});

test("a worker whose connections are all cut continues, and no task is lost", async () => {
  // A task whose end could not be written is begun again, so its effects must be idempotent.
  const done = new Set<unknown>();
  work(async ({ payload }) => {
    done.add((payload as { cut: number }).cut);
    return null;
  });
  for (let cut = 0; cut < 5; cut += 1) {
    await addTask(database.db, "renewals", { payload: { cut } });
    await database.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
    await expect.poll(() => done.has(cut)).toBe(true);
  }
  await expect.poll(countJobs).toBe(0);
  expect([...done]).toEqual([0, 1, 2, 3, 4]);
});

test("a worker continues, whichever of its first statements is lost", async () => {
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(loseStatement));
});

/**
 * Waits until a worker of a new database has done a task, although this statement of the worker was lost.
 */
async function loseStatement(lost: number): Promise<void> {
  const own = await createTestDatabase();
  const proxy = await startDatabaseProxy(own.url);
  let sent = 0;
  proxy.faults.statement = () => (++sent === lost ? "lose" : null);
  const done = Promise.withResolvers<void>();
  const run = async () => {
    done.resolve();
    return null;
  };
  await addTask(own.db, "renewals");
  const stop = work(run, { db: own.db, url: proxy.url });
  await done.promise;
  await stop();
  await proxy.close();
  await own.close();
}

test("a task that takes long to end is begun by no other worker before", async () => {
  const begun = Promise.withResolvers<void>();
  let busy = 0;
  let most = 0;
  const slow = async ({ signal }: { signal: AbortSignal }) => {
    busy += 1;
    most = Math.max(most, busy);
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await sleep(9000);
    busy -= 1;
    return null;
  };
  const stop = work(slow);
  await addTask(database.db, "renewals");
  await begun.promise;
  work(slow);
  await stop();
  expect(most).toBe(1);
});

test("a worker that is shut down ends its task first, and leaves neither a lock nor a lease", async () => {
  const begun = Promise.withResolvers<void>();
  const stop = work(async ({ signal }) => {
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return null;
  });
  await addTask(database.db, "renewals");
  await begun.promise;
  await stop();
  expect(await countJobs()).toBe(0);
  const { rows } = await database.db.execute(sql`select name from earnest.lease where until > now()`);
  expect(rows).toEqual([]);
});
