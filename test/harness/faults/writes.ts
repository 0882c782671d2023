import { sql } from "drizzle-orm";
import type { Database } from "../../../db/client.ts";
import { until } from "../jobs/ledger.ts";

/** The lock on which the writes wait; any number does. */
const gateLock = 4711;

/**
 * Runs `work` while each write to a table of `earnest` waits within its transaction. The writes go on once `work` is done
 * and at least one of them has waited.
 *
 * @param options.on which writes wait, as a trigger says it: `before insert`
 * @param options.when the condition of the trigger, as in `when (old.size <> new.size)`
 */
export async function whileWritesWait(
  db: Database,
  table: string,
  { on, when = "" }: { on: string; when?: string },
  work: (waiting: Promise<unknown>) => Promise<void>,
): Promise<void> {
  const gate = await db.$client.connect();
  const name = sql.identifier(table);
  await gate.query(`select pg_advisory_lock(${gateLock})`);
  await db.execute(sql`
    create or replace function earnest.wait_at_gate() returns trigger language plpgsql as
    ${sql.raw(`'begin perform pg_advisory_xact_lock_shared(${gateLock}); return new; end'`)}`);
  await db.execute(sql`
    create trigger gate ${sql.raw(on)} on earnest.${name} for each row ${sql.raw(when)}
    execute function earnest.wait_at_gate()`);
  const waiting = until(async () => {
    const { rows } = await db.execute<{ n: number }>(sql`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`);
    return (rows[0]?.n ?? 0) > 0;
  }, `a write to ${table} waits`);
  try {
    await work(waiting);
    await waiting;
  } finally {
    await gate.query(`select pg_advisory_unlock(${gateLock})`);
    gate.release();
    await db.execute(sql`drop trigger gate on earnest.${name}`);
  }
}
