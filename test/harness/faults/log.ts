import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { createKeyFile } from "../../../config/keys/signing-key.ts";
import { createTestDatabase } from "../database.ts";
import { baseChainSettings } from "../fixtures/fixture.ts";
import { until } from "../jobs/ledger.ts";
import { createLogFolder, findFaults, queueFacts, startSequencer } from "../jobs/tlog.ts";
import { createWorkers } from "./workers.ts";
import { whileWritesWait } from "./writes.ts";

/** The parts of tests that kill workers while they add to the log: real workers and a database. */
export async function startLogBench() {
  const signing = mkdtempSync(join(tmpdir(), "earnest-log-kill-"));
  createKeyFile(join(signing, "signing.json"));
  const { files, remove } = createLogFolder();
  const { db, url, close } = await createTestDatabase();
  const base = await baseChainSettings();
  const workers = createWorkers(() => ({
    PATH: process.env.PATH,
    DATABASE_URL: url,
    ...base,
    SIGNING_KEY_FILE: join(signing, "signing.json"),
    LOG_KEY_FILE: files.logKeyFile,
    LOG_MEMORY_FILE: files.logMemoryFile,
  }));

  async function readState() {
    const { rows } = await db.execute<{
      size: number;
      published: number;
      queued: number;
      halted: string | null;
    }>(sql`
      select size::int, published_size::int as published, halted, (select count(*)::int from earnest.log_queue) as queued
      from earnest.log_head`);
    return rows[0];
  }

  const bench = {
    db,
    startWorker: () => workers.start(),
    readState,
    async close(): Promise<void> {
      await workers.killAll();
      await close();
      remove();
      rmSync(signing, { recursive: true, force: true });
    },
    /** Waits for the end of the ten seconds of a dead worker's lease. */
    endLease: () => db.execute(sql`update earnest.log_head set held_until = now() - interval '1 second'`),
    /** Waits for the state in which all is logged and published. */
    readIdle: () =>
      until(async () => {
        const state = await readState();
        return state?.queued === 0 && state.published === state.size ? state : null;
      }, "all is logged and published"),
    expectNoFaults: async () => expect(await findFaults(db, await startSequencer(db, files))).toEqual([]),

    /**
     * Kills a worker while it writes to this table, and asserts that the next one completes the checkpoint.
     */
    async killWhileWriting(table: string): Promise<void> {
      const worker = workers.start();
      const before = await bench.readIdle();
      const on = table === "log_queue" ? "delete" : table === "log_head" ? "update" : "insert or update";
      // Only the head's part of a checkpoint is compared: leases change anyway.
      const when = table === "log_head" ? "when (old.size <> new.size)" : "";
      await whileWritesWait(db, table, { on: `after ${on}`, when }, async (waiting) => {
        await queueFacts(db, 40);
        await waiting;
        await worker.end("SIGKILL");
      });
      expect(await readState()).toEqual({ ...before, queued: 40 });

      await bench.endLease();
      const next = workers.start();
      await bench.readIdle();
      await bench.expectNoFaults();
      expect(await readState()).toMatchObject({ size: before.size + 40, halted: null });
      await next.end("SIGTERM");
    },
  };
  return bench;
}
