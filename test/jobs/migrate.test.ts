import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Database, openDatabase } from "../../db/client.ts";
import { isMigrated, migrateDatabase } from "../../db/migrate.ts";
import { createKeyFile } from "../../signer.ts";
import { runStatement } from "../../stack/postgres.ts";
import { until } from "../harness/jobs/ledger.ts";
import { spawnWorker } from "../harness/jobs/processes.ts";

const name = `migrate_${process.pid}_${Date.now()}`;
const folder = mkdtempSync(join(tmpdir(), "earnest-migrate-"));
let url: string;
let db: Database;

async function maintain(statement: string) {
  await runStatement(inject("postgresUrl"), statement);
}

beforeAll(async () => {
  await maintain(`create database ${name}`);
  const place = new URL(inject("postgresUrl"));
  place.pathname = `/${name}`;
  url = place.href;
  db = openDatabase(url, { max: 2 });
});
afterAll(async () => {
  await db.$client.end();
  await maintain(`drop database ${name} with (force)`);
  rmSync(folder, { recursive: true, force: true });
});

test("a worker on a database that was never migrated says so and ends", async () => {
  expect(await isMigrated(db)).toBe(false);
  const file = join(folder, "signing.json");
  createKeyFile(file);
  const worker = spawnWorker({
    DATABASE_URL: url,
    DEPLOYMENTS_DIR: inject("baseDeployments"),
    SIGNING_KEY_FILE: file,
  });
  await until(async () => worker.ended() !== null, "the worker ends");
  expect(worker.ended()).toBe(1);
  expect(worker.output()).toBe(
    "The database is not up to date with this program: run `npm run migrate` first.\n",
  );
});

test("processes that migrate at once take turns, and each migration is applied once", async () => {
  await Promise.all([1, 2, 3, 4].map(() => migrateDatabase(url)));
  expect(await isMigrated(db)).toBe(true);
  const { rows: applied } = await db.execute(sql`select hash from drizzle.__drizzle_migrations`);
  expect(new Set(applied.map(({ hash }) => hash)).size).toBe(applied.length);
  await migrateDatabase(url);
  const { rows: after } = await db.execute(sql`select hash from drizzle.__drizzle_migrations`);
  expect(after).toEqual(applied);
});

test("a migration gives way to a program of the release before, which is not ended, and is begun again", async () => {
  const other = `${name}_other`;
  await maintain(`create database ${other}`);
  const place = new URL(url);
  place.pathname = `/${other}`;
  const [old, program] = [
    openDatabase(place.href, { max: 1 }),
    new pg.Client({ connectionString: place.href }),
  ];
  try {
    const before = join(folder, "before");
    cpSync(fileURLToPath(new URL("../../db/migrations", import.meta.url)), before, { recursive: true });
    const file = join(before, "meta", "_journal.json");
    const journal = JSON.parse(readFileSync(file, "utf8")) as { entries: { tag: string }[] };
    const at = journal.entries.findIndex(({ tag }) => tag === "0055_listed_agents");
    writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, at) }));
    await migrate(drizzle(old.$client), { migrationsFolder: before });
    await program.connect();
    // The migration locks agents first, and shelves after them.
    await program.query("begin; select from earnest.shelved_offer");
    const migrating = migrateDatabase(place.href);
    await expect
      .poll(async () => {
        const waiting = `select from pg_locks
          where relation = 'earnest.shelved_offer'::regclass and mode = 'AccessExclusiveLock' and not granted`;
        return (await program.query(waiting)).rowCount;
      })
      .toBe(1);
    await program.query("select from earnest.agent; commit");
    await migrating;
    expect(await isMigrated(old)).toBe(true);
  } finally {
    await program.end();
    await old.$client.end();
    await maintain(`drop database ${other} with (force)`);
  }
});

test("a database that lacks the newest migration is not up to date", async () => {
  await db.execute(sql`
    delete from drizzle.__drizzle_migrations
    where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`);
  expect(await isMigrated(db)).toBe(false);
});
