import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { eq, inArray, isNotNull, sql } from "../../db/drizzle.ts";
import { logHead, logQueue } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { signCheckpoint } from "../../protocol/tlog/checkpoint.ts";
import { emptyRoot } from "../../protocol/tlog/merkle.ts";
import { formatVerifierKey } from "../../protocol/tlog/note.ts";
import { type Contradiction, compareToAnchor, compareWithCheckpoint, sizeOf } from "./continuity.ts";
import { type Batch, readBatch } from "./entry-batch.ts";
import type { Known } from "./log-head.ts";
import {
  type Head,
  holdLog,
  type LogLease,
  leaseEnd,
  readLogHead,
  releaseLog,
  writeHead,
} from "./log-head.ts";
import type { LogSettings } from "./log-settings.ts";
import { readMemoryFile, writeMemoryFile } from "./memory-file.ts";
import type { OutsideTrees } from "./outside-trees.ts";
import { appendEntries, loadTree, storeEntries, type Tree } from "./stored-tree.ts";

/** The fewest milliseconds between two rounds. Facts that arrive meanwhile share one checkpoint. */
const pace = 200;
/** Seconds for which a checkpoint waits for its witnesses. */
const witnessSeconds = 10;

/**
 * Makes the sequencer, which adds to the log. Every worker has one, and the holder of the lease works. Queued facts
 * become entries, tiles and a checkpoint in one transaction. The transaction fails if another worker has taken or
 * extended the log.
 *
 * The sequencer may be killed at any instant. A checkpoint is shown once it is in the memory file, and the file gets
 * only committed checkpoints. A database that does not continue the file has lost entries that others may have seen.
 *
 * @param options.wake is called when there is a new checkpoint for witnesses
 */
export function createSequencer(
  db: Database,
  { signer, memoryFile, policy, policyText }: LogSettings,
  options: { log: Logger; signal: AbortSignal; wake?: () => void; published: OutsideTrees },
) {
  const { log, signal, wake = () => {}, published } = options;
  const holder = randomUUID();
  const vkey = formatVerifierKey(signer.key);
  const needsNoWitness = policy.quorum === "none";
  let lease: LogLease | null = null;
  /** the tree that this worker wrote, or has compared with all known checkpoints */
  let tree: Tree | null = null;
  let known: Known | null = null;
  let halted: string | null = null;
  let addedAt = 0;
  /** the checkpoints that witnesses reported when this worker took the log */
  let witnessed: { fence: number; notes: string[] } | null = null;

  return {
    run,
    /**
     * the checkpoint that may be shown to witnesses, and its lease; null if another worker holds the log, or it is
     * halted
     */
    state: () => (lease && tree && known ? { lease, known } : null),
    async end(): Promise<void> {
      if (lease) await releaseLog(db, lease).catch(() => {});
      lease = null;
    },
  };

  async function run(): Promise<void> {
    const rest = addedAt + pace - Date.now();
    if (rest > 0) await sleep(Math.min(rest, pace), undefined, { signal }).catch(() => {});
    // The file is read before the database: a checkpoint that is written to it later is no loss.
    const remembered = await readMemoryFile(memoryFile);
    const head = await readLogHead(db);
    if (!head) {
      const root = bytesToHex(emptyRoot);
      await db.insert(logHead).values({ vkey, policy: policyText, root }).onConflictDoNothing();
      return await run();
    }
    const previous = lease;
    lease = await holdLog(db, head, { holder, mine: lease, policy: policyText });
    if (!lease) {
      tree = null;
      return await haltByMemory(head, remembered);
    }
    if (lease.fence !== previous?.fence) {
      tree = null;
      log.info({ fence: lease.fence, size: head.size }, "this worker now adds to the log");
    }
    if (!(await isSound(head, lease, remembered))) return;
    const hasAppended = await append(lease);
    await publishNewest(lease, hasAppended || lease.fence !== head.fence ? await readLogHead(db) : head);
  }

  /** Whether the database's tree is the known tree, and continues every known checkpoint. */
  async function isSound(head: Head, held: LogLease, remembered: string | null): Promise<boolean> {
    if (tree && tree.size === head.size && bytesToHex(tree.root) === head.root && !head.halted) return true;
    tree = null;
    const loaded = await loadTree(db, head.size);
    const contradiction: Contradiction | null =
      !loaded || bytesToHex(loaded.root) !== head.root
        ? {
            code: "tree_broken",
            because: `The tiles do not form the tree of ${head.size} entries.`,
            note: null,
          }
        : await findContradiction(head, held, remembered);
    if (contradiction) {
      await halt(held, head, contradiction);
      return false;
    }
    if (head.halted) {
      const cleared = { halted: null, haltedBecause: null, haltedBy: null, haltedAt: null };
      if (!(await writeHead(db, held, cleared))) return false;
      log.info({ size: head.size }, "the halt of the log is cleared");
    }
    if (remembered === null && head.size > 0 && !(await published.isIndexed())) return false;
    if (remembered === null && head.size > 0)
      log.warn(
        { file: memoryFile },
        "the log's memory file is missing: the worker treats the database's tree as complete",
      );
    halted = null;
    tree = loaded;
    known = null;
    return true;
  }

  /**
   * Finds a known checkpoint that the tree does not continue. The memory file may be missing, or as old as the
   * database. So each worker that takes the log asks the witnesses and reads the chain before its first signature.
   */
  async function findContradiction(head: Head, held: LogLease, remembered: string | null) {
    const inMemory = await compareWithCheckpoint(db, head.size, remembered, { vkey, source: "memory" });
    if (inMemory) return inMemory;
    if (witnessed?.fence !== held.fence)
      witnessed = { fence: held.fence, notes: await published.readWitnessed() };
    for (const note of [head.haltedBy, ...witnessed.notes]) {
      const contradiction = await compareWithCheckpoint(db, head.size, note, { vkey, source: "evidence" });
      if (contradiction) return contradiction;
    }
    return compareToAnchor(db, head.size, await published.readAnchor());
  }

  async function halt(held: LogLease, head: Head, { code, because, note }: Contradiction): Promise<void> {
    if (halted !== `${code} ${because}`) {
      log.error(
        { alert: "log_halted", code, reason: because },
        "the log is halted: nothing is added until the database is complete",
      );
      halted = `${code} ${because}`;
    }
    if (head.halted === code && head.haltedBecause === because) return;
    const haltedBy = note ?? head.haltedBy;
    await writeHead(db, held, { halted: code, haltedBecause: because, haltedBy, haltedAt: sql`now()` });
  }

  /** Halts the log by this worker's memory file, which may have a larger checkpoint than the holder's. */
  async function haltByMemory(head: Head, remembered: string | null): Promise<void> {
    if (head.haltedBy !== null) return;
    if (remembered === null || (sizeOf(remembered) ?? 0) <= head.size) return;
    const contradiction = await compareWithCheckpoint(db, head.size, remembered, { vkey, source: "memory" });
    if (!contradiction?.note) return;
    const { code, because, note } = contradiction;
    log.error({ alert: "log_halted", code, reason: because }, "the log's database has lost entries");
    await db
      .update(logHead)
      .set({ halted: code, haltedBecause: because, haltedBy: note, haltedAt: sql`now()` })
      .where(eq(logHead.size, head.size));
  }

  /** Adds all queued facts. Returns whether there were any. */
  async function append(held: LogLease): Promise<boolean> {
    let hasAppended = false;
    for (let isFull = true; isFull && !signal.aborted; ) {
      const batch = await readBatch(db);
      isFull = batch.isFull;
      await markRefused(batch);
      if (batch.done.length === 0) return hasAppended;
      hasAppended = true;
      if (!(await write(held, batch))) return hasAppended;
      addedAt = Date.now();
      if (isFull) await publishNewest(held, await readLogHead(db));
    }
    return hasAppended;
  }

  async function markRefused({ refused }: Batch): Promise<void> {
    for (const { position, kind, subject, why } of refused) {
      log.error({ alert: "log_entry_refused", kind, subject, reason: why }, "a fact cannot become an entry");
      await db
        .update(logQueue)
        .set({ refused: why })
        .where(eq(logQueue.position, Number(position)));
    }
  }

  /** Writes a batch in one transaction. A signature of a failed transaction never leaves this process. */
  async function write(held: LogLease, { entries, done }: Batch): Promise<boolean> {
    const previous = tree;
    if (!previous) return false;
    const { tree: grown, tiles } = appendEntries(previous, entries);
    const written = await inTransaction(db, async (tx) => {
      const change = {
        size: grown.size,
        root: bytesToHex(grown.root),
        heldUntil: leaseEnd,
        ...(entries.length === 0
          ? {}
          : {
              checkpoint: signCheckpoint(grown, signer),
              checkpointAt: sql`now()`,
              waitingSince: sql`coalesce(${logHead.waitingSince}, now())`,
            }),
      };
      const same = [eq(logHead.size, previous.size), eq(logHead.root, bytesToHex(previous.root))];
      if (!(await writeHead(tx, held, change, ...same))) throw new Overtaken();
      if (entries.length > 0) await storeEntries(tx, previous.size, entries, tiles);
      await tx.delete(logQueue).where(inArray(logQueue.position, done.map(Number)));
      return true;
    }).catch((error) => {
      // The next round reads whether the transaction was committed.
      tree = null;
      if (error instanceof Overtaken) return false;
      throw error;
    });
    if (written) tree = grown;
    return written;
  }

  /**
   * Stores the newest checkpoint in the memory file. Shows it if the policy needs no witness, or the witnesses are
   * late.
   */
  async function publishNewest(held: LogLease, head: Head | undefined): Promise<void> {
    if (!tree || !head?.checkpoint || head.size !== tree.size || head.fence !== held.fence) return;
    if (known?.size !== head.size) {
      if ((await readMemoryFile(memoryFile)) !== head.checkpoint)
        await writeMemoryFile(memoryFile, head.checkpoint, holder);
      known = { size: head.size, checkpoint: head.checkpoint };
      wake();
    }
    if (head.publishedSize === head.size && head.waitingSince === null) return;
    if (!needsNoWitness && (head.waited ?? 0) < witnessSeconds) return;
    const { checkpoint: published, size: publishedSize } = head;
    const isWitnessed = needsNoWitness ? null : false;
    const change = { published, publishedSize, publishedAt: sql`now()`, isWitnessed, waitingSince: null };
    await writeHead(db, held, change, eq(logHead.size, head.size), isNotNull(logHead.waitingSince));
    if (!needsNoWitness)
      log.warn({ size: publishedSize }, "a checkpoint is shown without its quorum of witnesses");
  }
}

/** Another worker holds the log, or has changed it. */
class Overtaken extends Error {}
