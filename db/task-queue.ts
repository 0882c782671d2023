import type { Database, Transaction } from "./client.ts";
import { sql } from "./drizzle.ts";

/** The kinds of tasks that workers share by graphile-worker. One task of a kind runs at a time. */
export type TaskName = "renewals" | "mail" | "domains" | "probes" | "probe_targets" | "exports" | "erasures";

type TaskOptions = {
  payload?: Record<string, unknown>;
  /** replaces the waiting task of the same key */
  key?: string;
  /** seconds from now */
  after?: number;
};

/** Adds a task, which starts after the commit. */
export async function addTask(
  db: Database | Transaction,
  name: TaskName,
  { payload = {}, key, after = 0 }: TaskOptions = {},
): Promise<void> {
  await db.execute(sql`
    select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json, queue_name => ${name},
      run_at => now() + make_interval(secs => ${after}::float8), job_key => ${key ?? null})`);
}
