import { type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { traced } from "../config/tracing.ts";
import { isWithoutIndex } from "../db/chain-index.ts";
import type { Database } from "../db/client.ts";
import { listen } from "../db/listen.ts";
import { keepAgenda, type Question } from "./due-jobs.ts";
import { createPause, type Pause, repeat } from "./loop.ts";

/** Work that a worker does again and again. */
export type Job = {
  name: string;
  /** milliseconds between the end of a run and the next; for one worker at a time, from one run's beginning to the next */
  every: number;
  /**
   * whether there is anything for it to do, and what may be new (`Question` in agenda.ts): `every` is then the time
   * between two looks, and it runs when they say so, when it is woken, and at least after `anyway`
   */
  due?: SQL;
  news?: SQL;
  /** they read the index */
  readsIndex?: boolean;
  /** for a job with `due` or `news`: milliseconds after which it runs whatever that says; five minutes unless told */
  anyway?: number;
  /** the channel of PostgreSQL whose notifications begin the next run early */
  wokenBy?: string;
  /** which of them do, by the text that one carries, null when listening begins; all unless told */
  heeds?(told: string | null): boolean;
  /** milliseconds from a notification to the run, for what can wait until those have been served that the same commit woke */
  restsFirst?: number;
  /** works from the index: it waits until the indexer was started on this database */
  needsIndex?: boolean;
  /** works only where this worker has the relaying wallet's key */
  needsRelayer?: boolean;
  /** all workers run it side by side unless told; else whichever comes first in each period */
  runBy?: "all workers" | "one worker";
  run(): Promise<unknown>;
  /** the pause between its runs, where the job itself cuts it short */
  pause?: Pause;
  /** brings what is under way to its end, after the last run */
  end?(): Promise<void>;
};

type RunOptions = { db: Database; databaseUrl: string; log: Logger; signal: AbortSignal };

/** The most milliseconds between two looks whether the index is there. */
const indexLook = 2000;
/** Milliseconds between two looks whether a job of one worker is due. */
const dueLook = 4000;
/** Milliseconds after which a job runs though nothing says that it is due. */
const usualAnyway = 300_000;

/** Runs jobs until the signal, and returns when all of them have ended. */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<void> {
  const wakes = new Map<string, ((told: string | null) => void)[]>();
  const questions: Question[] = [];
  const running = jobs.map((given) => {
    const { pause = createPause(), ...job } =
      given.runBy === "one worker" ? ofOneWorker(given, options.db) : given;
    const { due, news, every, readsIndex, wokenBy, heeds = () => true, restsFirst = 0 } = job;
    if (due || news) questions.push({ due, news, every, readsIndex, wake: pause.cutShort });
    if (wokenBy) {
      const cut = restsFirst > 0 ? createDelay(restsFirst, pause.cutShort) : pause.cutShort;
      const wake = (told: string | null) => heeds(told) && cut();
      wakes.set(wokenBy, [...(wakes.get(wokenBy) ?? []), wake]);
    }
    return runJob(job, pause, options);
  });
  if (questions.length > 0) running.push(keepAgenda(questions, options));
  const channels = [...wakes].map(([channel, each]) => {
    const wake = (told: string | null) => {
      for (const one of each) one(told);
    };
    return [channel, wake] as const;
  });
  if (channels.length > 0) running.push(listen(Object.fromEntries(channels), options));
  await Promise.allSettled(running);
}

/** Does something a while after it is first asked for, once for all that ask meanwhile. */
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
  const between = job.due || job.news ? (job.anyway ?? usualAnyway) : job.every;
  const round = async () => {
    try {
      await traced({ name: `job ${job.name}` }, () => job.run());
    } catch (error) {
      if (!job.needsIndex || !isWithoutIndex(error)) throw error;
      return Math.min(between, indexLook);
    }
    return between;
  };
  await repeat(job.name, round, { pause, signal, log });
  await job.end?.();
}

/** A job that all workers look at, and that runs unless a worker has run it in this period. */
function ofOneWorker(job: Job, db: Database): Job {
  const due = sql`not exists (
    select from earnest.periodic_task where name = ${job.name} and ${hasPeriod(job)})`;
  return { ...job, due, every: dueLook, run: () => runOnceAPeriod(db, job) };
}

/**
 * Whether a period is under way. One that ends a minute later than one that began now is of before the database's clock
 * went back. The minute is for transactions that began later than this one, of whose begin `now()` is.
 */
const hasPeriod = ({ every }: Pick<Job, "every">, row = "periodic_task") =>
  sql`${sql.identifier(row)}.due_at between now() and now() + make_interval(secs => ${every / 1000 + 60})`;

/** Runs a job unless a worker has in this period. One that fails is due again at once. */
async function runOnceAPeriod(db: Database, { name, every, run }: Job): Promise<void> {
  const { rows } = await db.execute(sql`
    insert into earnest.periodic_task as standing (name, due_at)
    values (${name}, now() + make_interval(secs => ${every / 1000}))
    on conflict (name) do update set due_at = excluded.due_at where not (${hasPeriod({ every }, "standing")})
    returning name`);
  if (rows.length === 0) return;
  try {
    await run();
  } catch (error) {
    await db.execute(sql`update earnest.periodic_task set due_at = now() where name = ${name}`);
    throw error;
  }
}
