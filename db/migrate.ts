import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { type Database, openDatabase, statementSeconds } from "./client.ts";

const migrationsFolder = fileURLToPath(new URL("./migrations", import.meta.url));

/** Any number that nobody else locks: "earnest" read as bytes, cut to what fits. */
const migrationLock = 0x6561_726e_6573;

/** PostgreSQL's codes for whoever waited too long for a lock, or gave way where two wait for each other. */
const gaveWay = ["55P03", "40P01"];
const mostTries = 10;
/** So often it gives way within that time, in which PostgreSQL ends nobody. After that it waits, as it must for a long vacuum. */
const polite = { tries: 5, lockTimeout: "200ms" };

/** The database was migrated by a version that this one does not continue, as those before the baseline. */
export class ForeignSchemaError extends Error {
  constructor() {
    super(
      "The database was made before the baseline migration and cannot be upgraded: use an empty database. On one machine, `npm start -- --reset` empties the state.",
    );
  }
}

/**
 * Brings a database up to date: our tables, and those of `graphile-worker`. Processes that start together take turns,
 * and on a current database it does nothing.
 *
 * Programs of the release before run meanwhile, and lock tables in other orders: the migration gives way to them. It is then
 * undone as a whole, and begun again.
 *
 * @throws ForeignSchemaError where the first migration of the database is not ours
 */
export async function migrateDatabase(url: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(url, tries <= polite.tries ? polite.lockTimeout : "0");
    } catch (error) {
      if (tries === mostTries || !gaveWay.includes(String((error as { code?: unknown }).code))) throw error;
      await sleep(1000 * Math.random());
    }
  }
}

async function migrateOnce(url: string, lockTimeout: string): Promise<void> {
  // One connection, since the lock belongs to a session; closing it gives the lock back.
  const db = openDatabase(url, { max: 1, statementSeconds: statementSeconds.migration });
  try {
    await db.execute(sql`select pg_advisory_lock(${migrationLock}::bigint)`);
    await db.execute(sql`select set_config('lock_timeout', ${lockTimeout}, false)`);
    await requireOurs(db);
    await migrate(drizzle(db.$client), { migrationsFolder });
    // Loaded here, since the API asks this file only whether the database is migrated.
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

/** Whether drizzle's table of applied migrations is there. */
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
 * Whether a database has every migration of ours that this program knows, and the tables of `graphile-worker`. These are
 * installed last, and a worker brings them up to date by itself.
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
