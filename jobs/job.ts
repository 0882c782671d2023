import { sql } from "drizzle-orm";
import type { Logger } from "pino";
import { isWithoutIndex } from "../db/chain.ts";
import type { Database } from "../db/client.ts";
import { keepListening } from "./listen.ts";
import { createPause, type Pause, repeat } from "./loop.ts";

/** Work that a worker does again and again. */
export type Job = {
  name: string;
  /** milliseconds between the end of a run and the next; for one worker at a time, from one run's beginning to the next */
  every: number;
  /** the channel of PostgreSQL whose notifications begin the next run early */
  wokenBy?: string;
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
const dueLook = 5000;

/** Runs jobs until the signal, and returns when all of them have ended. */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<void> {
  const sleepers = new Map<string, Pause[]>();
  const running = jobs.map(({ pause = createPause(), ...job }) => {
    if (job.wokenBy) sleepers.set(job.wokenBy, [...(sleepers.get(job.wokenBy) ?? []), pause]);
    return runJob(job, pause, options);
  });
  const channels = [...sleepers].map(([channel, pauses]) => {
    const wake = () => {
      for (const pause of pauses) pause.cutShort();
    };
    return [channel, wake] as const;
  });
  if (channels.length > 0) running.push(keepListening(Object.fromEntries(channels), options));
  await Promise.allSettled(running);
}

async function runJob(job: Job, pause: Pause, { db, log, signal }: RunOptions): Promise<void> {
  const run = job.runBy === "one worker" ? () => runOnceAPeriod(db, job) : job.run;
  const between = job.runBy === "one worker" ? dueLook : job.every;
  const round = async () => {
    try {
      await run();
    } catch (error) {
      if (!job.needsIndex || !isWithoutIndex(error)) throw error;
      return Math.min(between, indexLook);
    }
    return between;
  };
  await repeat(job.name, round, { pause, signal, log });
  await job.end?.();
}

/** Runs a job unless a worker has in this period. One that fails is due again at once. */
async function runOnceAPeriod(db: Database, { name, every, run }: Job): Promise<void> {
  const { rows } = await db.execute(sql`
    insert into earnest.periodic_task as standing (name, due_at)
    values (${name}, now() + make_interval(secs => ${every / 1000}))
    on conflict (name) do update set due_at = excluded.due_at where standing.due_at <= now()
    returning name`);
  if (rows.length === 0) return;
  try {
    await run();
  } catch (error) {
    await db.execute(sql`update earnest.periodic_task set due_at = now() where name = ${name}`);
    throw error;
  }
}
