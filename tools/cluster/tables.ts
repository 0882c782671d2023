import { z } from "zod";
import { runStatement } from "../stack/postgres.ts";

const tablesSchema = z.object({
  size: z.coerce.number(),
  heap: z.coerce.number(),
  indexes: z.coerce.number(),
  rows: z.coerce.number(),
  dead: z.coerce.number(),
  deadest: z.string().nullable(),
  deliveries: z.coerce.number(),
  relays: z.coerce.number(),
  log: z.coerce.number(),
  records: z.coerce.number(),
});

/**
 * The state of the database: bytes in all, of tables and of indexes; rows and dead rows; the table with the most dead rows.
 * The other fields are the lengths of the queues.
 */
export type Tables = z.output<typeof tablesSchema>;

export async function readTables(url: string): Promise<Tables> {
  const [row] = await runStatement(
    url,
    `select pg_database_size(current_database()) as size,
       (select sum(pg_table_size(relid)) from pg_stat_user_tables) as heap,
       (select sum(pg_indexes_size(relid)) from pg_stat_user_tables) as indexes,
       (select sum(n_live_tup + n_dead_tup) from pg_stat_user_tables) as rows,
       (select sum(n_dead_tup) from pg_stat_user_tables) as dead,
       (select relname || ' ' || n_dead_tup from pg_stat_user_tables order by n_dead_tup desc limit 1) as deadest,
       (select count(*) from earnest.webhook_delivery where status = 'pending') as deliveries,
       (select count(*) from earnest.relay where status in ('queued', 'signed')) as relays,
       (select count(*) from earnest.log_queue) as log,
       (select count(*) from earnest.record_due where due_at < now()) as records`,
  );
  return tablesSchema.parse(row);
}

const grownSchema = z.array(
  z.object({ name: z.string(), heap: z.coerce.number(), indexes: z.coerce.number() }),
);

/** The bytes of each table and of its indexes. */
export type Sizes = z.output<typeof grownSchema>;

export async function readSizes(url: string): Promise<Sizes> {
  const rows = await runStatement(
    url,
    `select schemaname || '.' || relname as name, pg_table_size(relid) as heap, pg_indexes_size(relid) as indexes
     from pg_stat_user_tables order by name`,
  );
  return grownSchema.parse(rows);
}
