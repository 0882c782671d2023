import { EventEmitter } from "node:events";
import {
  Logger as GraphileLogger,
  type JobHelpers,
  makeWorkerUtils,
  run,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type { Logger } from "pino";
import { inSpan } from "../config/tracing.ts";
import { type Database, openDatabase } from "../db/client.ts";
import { sql } from "../db/drizzle.ts";
import { type Lease, takeLease } from "../db/lease.ts";
import { addTask, type TaskName } from "../db/task-queue.ts";
import { repeatRounds } from "./loop.ts";

/**
 * A handler of queued work. It may be killed and restarted at any instant, so its effects depend on the rows that it
 * finds.
 * @returns the seconds until the task has more to do; null if something else adds the next task
 */
export type Task = (options: { payload: unknown; signal: AbortSignal }) => Promise<number | null>;

export type Tasks = Partial<
  Record<
    TaskName,
    {
      run: Task;
      /** the crontab by which it runs in any case; it also runs when a worker starts */
      schedule?: string;
    }
  >
>;

type Options = {
  db: Database;
  /** a direct connection to PostgreSQL, since a transaction pooler carries no LISTEN */
  databaseUrl: string;
  log: Logger;
  signal: AbortSignal;
};

/** Milliseconds after which the tasks of a dead or hanging worker become free. */
const term = 15_000;
/** Milliseconds between two checks for tasks of dead workers. */
const unlockEvery = 5000;
/** Milliseconds of failing queries after which a runner is replaced. */
const failingMs = 5000;
/** The most seconds for an answer of the database. */
const answerSeconds = 30;

const leasePrefix = "tasks of ";

/** The longest timer in milliseconds. */
const longest = 2 ** 31 - 1;

/** Runs due tasks beside other workers until the signal. Returns when the tasks in flight have ended. */
export async function runTasks(tasks: Tasks, { db, databaseUrl, log, signal }: Options): Promise<void> {
  const concurrency = Object.keys(tasks).length;
  const direct = openDatabase(databaseUrl, { max: concurrency + 2, answerSeconds });
  const logger = new GraphileLogger(() => (level, message, meta) => {
    // A task's failure is logged where its error is known.
    if (meta?.failure) return;
    log[level === "error" ? "error" : level === "warning" ? "warn" : "debug"]({ part: "tasks" }, message);
  });
  const list = Object.entries(tasks) as [TaskName, NonNullable<Tasks[TaskName]>][];
  const regular = list.filter(([, { schedule }]) => schedule);
  const crontab = regular
    .map(([name, { schedule }]) => `${schedule} ${name} ?queue=${name}&jobKey=${name}`)
    .join("\n");

  async function round(): Promise<number> {
    const over = new AbortController();
    const stopped = AbortSignal.any([signal, over.signal]);
    const running = new Map<string, Promise<unknown>>();
    const events: WorkerEvents = new EventEmitter();
    const created = new Promise<string>((resolve) =>
      events.once("pool:create", ({ workerPool }) => resolve(workerPool.id)),
    );
    // A runner caches the result of its first query, even a failure, and then finds no task.
    let failsSince: number | null = null;
    events.on("worker:getJob:error", () => {
      failsSince ??= performance.now();
      if (performance.now() - failsSince > failingMs) over.abort();
    });
    for (const event of ["worker:getJob:empty", "job:start"] as const) {
      events.on(event, () => {
        failsSince = null;
      });
    }
    const runner = await run({
      pgPool: direct.$client,
      noHandleSignals: true,
      logger,
      events,
      concurrency,
      crontab,
      taskList: listed(running, stopped),
      // A batch repeats the writes that a lost connection dropped. The runner ends when its retries are used up.
      preset: {
        worker: {
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          // The runner hands an aborted task to others although the task still runs here. Our signal ends each task
          // instead.
          gracefulShutdownAbortTimeout: longest,
        },
      },
    });
    // An unhandled rejection would end the process. The runner has logged the cause.
    const ended = runner.promise.catch(() => {}).finally(() => over.abort());
    const stops = new Promise<void>((resolve) => {
      const stop = () => resolve(runner.stop().catch(() => {}));
      if (stopped.aborted) stop();
      else stopped.addEventListener("abort", stop, { once: true });
    });
    const owner = await created;
    let lease: Lease | null = null;
    try {
      await db.execute(sql`
        delete from earnest.lease where name like ${`${leasePrefix}%`} and until < now() - interval '1 minute'`);
      lease = await takeLease(db, `${leasePrefix}${owner}`, { term });
      lease?.signal.addEventListener("abort", () => over.abort(), { once: true });
      for (const [name] of regular) await addTask(db, name, { key: name });
      const unlockRound = async () => {
        if (await unlockDead(db, owner, running)) over.abort();
        return unlockEvery;
      };
      await repeatRounds("locks of tasks", unlockRound, { signal: stopped, log });
    } finally {
      over.abort();
      await Promise.allSettled([ended, stops]);
      // A failed runner may have left tasks running. Until they end, no other worker may start them.
      await Promise.all(running.values());
      await lease?.release();
      await unlock(db, [owner]);
    }
    return 1000;
  }

  function listed(running: Map<string, Promise<unknown>>, stopped: AbortSignal): TaskList {
    return Object.fromEntries(
      list.map(([name, task]) => [
        name,
        async (payload: unknown, { job }: JobHelpers) => {
          const run = inSpan({ name: `task ${name}` }, () => task.run({ payload, signal: stopped }));
          running.set(job.id, Promise.allSettled([run]));
          try {
            const next = await run;
            if (next !== null) await addTask(db, name, { key: name, after: Math.max(next, 0.2) });
          } catch (error) {
            log.error({ err: error, part: name }, "a task failed and is retried");
            // PostgreSQL stores an error's message, which may contain values.
            throw new Error("See the worker's log for the cause.");
          } finally {
            running.delete(job.id);
          }
        },
      ]),
    );
  }

  await repeatRounds("tasks", round, { signal, log });
  await direct.$client.end();
}

/**
 * Frees the tasks of workers without a lease. A new runner gets its first task a moment before its lease.
 * @returns whether a task is locked for this worker but does not run here, because PostgreSQL's answer was lost
 */
async function unlockDead(
  db: Database,
  owner: string,
  running: ReadonlyMap<string, unknown>,
): Promise<boolean> {
  const { rows } = await db.execute<{ id: string; owner: string }>(sql`
    select id::text, locked_by as owner from graphile_worker.jobs
    where locked_at < now() - make_interval(secs => ${term / 1000}) and (locked_by = ${owner} or not exists (
      select from earnest.lease where name = ${leasePrefix} || locked_by and until > now()))`);
  const dead = rows.filter((row) => row.owner !== owner).map((row) => row.owner);
  if (dead.length > 0) await unlock(db, dead);
  return rows.some((row) => row.owner === owner && !running.has(row.id));
}

async function unlock(db: Database, owners: string[]): Promise<void> {
  const utils = await makeWorkerUtils({ pgPool: db.$client });
  try {
    await utils.forceUnlockWorkers(owners);
    // A task that has added its successor is not retried.
    await utils.cleanup({ tasks: ["DELETE_PERMAFAILED_JOBS"] });
  } finally {
    await utils.release();
  }
}
