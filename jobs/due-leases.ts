import type { Database } from "../db/client.ts";
import { type SQL, sql } from "../db/drizzle.ts";

/** A table whose rows are due at a time, if they are active, and the columns of a leased row. */
type DueTable = Record<"table" | "dueAt" | "isActive" | "columns", SQL>;

/** A row that no other task takes before `until`, which also identifies the lease. */
type Leased = { id: string; until: string };

/** Seconds of a lease: longer than the longest check or probe. */
const leaseSeconds = 30;

/** Creates the leases of a table's rows. A lease moves the time at which its row is due. */
export function createDueLeases<Row extends Leased>({ table, dueAt, isActive, columns }: DueTable) {
  return {
    async take(db: Database, ids: readonly string[]): Promise<Row[]> {
      const { rows } = await db.execute<Leased>(sql`
        update ${table} set ${dueAt} = now() + make_interval(secs => ${leaseSeconds})
        where id = any(${sql.param([...ids])}::text[]) and ${isActive} and ${dueAt} <= now()
        returning id, ${columns}, ${dueAt}::text as until`);
      return rows as Row[];
    },
    /** Ends the lease of a row that was not worked on. */
    async giveBack(db: Database, { id, until }: Leased): Promise<void> {
      await db.execute(
        sql`update ${table} set ${dueAt} = now() where id = ${id} and ${dueAt} = ${until}::timestamptz`,
      );
    },
    /** Returns the seconds until a row is due; null if none is within a minute. */
    async secondsToNext(db: Database): Promise<number | null> {
      const { rows } = await db.execute<{ seconds: number | null }>(sql`
        select extract(epoch from min(${dueAt}) - now())::float8 as seconds from ${table}
        where ${isActive} and ${dueAt} < now() + interval '1 minute'`);
      return rows[0]?.seconds ?? null;
    },
  };
}
