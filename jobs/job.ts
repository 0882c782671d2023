import type { Logger } from "pino";
import { inSpan } from "../config/tracing.ts";
import { isIndexMissing } from "../db/chain-index.ts";
import type { Database } from "../db/client.ts";
import { type SQL, sql } from "../db/drizzle.ts";
import { listen } from "../db/listen.ts";
import { type DueCondition, watchDueJobs } from "./due-jobs.ts";
import { createPause, type Pause, repeatRounds } from "./loop.ts";

/** Work that a worker repeats. */
export type Job = {
  name: string;
  /** milliseconds from the end of a run to the next; with `runBy: "one worker"`, from start to start */
  every: number;
  /**
   * When the job is due (see `DueCondition` in due-jobs.ts). The job then runs when these conditions say so, when it is
   * woken, and at the latest after `runsAnywayAfter`. `every` is the time between two checks.
   */
  due?: SQL;
  news?: SQL;
  /** set if `due` or `news` reads the index */
  readsIndex?: boolean;
  /** for a job with `due` or `news`: milliseconds after which it runs in any case; five minutes by default */
  runsAnywayAfter?: number;
  /** the PostgreSQL channel whose notifications start the next run early */
  wokenBy?: string;
  /** Decides by a notification's payload whether it wakes the job; null when listening begins. By default every notification does. */
  isWokenBy?(payload: string | null): boolean;
  /** milliseconds from a notification to the run, so that other jobs woken by the same commit run first */
  wakeDelay?: number;
  /** set if the job reads the index: it waits until the indexer has run on this database */
  needsIndex?: boolean;
  /** set if the job needs the relayer's key */
  needsRelayer?: boolean;
  /** "one worker": only the first worker in each period runs the job. All workers run it by default. */
  runBy?: "all workers" | "one worker";
  run(): Promise<unknown>;
  /** the pause between runs, for a job that cuts the pause short itself */
  pause?: Pause;
  /** Finishes the work in flight after the last run. */
  end?(): Promise<void>;
};

type RunOptions = { db: Database; databaseUrl: string; log: Logger; signal: AbortSignal };

/** The most milliseconds between two checks whether the index exists. */
const indexCheckEvery = 2000;
/** Milliseconds between two checks whether a one-worker job is due. */
const dueCheckEvery = 4000;
/** Milliseconds after which a job runs in any case. */
const usualRunsAnywayAfter = 300_000;

/** Runs jobs until the signal. Returns when all of them have ended. */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<void> {
  const wakes = new Map<string, ((payload: string | null) => void)[]>();
  const conditions: DueCondition[] = [];
  const running = jobs.map((given) => {
    const { pause = createPause(), ...job } =
      given.runBy === "one worker" ? asOneWorkerJob(given, options.db) : given;
    const { due, news, every, readsIndex, wokenBy, isWokenBy = () => true, wakeDelay = 0 } = job;
    if (due || news) conditions.push({ due, news, every, readsIndex, wake: pause.cutShort });
    if (wokenBy) {
      const cut = wakeDelay > 0 ? createDelay(wakeDelay, pause.cutShort) : pause.cutShort;
      const wake = (payload: string | null) => isWokenBy(payload) && cut();
      wakes.set(wokenBy, [...(wakes.get(wokenBy) ?? []), wake]);
    }
    return runJob(job, pause, options);
  });
  if (conditions.length > 0) running.push(watchDueJobs(conditions, options));
  const channels = [...wakes].map(([channel, each]) => {
    const wake = (payload: string | null) => {
      for (const wakeJob of each) wakeJob(payload);
    };
    return [channel, wake] as const;
  });
  if (channels.length > 0) running.push(listen(Object.fromEntries(channels), options));
  await Promise.allSettled(running);
}

/** Debounces an action: it runs a while after the first call, once for all calls in between. */
function createDelay(milliseconds: number, act: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      act();
    }, milliseconds).unref();
  };
}

async function runJob(job: Job, pause: Pause, { log, signal }: RunOptions): Promise<void> {
  const between = job.due || job.news ? (job.runsAnywayAfter ?? usualRunsAnywayAfter) : job.every;
  const round = async () => {
    try {
      await inSpan({ name: `job ${job.name}` }, () => job.run());
    } catch (error) {
      if (!job.needsIndex || !isIndexMissing(error)) throw error;
      return Math.min(between, indexCheckEvery);
    }
    return between;
  };
  await repeatRounds(job.name, round, { pause, signal, log });
  await job.end?.();
}

/** Wraps a job so that all workers check it, and one runs it in each period. */
function asOneWorkerJob(job: Job, db: Database): Job {
  const due = sql`not exists (
    select from earnest.periodic_task where name = ${job.name} and ${hasPeriod(job)})`;
  return { ...job, due, every: dueCheckEvery, run: () => runOnceAPeriod(db, job) };
}

/**
 * Returns the condition that a period is running. A row whose end lies more than a minute beyond a period from now was
 * written before the database's clock was set back. The minute covers transactions that began later: `now()` is the
 * start time of a transaction.
 */
const hasPeriod = ({ every }: Pick<Job, "every">, row = "periodic_task") =>
  sql`${sql.identifier(row)}.due_at between now() and now() + make_interval(secs => ${every / 1000 + 60})`;

/** Runs a job unless a worker has run it in this period. A job that fails is due again at once. */
async function runOnceAPeriod(db: Database, { name, every, run }: Job): Promise<void> {
  const { rows } = await db.execute(sql`
    insert into earnest.periodic_task as stored (name, due_at)
    values (${name}, now() + make_interval(secs => ${every / 1000}))
    on conflict (name) do update set due_at = excluded.due_at where not (${hasPeriod({ every }, "stored")})
    returning name`);
  if (rows.length === 0) return;
  try {
    await run();
  } catch (error) {
    await db.execute(sql`update earnest.periodic_task set due_at = now() where name = ${name}`);
    throw error;
  }
}
