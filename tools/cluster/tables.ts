import { z } from "zod";
import { runStatement } from "../stack/postgres.ts";

const tablesSchema = z.object({
  size: z.coerce.number(),
  dead: z.coerce.number(),
  deadest: z.string().nullable(),
  deliveries: z.coerce.number(),
  relays: z.coerce.number(),
  log: z.coerce.number(),
  records: z.coerce.number(),
});

/**
 * The state of the database: total bytes, dead rows, the table with the most dead rows, and the length of each queue.
 */
export type Tables = z.output<typeof tablesSchema>;

export async function readTables(url: string): Promise<Tables> {
  const [row] = await runStatement(
    url,
    `select pg_database_size(current_database()) as size,
       (select sum(n_dead_tup) from pg_stat_user_tables) as dead,
       (select relname || ' ' || n_dead_tup from pg_stat_user_tables order by n_dead_tup desc limit 1) as deadest,
       (select count(*) from earnest.webhook_delivery where status = 'pending') as deliveries,
       (select count(*) from earnest.relay where status in ('queued', 'signed')) as relays,
       (select count(*) from earnest.log_queue) as log,
       (select count(*) from earnest.record_due where due_at < now()) as records`,
  );
  return tablesSchema.parse(row);
}
