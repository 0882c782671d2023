import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKeyFile } from "../../../config/keys/signing-key.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { baseChainSettings } from "../../harness/fixtures/fixture.ts";
import { until } from "../../harness/jobs/ledger.ts";
import { spawnWorker, type WorkerProcess } from "../../harness/jobs/processes.ts";
import { createLogFolder, findFaults, queueFacts, startSequencer } from "../../harness/jobs/tlog.ts";

const signing = mkdtempSync(join(tmpdir(), "earnest-log-kill-"));
let database: TestDatabase;
let folder: ReturnType<typeof createLogFolder>;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  folder = createLogFolder();
  database = await createTestDatabase();
  createKeyFile(join(signing, "signing.json"));
});
afterAll(async () => {
  for (const worker of workers) await worker.end("SIGKILL");
  await database.close();
  folder.remove();
  rmSync(signing, { recursive: true, force: true });
});

const base = await baseChainSettings();

const start = () => {
  const worker = spawnWorker({
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    ...base,
    SIGNING_KEY_FILE: join(signing, "signing.json"),
    LOG_KEY_FILE: folder.files.logKeyFile,
    LOG_MEMORY_FILE: folder.files.logMemoryFile,
  });
  workers.push(worker);
  return worker;
};

/** As if the ten seconds of a dead worker were over. */
const endLease = () =>
  database.db.execute(sql`update earnest.log_head set held_until = now() - interval '1 second'`);

async function readState() {
  const { rows } = await database.db.execute<{
    size: number;
    shown: number;
    queued: number;
    halted: string | null;
  }>(sql`
    select size::int, shown_size::int as shown, halted, (select count(*)::int from earnest.log_queue) as queued
    from earnest.log_head`);
  return rows[0];
}

/** The state once all is logged and shown. */
async function readIdle() {
  const state = await readState();
  return state?.queued === 0 && state.shown === state.size ? state : null;
}

test.each(["log_head", "log_entry", "log_tile", "log_queue"])(
  "a worker killed while it writes %s leaves nothing of that checkpoint, and the next one makes it",
  async (table) => {
    const worker = start();
    const before = await until(readIdle, "the worker adds to the log");
    const gate = await database.db.$client.connect();
    const name = sql.identifier(table);
    await gate.query("select pg_advisory_lock(4711)");
    await database.db.execute(sql`
      create or replace function earnest.wait_at_gate() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(4711); return null; end'`);
    // Of the head only what makes a checkpoint: leases go on.
    const when = table === "log_head" ? sql`when (old.size <> new.size)` : sql``;
    const what =
      table === "log_queue" ? sql`delete` : table === "log_head" ? sql`update` : sql`insert or update`;
    await database.db.execute(sql`
      create trigger gate after ${what} on earnest.${name} for each row ${when} execute function earnest.wait_at_gate()`);
    try {
      await queueFacts(database.db, 40);
      await until(async () => {
        const { rows } = await database.db.execute<{ n: number }>(sql`
          select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`);
        return (rows[0]?.n ?? 0) > 0;
      }, "the worker is in the middle of its transaction");
      await worker.end("SIGKILL");
    } finally {
      await gate.query("select pg_advisory_unlock(4711)");
      gate.release();
      await database.db.execute(sql`drop trigger gate on earnest.${name}`);
    }
    expect(await readState()).toEqual({ ...before, queued: 40 });

    await endLease();
    const next = start();
    await until(readIdle, "the next worker adds to the log");
    const sequencer = await startSequencer(database.db, folder.files);
    expect(await findFaults(database.db, sequencer)).toEqual([]);
    expect(await readState()).toMatchObject({ size: before.size + 40, halted: null });
    await next.end("SIGTERM");
  },
);

test("workers killed at any moment, and two at once, lose nothing and double nothing", async () => {
  let worker = start();
  // The first worker on a database adds an entry of its own.
  let facts = (await until(readIdle, "the worker adds to the log")).size;
  let done = false;
  const queueing = (async () => {
    while (!done) {
      // Some always wait, and no more of them on a slow machine.
      if (((await readState())?.queued ?? 0) < 500) {
        await queueFacts(database.db, 20);
        facts += 20;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  for (let kill = 0; kill < 3; kill++) {
    const before = (await readState())?.size ?? 0;
    await until(async () => ((await readState())?.size ?? 0) > before, "the worker adds to the log");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    await worker.end("SIGKILL");
    await endLease();
    worker = start();
  }
  start();
  done = true;
  await queueing;
  await until(readIdle, "all is logged and shown");
  const sequencer = await startSequencer(database.db, folder.files);
  expect(await findFaults(database.db, sequencer)).toEqual([]);
  expect(await readState()).toMatchObject({ size: facts, halted: null });
}, 120_000);
