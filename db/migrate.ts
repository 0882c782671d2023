import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { type Database, openDatabase, statementSeconds } from "./client.ts";
import { sql } from "./drizzle.ts";

const migrationsFolder = fileURLToPath(new URL("./migrations", import.meta.url));

/** Key of the advisory lock: the bytes of "earnest", shortened to fit. */
const migrationLock = 0x6561_726e_6573;

/** PostgreSQL's codes of a lock timeout and of a deadlock. */
const lockFailures = ["55P03", "40P01"];
const mostTries = 10;
/** Attempts with a lock timeout that ends before PostgreSQL detects deadlocks. Later attempts wait, for example for a long vacuum. */
const shortAttempts = { tries: 5, lockTimeout: "200ms" };

/** Thrown if the first migration of the database is not the baseline of this program. */
export class ForeignSchemaError extends Error {
  constructor() {
    super(
      "The database has other migrations than this program and cannot be upgraded. Use an empty database; on one machine, `npm start -- --reset` empties the state.",
    );
  }
}

/**
 * Migrates a database: the tables of Earnest and those of `graphile-worker`. Processes that start together take turns. On a
 * current database the function does nothing.
 *
 * Programs of the release being replaced still run, and may lock tables in another order. If a lock fails, the migration is
 * rolled back and starts again.
 *
 * @throws ForeignSchemaError if the first migration of the database is another
 */
export async function migrateDatabase(url: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(url, tries <= shortAttempts.tries ? shortAttempts.lockTimeout : "0");
    } catch (error) {
      if (tries === mostTries || !lockFailures.includes(String((error as { code?: unknown }).code)))
        throw error;
      await sleep(1000 * Math.random());
    }
  }
}

async function migrateOnce(url: string, lockTimeout: string): Promise<void> {
  // The lock belongs to a session, so there is one connection. Its end frees the lock.
  const db = openDatabase(url, { max: 1, statementSeconds: statementSeconds.migration });
  try {
    await db.execute(sql`select pg_advisory_lock(${migrationLock}::bigint)`);
    await db.execute(sql`select set_config('lock_timeout', ${lockTimeout}, false)`);
    await requireOurs(db);
    await migrate(drizzle(db.$client), { migrationsFolder });
    // Loaded here, because the API only needs `isMigrated` of this file.
    const { runMigrations } = await import("graphile-worker");
    await runMigrations({ pgPool: db.$client });
  } finally {
    await db.$client.end();
  }
}

async function requireOurs(db: Database): Promise<void> {
  if (!(await hasMigrations(db))) return;
  const {
    rows: [first],
  } = await db.execute<{ hash: string }>(
    sql`select hash from drizzle.__drizzle_migrations order by created_at limit 1`,
  );
  if (first && first.hash !== readMigrationFiles({ migrationsFolder })[0]?.hash)
    throw new ForeignSchemaError();
}

/** Whether drizzle's table of applied migrations exists. */
async function hasMigrations(db: Database): Promise<boolean> {
  return hasRelation(db, "drizzle.__drizzle_migrations");
}

async function hasRelation(db: Database, name: string): Promise<boolean> {
  const {
    rows: [found],
  } = await db.execute<{ name: string | null }>(sql`select to_regclass(${name})::text as name`);
  return Boolean(found?.name);
}

/**
 * Whether a database has all migrations of this program, and the tables of `graphile-worker`. Those are installed last,
 * and workers migrate them by themselves.
 */
export async function isMigrated(db: Database): Promise<boolean> {
  if (!(await hasMigrations(db)) || !(await hasRelation(db, "graphile_worker.jobs"))) return false;
  const {
    rows: [last],
  } = await db.execute<{ at: string | null }>(
    sql`select max(created_at)::text as at from drizzle.__drizzle_migrations`,
  );
  const newest = Math.max(...readMigrationFiles({ migrationsFolder }).map((file) => file.folderMillis));
  return Number(last?.at ?? 0) >= newest;
}
