import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { type Database, openDatabase, statementSeconds } from "./client.ts";

const migrationsFolder = fileURLToPath(new URL("./migrations", import.meta.url));

/** Any number that nobody else locks: "earnest" read as bytes, cut to what fits. */
const migrationLock = 0x6561_726e_6573;

/**
 * Brings a database up to date. Processes that start together take turns,
 * and on a current database it does nothing.
 */
export async function migrateDatabase(url: string): Promise<void> {
  // One connection, since the lock belongs to a session; closing it gives the lock back.
  const db = openDatabase(url, { max: 1, statementSeconds: statementSeconds.migration });
  try {
    await db.execute(sql`select pg_advisory_lock(${migrationLock}::bigint)`);
    await migrate(db, { migrationsFolder });
  } finally {
    await db.$client.end();
  }
}

/** Whether a database has every migration that this program knows. */
export async function isMigrated(db: Database): Promise<boolean> {
  const {
    rows: [found],
  } = await db.execute<{ ours: string | null }>(
    sql`select to_regclass('drizzle.__drizzle_migrations')::text as ours`,
  );
  if (!found?.ours) return false;
  const {
    rows: [last],
  } = await db.execute<{ at: string | null }>(
    sql`select max(created_at)::text as at from drizzle.__drizzle_migrations`,
  );
  const newest = Math.max(...readMigrationFiles({ migrationsFolder }).map((file) => file.folderMillis));
  return Number(last?.at ?? 0) >= newest;
}
