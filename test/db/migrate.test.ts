import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKeyFile } from "../../config/keys/signing-key.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { ForeignSchemaError, isMigrated, migrateDatabase } from "../../db/migrate.ts";
import { runStatement } from "../../tools/stack/postgres.ts";
import { getFixture } from "../harness/fixtures/fixture.ts";
import { until } from "../harness/jobs/ledger.ts";
import { spawnWorker } from "../harness/jobs/processes.ts";

const name = `migrate_${process.pid}_${Date.now()}`;
const folder = mkdtempSync(join(tmpdir(), "earnest-migrate-"));
let url: string;
let db: Database;

async function maintain(statement: string) {
  await runStatement((await getFixture("postgres")).url, statement);
}

beforeAll(async () => {
  await maintain(`create database ${name}`);
  const place = new URL((await getFixture("postgres")).url);
  place.pathname = `/${name}`;
  url = place.href;
  db = openDatabase(url, { max: 2 });
});
afterAll(async () => {
  await db.$client.end();
  await maintain(`drop database ${name} with (force)`);
  rmSync(folder, { recursive: true, force: true });
});

test("a worker on a database without migrations says so and ends", async () => {
  expect(await isMigrated(db)).toBe(false);
  const file = join(folder, "signing.json");
  createKeyFile(file);
  const worker = spawnWorker({
    DATABASE_URL: url,
    DEPLOYMENTS_DIR: (await getFixture("baseChain")).deployments,
    SIGNING_KEY_FILE: file,
  });
  await until(async () => worker.ended() !== null, "the worker ends");
  expect(worker.ended()).toBe(1);
  expect(worker.output()).toBe(
    "The database schema does not match this program: run `npm run migrate` first.\n",
  );
});

test("concurrent migrations take turns, and each migration is applied once", async () => {
  await Promise.all([1, 2, 3, 4].map(() => migrateDatabase(url)));
  expect(await isMigrated(db)).toBe(true);
  const { rows: applied } = await db.execute(sql`select hash from drizzle.__drizzle_migrations`);
  expect(new Set(applied.map(({ hash }) => hash)).size).toBe(applied.length);
  await migrateDatabase(url);
  const { rows: after } = await db.execute(sql`select hash from drizzle.__drizzle_migrations`);
  expect(after).toEqual(applied);
});

test("a migration waits for a program that holds a lock, and is repeated", async () => {
  const other = `${name}_other`;
  await maintain(`create database ${other}`);
  const place = new URL(url);
  place.pathname = `/${other}`;
  const [later, program] = [
    openDatabase(place.href, { max: 1 }),
    new pg.Client({ connectionString: place.href }),
  ];
  try {
    await program.connect();
    // Neither commits before the other has ended: both lock the schema's name.
    await program.query("begin; create schema earnest");
    const migrating = migrateDatabase(place.href);
    await expect
      .poll(async () => {
        const waiting = "select from pg_locks where not granted and locktype = 'transactionid'";
        return (await program.query(waiting)).rowCount;
      })
      .toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await program.query("rollback");
    await migrating;
    expect(await isMigrated(later)).toBe(true);
  } finally {
    await program.end();
    await later.$client.end();
    await maintain(`drop database ${other} with (force)`);
  }
});

test("a database whose first migration is foreign is refused, and stays unchanged", async () => {
  const other = `${name}_foreign`;
  await maintain(`create database ${other}`);
  const place = new URL(url);
  place.pathname = `/${other}`;
  const foreign = openDatabase(place.href, { max: 1 });
  try {
    await foreign.execute(sql`create schema drizzle`);
    await foreign.execute(sql`
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
    await foreign.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('old', 1)`);
    await expect(migrateDatabase(place.href)).rejects.toThrow(ForeignSchemaError);
    const { rows } = await foreign.execute(sql`select to_regnamespace('earnest') as made`);
    expect(rows).toEqual([{ made: null }]);
  } finally {
    await foreign.$client.end();
    await maintain(`drop database ${other} with (force)`);
  }
});

test("a database that lacks the newest migration is not up to date", async () => {
  await db.execute(sql`
    delete from drizzle.__drizzle_migrations
    where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`);
  expect(await isMigrated(db)).toBe(false);
});
