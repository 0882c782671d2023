import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
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

test("a database that lacks the newest migration is not up to date", async () => {
  await db.execute(sql`
    delete from drizzle.__drizzle_migrations
    where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`);
  expect(await isMigrated(db)).toBe(false);
});
