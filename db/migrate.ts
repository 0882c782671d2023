import { fileURLToPath } from "node:url";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { runMigrations } from "graphile-worker";
import { openDatabase } from "./client.ts";

const migrationsFolder = fileURLToPath(new URL("./migrations", import.meta.url));

/** Any number that nobody else locks: "earnest" read as bytes, cut to what fits. */
const migrationLock = 0x6561_726e_6573;

/**
 * Brings a database up to date: our own schema, then the job queue's. Processes that start together take turns,
 * and on a current database it does nothing.
 */
export async function migrateDatabase(url: string): Promise<void> {
  // One connection, since the lock belongs to a session; closing it gives the lock back.
  const db = openDatabase(url, { max: 1 });
  try {
    await db.$client`select pg_advisory_lock(${migrationLock})`;
    await migrate(db, { migrationsFolder });
    await runMigrations({ connectionString: url });
  } finally {
    await db.$client.end();
  }
}
