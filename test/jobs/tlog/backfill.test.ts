import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Database, openDatabase } from "../../../db/client.ts";
import { migrateDatabase } from "../../../db/migrate.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { runStatement } from "../../../stack/postgres.ts";
import { createLogFolder, findFaults, startSequencer } from "../../harness/jobs/tlog.ts";

const name = `backfill_${process.pid}_${Date.now()}`;
const before = mkdtempSync(join(tmpdir(), "earnest-before-log-"));
const folder = createLogFolder();
let url: string;
let db: Database;

beforeAll(async () => {
  await runStatement(inject("postgresUrl"), `create database ${name}`);
  const place = new URL(inject("postgresUrl"));
  place.pathname = `/${name}`;
  url = place.href;
  db = openDatabase(url, { max: 2 });
  // The migrations as they were before there was a log.
  cpSync(fileURLToPath(new URL("../../../db/migrations", import.meta.url)), before, { recursive: true });
  const file = join(before, "meta", "_journal.json");
  const journal = JSON.parse(readFileSync(file, "utf8")) as { entries: { tag: string }[] };
  const log = journal.entries.findIndex(({ tag }) => tag.endsWith("_tlog"));
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, log) }));
  await migrate(drizzle(db.$client), { migrationsFolder: before });
});
afterAll(async () => {
  await db.$client.end();
  await runStatement(inject("postgresUrl"), `drop database ${name} with (force)`);
  rmSync(before, { recursive: true, force: true });
  folder.remove();
});

test("what an installation had before there was a log is logged in the order in which it came about", async () => {
  await inTransaction(db, async (tx) => {
    // Receipts without the orders that they are of.
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      insert into earnest.key_log (seq, entry, created_at) values
        (1, '{"seq": 1}', '2026-01-01T00:00:00Z'), (2, '{"seq": 2}', '2026-01-03T00:00:00Z')`);
    await tx.execute(sql`
      insert into earnest.receipt (id, order_id, fact_id, claim, document, created_at, revoked_at) values
        ('rcp_b', 'ord', 'b', 'funded', '{"b": 1}', '2026-01-02T00:00:00Z', '2026-01-05T00:00:00Z'),
        ('rcp_a', 'ord', 'a', 'funded', '{"a": 1}', '2026-01-04T00:00:00Z', null)`);
  });
  await migrateDatabase(url);
  const sequencer = await startSequencer(db, folder.files);
  await sequencer.run();
  const { rows } = await db.execute<{ kind: string; subject: string }>(
    sql`select kind, subject from earnest.log_entry order by index`,
  );
  expect(rows.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
    "key 1",
    "receipt rcp_b",
    "key 2",
    "receipt rcp_a",
    "revocation rcp_b",
  ]);
  expect(await findFaults(db, sequencer)).toEqual([]);
});
