import { EventEmitter } from "node:events";
import { sql } from "drizzle-orm";
import {
  Logger as GraphileLogger,
  makeWorkerUtils,
  run,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type { Logger } from "pino";
import { type Database, openDatabase } from "../db/client.ts";
import { takeLease } from "../db/lease.ts";
import { addTask, type TaskName } from "../db/tasks.ts";
import { traced } from "../tracing.ts";
import { repeat } from "./loop.ts";

/**
 * To-do work. It may be killed at any instant and begun again, so its effects hang on the rows that it finds.
 *
 * @returns the seconds until the task has something to do again; null where something else adds the next task
 */
export type Task = (options: { payload: unknown; signal: AbortSignal }) => Promise<number | null>;

export type Tasks = Partial<Record<TaskName, { run: Task; everyMinute?: boolean }>>;

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
/** Seconds that the database may take to answer. */
const answerSeconds = 30;

const leasePrefix = "tasks of ";

/** Runs the tasks that are due, beside other workers, until the signal. Returns when those under way have ended. */
export async function runTasks(tasks: Tasks, { db, databaseUrl, log, signal }: Options): Promise<void> {
  const concurrency = Object.keys(tasks).length;
  const direct = openDatabase(databaseUrl, { max: concurrency + 2, answerSeconds });
  const logger = new GraphileLogger(() => (level, message, meta) => {
    // A task's failure is logged where its error is known.
    if (meta?.failure) return;
    log[level === "error" ? "error" : level === "warning" ? "warn" : "debug"]({ part: "tasks" }, message);
  });
  const crontab = Object.entries(tasks)
    .filter(([, task]) => task.everyMinute)
    .map(([name]) => `* * * * * ${name} ?queue=${name}&jobKey=${name}`)
    .join("\n");

  async function round(): Promise<number> {
    const over = new AbortController();
    const stopped = AbortSignal.any([signal, over.signal]);
    const events: WorkerEvents = new EventEmitter();
    const created = new Promise<string>((resolve) =>
      events.once("pool:create", ({ workerPool }) => resolve(workerPool.id)),
    );
    const runner = await run({
      ...{ pgPool: direct.$client, noHandleSignals: true, logger, events, concurrency, crontab },
      taskList: listed(stopped),
      // A batch retries what a lost connection left undone. At the end of its patience the runner ends.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });
    let isStopped: Promise<void> | undefined;
    const stop = () => {
      isStopped ??= runner.stop().catch(() => {});
    };
    stopped.addEventListener("abort", stop, { once: true });
    if (stopped.aborted) stop();
    const ended = runner.promise.finally(() => over.abort());
    try {
      await db.execute(sql`
        delete from earnest.lease where name like ${`${leasePrefix}%`} and until < now() - interval '1 minute'`);
      const lease = await takeLease(db, `${leasePrefix}${await created}`, { term });
      lease?.signal.addEventListener("abort", () => over.abort(), { once: true });
      await ended;
      await lease?.release();
    } finally {
      over.abort();
      await Promise.allSettled([ended, isStopped]);
    }
    return 1000;
  }

  function listed(stopped: AbortSignal): TaskList {
    const list = Object.entries(tasks) as [TaskName, NonNullable<Tasks[TaskName]>][];
    return Object.fromEntries(
      list.map(([name, task]) => [
        name,
        async (payload: unknown) => {
          try {
            const next = await traced({ name: `task ${name}` }, () => task.run({ payload, signal: stopped }));
            if (next !== null) await addTask(db, name, { key: name, after: Math.max(next, 0.2) });
          } catch (error) {
            log.error({ err: error, part: name }, "a task failed and is tried again");
            // PostgreSQL keeps the message of an error, which may hold values.
            throw new Error("The worker's log has the cause.");
          }
        },
      ]),
    );
  }

  await Promise.all([
    repeat("tasks", round, { signal, log }),
    repeat("dead workers", () => unlockDead(db).then(() => unlockEvery), { signal, log }),
  ]);
  await direct.$client.end();
}

/** Frees the tasks of workers without a lease. A runner has its first task a moment before it has its lease. */
export async function unlockDead(db: Database): Promise<void> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select distinct locked_by as id from graphile_worker.jobs
    where locked_at < now() - make_interval(secs => ${term / 1000}) and not exists (
      select from earnest.lease where name = ${leasePrefix} || locked_by and until > now())`);
  if (rows.length === 0) return;
  const utils = await makeWorkerUtils({ pgPool: db.$client });
  try {
    await utils.forceUnlockWorkers(rows.map(({ id }) => id));
    // A task that had already added its successor is not tried again.
    await utils.cleanup({ tasks: ["DELETE_PERMAFAILED_JOBS"] });
  } finally {
    await utils.release();
  }
}
