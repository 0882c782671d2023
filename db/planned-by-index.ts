import { type SQL, sql } from "drizzle-orm";
import { buildOnce } from "./client.ts";

/**
 * For the rest of a transaction, statements are planned by indexes alone. What is ordered and limited has to be so by an index, and
 * rows are joined by `hasKey`.
 *
 * PostgreSQL does not know yet how much of a burst waits, and takes reading all of some hundred pages for cheap: a batch then
 * read the whole queue. Such statements have no name: a plan from when a table was nearly empty goes by any index.
 */
export const planByIndex = buildOnce(
  () => sql`
    select set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
      set_config('enable_incremental_sort', 'off', true), set_config('random_page_cost', '0.1', true)`,
  "plan_by_index",
);

/** Whether a row has a key, in a form that an index answers row by row: by an equality all rows may be joined at once. */
export const hasKey = (column: SQL, key: SQL) => sql`${column} between ${key} and ${key}`;
