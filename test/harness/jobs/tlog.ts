import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { pino } from "pino";
import { createLogKeyFile } from "../../../config/keys/log-key.ts";
import type { Database } from "../../../db/client.ts";
import { logChannel } from "../../../db/log-queue.ts";
import { readLogTiles } from "../../../db/log-tiles.ts";
import { createLogJobs } from "../../../jobs/tlog/log-jobs.ts";
import { type LogSettings, readLogSettings } from "../../../jobs/tlog/log-settings.ts";
import type { Anchored } from "../../../jobs/tlog/outside-trees.ts";
import type { createSequencer } from "../../../jobs/tlog/sequencer.ts";
import { hashLeaf, isSameHash, rootOf } from "../../../protocol/tlog/merkle.ts";
import { formatVerifierKey } from "../../../protocol/tlog/note.ts";
import { rootFromTiles, rootTiles } from "../../../protocol/tlog/tiles.ts";
import { verifyCheckpoint } from "../../../protocol/tlog/verify.ts";

/** The settings of a log's key and memory, for a program or a sequencer. */
export function createLogFolder() {
  const folder = mkdtempSync(join(tmpdir(), "earnest-log-"));
  const files = { logKeyFile: join(folder, "log.key"), logMemoryFile: join(folder, "log.checkpoint") };
  createLogKeyFile(files.logKeyFile);
  return { folder, files, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

type LogFiles = ReturnType<typeof createLogFolder>["files"];

type TestSequencer = ReturnType<typeof createSequencer> & {
  settings: LogSettings;
  /** Runs one round of requests to the witnesses. */
  cosign(): Promise<void>;
  alerts(): string[];
  stop(): void;
};

/** A sequencer as a worker makes it, with its log lines collected. */
export async function startSequencer(
  db: Database,
  files: LogFiles,
  witnessPolicy: string | null = null,
  anchored: Anchored | null = null,
): Promise<TestSequencer> {
  const config = { publicUrl: "http://localhost:42069", logKey: undefined, witnessPolicy, ...files };
  const settings = await readLogSettings(db, config);
  if (!settings) throw new Error("There is no log key.");
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const stopped = new AbortController();
  const { sequencer, cosigning } = createLogJobs(db, config, settings, {
    log,
    signal: stopped.signal,
    anchored,
  });
  return {
    settings,
    cosign: async () => cosigning?.run(),
    alerts: () =>
      lines.map((line) => JSON.parse(line)).flatMap(({ alert, code }) => (alert ? [code ?? alert] : [])),
    stop: () => stopped.abort(),
    ...sequencer,
  };
}

/** Queues revocations: the log needs only their rows. */
export async function queueFacts(db: Pick<Database, "execute">, count: number): Promise<void> {
  await db.execute(sql`
    with queued as (
      insert into earnest.log_queue (kind, subject, revoked_at)
      select 'revocation', 'rcp_' || replace(gen_random_uuid()::text, '-', ''), now() from generate_series(1, ${count}::int)
      returning position)
    select pg_notify(${logChannel}, '') from (select from queued limit 1) as one`);
}

/**
 * Returns the faults of a log. Its entries must have no gaps and make its tree, and its checkpoints must be
 * signed and of that tree.
 */
export async function findFaults(db: Database, { settings }: { settings: LogSettings }): Promise<string[]> {
  const faults: string[] = [];
  const { rows: entries } = await db.execute<{ index: string; entry: string }>(
    sql`select index, entry from earnest.log_entry order by index`,
  );
  if (entries.some(({ index }, i) => Number(index) !== i)) faults.push("the entries have gaps");
  const leaves = entries.map(({ entry }) => hashLeaf(new TextEncoder().encode(entry)));
  const { rows: heads } = await db.execute<{
    size: string;
    checkpoint: string | null;
    published: string | null;
  }>(sql`select size, checkpoint, published from earnest.log_head`);
  const [head] = heads;
  if (Number(head?.size) !== entries.length)
    faults.push(`it has ${entries.length} entries, and says ${head?.size}`);
  const tiles = await readLogTiles(db, rootTiles(entries.length));
  if (!tiles || !isSameHash(rootFromTiles(entries.length, tiles), rootOf(leaves)))
    faults.push("the tiles are of another tree");
  for (const note of [head?.checkpoint, head?.published]) {
    if (!note) continue;
    const opened = verifyCheckpoint(note, { vkey: formatVerifierKey(settings.signer.key) });
    if (!opened.valid) faults.push(opened.code);
    else if (!isSameHash(opened.checkpoint.root, rootOf(leaves.slice(0, opened.checkpoint.size)))) {
      faults.push(`the checkpoint of ${opened.checkpoint.size} is of another tree`);
    }
  }
  return faults;
}
