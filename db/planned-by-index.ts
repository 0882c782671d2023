import { type SQL, sql } from "drizzle-orm";
import { buildOnce, type Database, type Transaction } from "./client.ts";
import { together } from "./pipeline.ts";

/** Milliseconds for which a plan is used again. */
const keptFor = 1000;

const plannedAt = new WeakMap<object, number>();

/**
 * For the rest of a transaction, statements are planned by indexes alone. What is ordered and limited has to be so by an index, and
 * rows are joined by `hasKey`. All is asked in the turn of the event loop in which this is called.
 *
 * PostgreSQL does not know yet how much of a burst waits, and takes reading all of some hundred pages for cheap: a batch then
 * read the whole queue. Planning costs as much as half of a batch, so a named statement is planned once for the batches of
 * a second: a plan for longer would be from when a table was nearly empty, and go by any index.
 */
export async function planByIndex(tx: Database | Transaction): Promise<void> {
  const { session } = tx._;
  const now = performance.now();
  if (now - (plannedAt.get(session) ?? Number.NEGATIVE_INFINITY) < keptFor) {
    await byIndex(tx).execute();
    return;
  }
  plannedAt.set(session, now);
  await together(discard(tx).execute(), byIndex(tx).execute());
}

const byIndex = buildOnce(
  () => sql`
    select set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
      set_config('enable_incremental_sort', 'off', true), set_config('random_page_cost', '0.1', true),
      set_config('plan_cache_mode', 'force_generic_plan', true)`,
  "plan_by_index",
);

const discard = buildOnce(() => sql`discard plans`);

/** Whether a row has a key, in a form that an index answers row by row: by an equality all rows may be joined at once. */
export const hasKey = (column: SQL, key: SQL) => sql`${column} between ${key} and ${key}`;
