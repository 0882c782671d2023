import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Job, runJobs } from "../../jobs/job.ts";
import { createPause } from "../../jobs/loop.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";

const hour = 3_600_000;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Runs jobs as a worker does, until the returned function is called. */
function work(jobs: Job[]): () => Promise<void> {
  const stop = new AbortController();
  const { db, url } = database;
  const log = pino({ level: "silent" });
  const ended = runJobs(jobs, { db, databaseUrl: url, log, signal: stop.signal });
  return async () => {
    stop.abort();
    await ended;
  };
}

/** A job whose runs are counted; each run acts by its number. */
function counting(round: (run: number) => Promise<unknown> = async () => {}) {
  const count = { runs: 0 };
  return { count, run: () => round(++count.runs) };
}

test("of several workers one runs a job each period", async () => {
  const { count, run } = counting();
  const job: Job = { name: "counted", every: hour, runBy: "one worker", run };
  const stops = Array.from({ length: 4 }, () => work([job]));
  await expect.poll(() => count.runs).toBe(1);
  const { rows } = await database.db.$client.query(
    "select due_at > now() + interval '59 minutes' as later from earnest.periodic_task where name = 'counted'",
  );
  expect(rows).toEqual([{ later: true }]);
  await Promise.all(stops.map((stop) => stop()));
  expect(count.runs).toBe(1);
});

test("a worker whose poll began before another's period did leaves that period alone", async () => {
  const [early, other] = [counting(), counting()];
  // The earlier poll sees a time later than a period that would begin now.
  await database.db.$client.query(
    "insert into earnest.periodic_task (name, due_at) values ('begun meanwhile', now() + interval '3610 seconds')",
  );
  const stop = work([
    { name: "begun meanwhile", every: hour, runBy: "one worker", run: early.run },
    { name: "another", every: hour, runBy: "one worker", run: other.run },
  ]);
  await expect.poll(() => other.count.runs).toBe(1);
  await stop();
  expect(early.count.runs).toBe(0);
});

test("a period that began before the database's clock went back does not last for that long", async () => {
  const { count, run } = counting();
  await database.db.$client.query(
    "insert into earnest.periodic_task (name, due_at) values ('turned back', now() + interval '9 hours')",
  );
  const stop = work([{ name: "turned back", every: hour, runBy: "one worker", run }]);
  await expect.poll(() => count.runs).toBe(1);
  await stop();
  const { rows } = await database.db.$client.query(
    "select due_at < now() + interval '61 minutes' as sooner from earnest.periodic_task where name = 'turned back'",
  );
  expect(rows).toEqual([{ sooner: true }]);
});

test("a job that fails is run again without waiting for its next period", async () => {
  const fail = async (run: number) => {
    if (run === 1) throw new Error("the first time");
  };
  const [each, alone] = [counting(fail), counting(fail)];
  const stop = work([
    { name: "failing", every: hour, run: each.run },
    { name: "failing alone", every: hour, runBy: "one worker", run: alone.run },
  ]);
  await expect.poll(() => [each.count.runs, alone.count.runs]).toEqual([2, 2]);
  await stop();
});

test("a notification wakes the jobs of its channel, and no others", async () => {
  const [first, second, other] = [counting(), counting(), counting()];
  const stop = work([
    { name: "first", every: hour, wokenBy: "earnest_test_one", run: first.run },
    { name: "second", every: hour, wokenBy: "earnest_test_one", run: second.run },
    { name: "other", every: hour, wokenBy: "earnest_test_other", run: other.run },
  ]);
  const runs = () => [first, second, other].map(({ count }) => count.runs);
  // Each job is woken once when its channel is heard, because earlier notifications may be lost.
  await expect.poll(runs).toEqual([2, 2, 2]);
  await database.db.$client.query("notify earnest_test_one");
  await expect.poll(runs).toEqual([3, 3, 2]);
  await stop();
});

test("a job that needs the index checks for it again soon, however long its period, and its absence is no failure", async () => {
  const { count, run } = counting(async (number) => {
    if (number === 1) await database.db.$client.query("select from index_not_there.escrow");
  });
  const lines: string[] = [];
  const stop = new AbortController();
  const ended = runJobs([{ name: "indexed", every: hour, needsIndex: true, run }], {
    db: database.db,
    databaseUrl: database.url,
    signal: stop.signal,
    log: pino({}, { write: (line: string) => lines.push(line) }),
  });
  await expect.poll(() => count.runs).toBe(2);
  expect(lines).toEqual([]);
  stop.abort();
  await ended;
});

test("a job that ends its own pause runs again at once, and stops after its current run", async () => {
  const pause = createPause();
  const finished = Promise.withResolvers<void>();
  const { count, run } = counting(async (number) => {
    if (number === 1) pause.cutShort();
  });
  let isStopped = false;
  const stop = work([{ name: "own pace", every: hour, pause, run, end: () => finished.promise }]);
  await expect.poll(() => count.runs).toBe(2);
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  finished.resolve();
  await stopped;
});
