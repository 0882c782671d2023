import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../db/client.ts";
import { queueLogEntry } from "../../../db/log-queue.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { signCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import { hashLeaf } from "../../../protocol/tlog/merkle.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { createLogFolder, findFaults, queueFacts, startSequencer } from "../../harness/jobs/tlog.ts";

let database: TestDatabase;
let folder: ReturnType<typeof createLogFolder>;
beforeEach(async () => {
  folder = createLogFolder();
  database = await createTestDatabase();
});
afterEach(async () => {
  await database.close();
  folder.remove();
});

async function readHead() {
  const { rows } = await database.db.execute<Record<string, string | null>>(
    sql`select * from earnest.log_head`,
  );
  return rows[0] ?? {};
}

async function queued(): Promise<number> {
  const { rows } = await database.db.execute<{ n: number }>(
    sql`select count(*)::int as n from earnest.log_queue where refused is null`,
  );
  return rows[0]?.n ?? -1;
}

const memory = () => readFileSync(folder.files.logMemoryFile, "utf8");

test("queued facts become entries without gaps, tiles and a checkpoint, public at once where no witness is required", async () => {
  const sequencer = await startSequencer(database.db, folder.files);
  for (const count of [1, 3, 700, 1]) {
    await queueFacts(database.db, count);
    await sequencer.run();
  }
  expect(await findFaults(database.db, sequencer)).toEqual([]);
  const head = await readHead();
  expect(head).toMatchObject({
    size: "705",
    published_size: "705",
    waiting_since: null,
    is_witnessed: null,
    halted: null,
  });
  expect(head.published).toBe(head.checkpoint);
  expect(memory()).toBe(head.checkpoint);
  expect(await queued()).toBe(0);
});

test("a round without new facts signs nothing", async () => {
  const sequencer = await startSequencer(database.db, folder.files);
  await queueFacts(database.db, 2);
  await sequencer.run();
  const { checkpoint_at: before } = await readHead();
  await sequencer.run();
  expect((await readHead()).checkpoint_at).toEqual(before);
});

test("a fact of a transaction that ended late is added after facts that were queued later", async () => {
  const sequencer = await startSequencer(database.db, folder.files);
  const late = openDatabase(database.url, { max: 1 });
  await inTransaction(late, async (tx) => {
    for (const [target, seq] of [
      [tx, 1000],
      [database.db, 1],
    ] as const) {
      await target.execute(sql`insert into earnest.key_log (seq, entry) values (${seq}, ${{ seq }})`);
      await queueLogEntry(target, "key", String(seq));
    }
    await sequencer.run();
    expect(await readHead()).toMatchObject({ size: "1" });
  });
  await late.$client.end();
  await sequencer.run();
  expect(await findFaults(database.db, sequencer)).toEqual([]);
  expect(await readHead()).toMatchObject({ size: "2", published_size: "2" });
});

test("a fact is logged once, also when it is queued again", async () => {
  const sequencer = await startSequencer(database.db, folder.files);
  await queueFacts(database.db, 3);
  await sequencer.run();
  await database.db.execute(
    sql`insert into earnest.log_queue (kind, subject) values ('key', '2'), ('key', '3')`,
  );
  await sequencer.run();
  expect(await queued()).toBe(0);
  expect(await readHead()).toMatchObject({ size: "3" });
  expect(await findFaults(database.db, sequencer)).toEqual([]);
});

test("a fact that cannot become an entry is put aside and reported, and blocks nothing", async () => {
  const sequencer = await startSequencer(database.db, folder.files);
  await database.db.execute(
    sql`insert into earnest.log_queue (kind, subject) values ('receipt', 'rcp_gone')`,
  );
  await queueFacts(database.db, 1);
  await sequencer.run();
  await sequencer.run();
  expect(await readHead()).toMatchObject({ size: "1", halted: null });
  expect(sequencer.alerts()).toEqual(["log_entry_refused"]);
});

test("of two workers one adds, and the other continues when the first has ended", async () => {
  const [first, second] = [
    await startSequencer(database.db, folder.files),
    await startSequencer(database.db, folder.files),
  ];
  await queueFacts(database.db, 1);
  await first.run();
  await queueFacts(database.db, 1);
  await second.run();
  expect(await readHead()).toMatchObject({ size: "1", fence: "1" });
  await first.end();
  await second.run();
  expect(await readHead()).toMatchObject({ size: "2", fence: "2" });
  expect(await findFaults(database.db, second)).toEqual([]);
});

test("workers that all believe they hold the log make one log", async () => {
  const workers = await Promise.all([1, 2, 3].map(() => startSequencer(database.db, folder.files)));
  for (let round = 0; round < 12; round++) {
    await queueFacts(database.db, 5);
    // As after a pause of the process, or a jump of the database's clock.
    const run = workers.map(async ({ run }) => {
      await database.db.execute(sql`update earnest.log_head set held_until = now() - interval '1 second'`);
      await run();
    });
    await Promise.all(run);
  }
  await database.db.execute(sql`update earnest.log_head set held_until = now() - interval '1 second'`);
  await workers[0]?.run();
  expect(await queued()).toBe(0);
  expect(await readHead()).toMatchObject({ size: "60", halted: null });
  expect(await findFaults(database.db, workers[0] as (typeof workers)[0])).toEqual([]);
});

test("a lease with an impossibly late end, from before the clock was set back, is taken over", async () => {
  const [first, second] = [
    await startSequencer(database.db, folder.files),
    await startSequencer(database.db, folder.files),
  ];
  await queueFacts(database.db, 1);
  await first.run();
  await database.db.execute(sql`update earnest.log_head set held_until = now() + interval '1 hour'`);
  await queueFacts(database.db, 1);
  await second.run();
  expect(await readHead()).toMatchObject({ size: "2", fence: "2" });
});

test("a database restored from an old copy halts the log, by any memory, until it is whole again", async () => {
  const worker = await startSequencer(database.db, folder.files);
  await queueFacts(database.db, 300);
  await worker.run();
  const copy = await copyLog();
  await queueFacts(database.db, 10);
  await worker.run();
  const later = await copyLog();
  await restore(copy);
  await queueFacts(database.db, 1);

  for (const each of [worker, await startSequencer(database.db, folder.files)]) {
    await database.db.execute(sql`update earnest.log_head set held_until = now() - interval '1 second'`);
    await each.run();
    await each.run();
    expect(each.alerts()).toEqual(["rolled_back"]);
    expect(await readHead()).toMatchObject({ size: "300", halted: "rolled_back" });
  }
  await restore(later);
  await database.db.execute(sql`update earnest.log_head set held_until = now() - interval '1 second'`);
  await worker.run();
  expect(await readHead()).toMatchObject({ halted: null, size: "310" });
  expect(await findFaults(database.db, worker)).toEqual([]);
});

test("a worker with a newer memory halts the log of another", async () => {
  const elsewhere = { ...folder.files, logMemoryFile: `${folder.files.logMemoryFile}.elsewhere` };
  const [holder, other] = [
    await startSequencer(database.db, folder.files),
    await startSequencer(database.db, elsewhere),
  ];
  await queueFacts(database.db, 5);
  await holder.run();
  const copy = await copyLog();
  await queueFacts(database.db, 5);
  await holder.run();
  writeFileSync(elsewhere.logMemoryFile, memory());
  rmSync(folder.files.logMemoryFile);
  await restore(copy);
  const fresh = await startSequencer(database.db, folder.files);
  await holder.end();
  await database.db.execute(sql`update earnest.log_head set holder = null`);
  await fresh.run();
  await other.run();
  await queueFacts(database.db, 1);
  await fresh.run();
  expect(await readHead()).toMatchObject({ halted: "rolled_back", size: "5" });
});

test("entries other than those of a signed checkpoint halt the log, and so does a broken tree", async () => {
  const worker = await startSequencer(database.db, folder.files);
  await queueFacts(database.db, 4);
  await worker.run();
  const other = signCheckpoint({ size: 3, root: hashLeaf(new Uint8Array(1)) }, worker.settings.signer);
  const before = memory();
  writeFileSync(folder.files.logMemoryFile, other);
  const forked = await startSequencer(database.db, folder.files);
  await worker.end();
  await forked.run();
  expect(await readHead()).toMatchObject({ halted: "forked", halted_by: other });

  writeFileSync(folder.files.logMemoryFile, before);
  await database.db.execute(sql`update earnest.log_head set halted_by = null`);
  await forked.run();
  expect(await readHead()).toMatchObject({ halted: null });

  await database.db.execute(sql`update earnest.log_tile set hashes = substring(hashes from 1 for 64)`);
  await forked.end();
  await worker.run();
  expect(await readHead()).toMatchObject({ halted: "tree_broken" });

  writeFileSync(folder.files.logMemoryFile, "nonsense");
  await worker.run();
  expect(worker.alerts()).toEqual(["tree_broken"]);
});

/** The log's tables, as a copy of the database has them. */
async function copyLog(): Promise<Record<string, unknown[]>> {
  const copy: Record<string, unknown[]> = {};
  for (const table of ["log_head", "log_entry", "log_tile", "log_queue"]) {
    const { rows } = await database.db.execute<{ row: unknown }>(
      sql.raw(`select to_jsonb(t) as row from earnest.${table} t`),
    );
    copy[table] = rows.map(({ row }) => row);
  }
  return copy;
}

async function restore(copy: Record<string, unknown[]>): Promise<void> {
  for (const [table, rows] of Object.entries(copy)) {
    await database.db.execute(sql.raw(`delete from earnest.${table}`));
    await database.db.execute(
      sql`insert into ${sql.raw(`earnest.${table}`)}
        select * from jsonb_populate_recordset(null::${sql.raw(`earnest.${table}`)}, ${JSON.stringify(rows)}::jsonb)`,
    );
  }
}
