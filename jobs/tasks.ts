import { EventEmitter } from "node:events";
import { sql } from "drizzle-orm";
import {
  Logger as GraphileLogger,
  type JobHelpers,
  makeWorkerUtils,
  run,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type { Logger } from "pino";
import { traced } from "../config/tracing.ts";
import { type Database, openDatabase } from "../db/client.ts";
import { type Lease, takeLease } from "../db/lease.ts";
import { addTask, type TaskName } from "../db/task-queue.ts";
import { repeat } from "./loop.ts";

/**
 * To-do work. It may be killed at any instant and begun again, so its effects hang on the rows that it finds.
 *
 * @returns the seconds until the task has something to do again; null where something else adds the next task
 */
export type Task = (options: { payload: unknown; signal: AbortSignal }) => Promise<number | null>;

export type Tasks = Partial<
  Record<
    TaskName,
    {
      run: Task;
      /** when it runs anyway, as a crontab says it; also when a worker begins */
      anyway?: string;
    }
  >
>;

type Options = {
  db: Database;
  /** reaches PostgreSQL itself, since a pooler of transactions carries no LISTEN */
  databaseUrl: string;
  log: Logger;
  signal: AbortSignal;
};

/** Milliseconds after which the tasks of a worker that was killed or hangs are free. */
const term = 15_000;
/** Milliseconds between two looks for tasks of such workers. */
const unlockEvery = 5000;
/** Milliseconds of failed queries for a task after which a runner is replaced. */
const patience = 5000;
/** Seconds that the database may take to answer. */
const answerSeconds = 30;

const leasePrefix = "tasks of ";

/** Milliseconds: as long as a timer can be. */
const longest = 2 ** 31 - 1;

/** Runs the tasks that are due, beside other workers, until the signal. Returns when those under way have ended. */
export async function runTasks(tasks: Tasks, { db, databaseUrl, log, signal }: Options): Promise<void> {
  const concurrency = Object.keys(tasks).length;
  const direct = openDatabase(databaseUrl, { max: concurrency + 2, answerSeconds });
  const logger = new GraphileLogger(() => (level, message, meta) => {
    // A task's failure is logged where its error is known.
    if (meta?.failure) return;
    log[level === "error" ? "error" : level === "warning" ? "warn" : "debug"]({ part: "tasks" }, message);
  });
  const list = Object.entries(tasks) as [TaskName, NonNullable<Tasks[TaskName]>][];
  const regular = list.filter(([, { anyway }]) => anyway);
  const crontab = regular
    .map(([name, { anyway }]) => `${anyway} ${name} ?queue=${name}&jobKey=${name}`)
    .join("\n");

  async function round(): Promise<number> {
    const over = new AbortController();
    const stopped = AbortSignal.any([signal, over.signal]);
    const running = new Map<string, Promise<unknown>>();
    const events: WorkerEvents = new EventEmitter();
    const created = new Promise<string>((resolve) =>
      events.once("pool:create", ({ workerPool }) => resolve(workerPool.id)),
    );
    // A runner caches the result of its first query, also a failure, and then finds no task.
    let failsSince: number | null = null;
    events.on("worker:getJob:error", () => {
      failsSince ??= performance.now();
      if (performance.now() - failsSince > patience) over.abort();
    });
    for (const event of ["worker:getJob:empty", "job:start"] as const) {
      events.on(event, () => {
        failsSince = null;
      });
    }
    const runner = await run({
      ...{ pgPool: direct.$client, noHandleSignals: true, logger, events, concurrency, crontab },
      taskList: listed(running, stopped),
      // A batch retries what a lost connection left undone. At the end of its patience the runner ends.
      preset: {
        worker: {
          ...{ completeJobBatchDelay: 0, failJobBatchDelay: 0 },
          // The runner gives a task that it aborts to others, though the task still runs here. The signal ends each task.
          gracefulShutdownAbortTimeout: longest,
        },
      },
    });
    // A rejection that nobody awaits yet would end the process. The runner has logged its cause.
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
      const look = async () => {
        if (await unlockDead(db, owner, running)) over.abort();
        return unlockEvery;
      };
      await repeat("locks of tasks", look, { signal: stopped, log });
    } finally {
      over.abort();
      await Promise.allSettled([ended, stops]);
      // A runner that failed may have left tasks, which nobody else may begin yet.
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
          const run = traced({ name: `task ${name}` }, () => task.run({ payload, signal: stopped }));
          running.set(job.id, Promise.allSettled([run]));
          try {
            const next = await run;
            if (next !== null) await addTask(db, name, { key: name, after: Math.max(next, 0.2) });
          } catch (error) {
            log.error({ err: error, part: name }, "a task failed and is tried again");
            // PostgreSQL keeps the message of an error, which may hold values.
            throw new Error("The worker's log has the cause.");
          } finally {
            running.delete(job.id);
          }
        },
      ]),
    );
  }

  await repeat("tasks", round, { signal, log });
  await direct.$client.end();
}

/**
 * Frees the tasks of workers without a lease. A runner has its first task a moment before it has its lease.
 *
 * @returns whether a task is locked for this worker that does not run here: the answer of PostgreSQL was lost
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
    // A task that had already added its successor is not tried again.
    await utils.cleanup({ tasks: ["DELETE_PERMAFAILED_JOBS"] });
  } finally {
    await utils.release();
  }
}
