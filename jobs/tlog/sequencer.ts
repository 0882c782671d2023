import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { bytesToHex } from "@noble/hashes/utils.js";
import { eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { logHead, logQueue } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { signCheckpoint } from "../../protocol/tlog/checkpoint.ts";
import { emptyRoot } from "../../protocol/tlog/merkle.ts";
import { formatVerifierKey } from "../../protocol/tlog/note.ts";
import { readMemory, writeMemory } from "./checkpoint-file.ts";
import { type Contradiction, compareTo, compareToAnchor, sizeOf } from "./continuity.ts";
import { type Batch, readBatch } from "./entry-batch.ts";
import type { Known } from "./log-head.ts";
import { type Head, holdLog, type Lease, leaseEnd, readHead, releaseLog, writeHead } from "./log-head.ts";
import type { LogSettings } from "./log-settings.ts";
import type { Outside } from "./published-trees.ts";
import { appendEntries, loadTree, storeEntries, type Tree } from "./stored-tree.ts";

/** The fewest milliseconds between two rounds that add to the log: what comes meanwhile is one checkpoint. */
const pace = 200;
/** Seconds that a checkpoint waits for its witnesses. */
const patience = 10;

/**
 * Makes the one who adds to the log. All workers have one; who holds the lease works. What is queued becomes entries,
 * tiles and a checkpoint in one transaction, which fails where another has taken the log, or has added to it.
 *
 * It may be killed at any instant. A checkpoint is shown once the file remembers it, and the file only remembers what is
 * committed; so a database that does not continue the file has lost something that others may have seen.
 *
 * @param options.wake is called when there is a new checkpoint for witnesses
 */
export function createSequencer(
  db: Database,
  { signer, memoryFile, policy, policyText }: LogSettings,
  options: { log: Logger; signal: AbortSignal; wake?: () => void; outside: Outside },
) {
  const { log, signal, wake = () => {}, outside } = options;
  const holder = randomUUID();
  const vkey = formatVerifierKey(signer.key);
  const asksNobody = policy.quorum === "none";
  let lease: Lease | null = null;
  /** the tree that this worker made, or has compared with all that is known */
  let tree: Tree | null = null;
  let known: Known | null = null;
  let halted: string | null = null;
  let addedAt = 0;
  /** what witnesses said they had signed, when this worker took the log */
  let witnessed: { fence: number; notes: string[] } | null = null;

  return {
    run,
    /** what may be shown to witnesses, and by whose leave; null while another worker holds the log, or it is halted */
    state: () => (lease && tree && known ? { lease, known } : null),
    async end(): Promise<void> {
      if (lease) await releaseLog(db, lease).catch(() => {});
      lease = null;
    },
  };

  async function run(): Promise<void> {
    const rest = addedAt + pace - Date.now();
    if (rest > 0) await sleep(Math.min(rest, pace), undefined, { signal }).catch(() => {});
    // The file first: what is written to it later is no loss.
    const remembered = await readMemory(memoryFile);
    const head = await readHead(db);
    if (!head) {
      const root = bytesToHex(emptyRoot);
      await db.insert(logHead).values({ vkey, policy: policyText, root }).onConflictDoNothing();
      return await run();
    }
    const before = lease;
    lease = await holdLog(db, head, { holder, mine: lease, policy: policyText });
    if (!lease) {
      tree = null;
      return await accuse(head, remembered);
    }
    if (lease.fence !== before?.fence) {
      tree = null;
      log.info({ fence: lease.fence, size: head.size }, "this worker adds to the log from now on");
    }
    if (!(await isSound(head, lease, remembered))) return;
    const isLater = await append(lease);
    await show(lease, isLater || lease.fence !== head.fence ? await readHead(db) : head);
  }

  /** Whether the database's tree is the one that is known, and continues every checkpoint that is. */
  async function isSound(head: Head, held: Lease, remembered: string | null): Promise<boolean> {
    if (tree && tree.size === head.size && bytesToHex(tree.root) === head.root && !head.halted) return true;
    tree = null;
    const loaded = await loadTree(db, head.size);
    const contradiction: Contradiction | null =
      !loaded || bytesToHex(loaded.root) !== head.root
        ? {
            code: "tree_broken",
            because: `The tiles do not make the tree of ${head.size} entries.`,
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
      log.info({ size: head.size }, "the log goes on");
    }
    if (remembered === null && head.size > 0 && !(await outside.isIndexed())) return false;
    if (remembered === null && head.size > 0)
      log.warn(
        { file: memoryFile },
        "the log's memory is gone: what the database has is taken for all there was",
      );
    halted = null;
    tree = loaded;
    known = null;
    return true;
  }

  /**
   * What the tree does not continue, of all that is known of the log. The memory may be gone, or as old as the database;
   * so witnesses and the chain are asked before the first signature of each worker that takes the log.
   */
  async function findContradiction(head: Head, held: Lease, remembered: string | null) {
    const ofMemory = await compareTo(db, head.size, remembered, { vkey, source: "memory" });
    if (ofMemory) return ofMemory;
    if (witnessed?.fence !== held.fence)
      witnessed = { fence: held.fence, notes: await outside.readWitnessed() };
    for (const note of [head.haltedBy, ...witnessed.notes]) {
      const found = await compareTo(db, head.size, note, { vkey, source: "evidence" });
      if (found) return found;
    }
    return compareToAnchor(db, head.size, await outside.readAnchor());
  }

  async function halt(held: Lease, head: Head, { code, because, note }: Contradiction): Promise<void> {
    if (halted !== `${code} ${because}`) {
      log.error(
        { alert: "log_halted", code, reason: because },
        "the log is halted: nothing is added until its database is whole",
      );
      halted = `${code} ${because}`;
    }
    if (head.halted === code && head.haltedBecause === because) return;
    const haltedBy = note ?? head.haltedBy;
    await writeHead(db, held, { halted: code, haltedBecause: because, haltedBy, haltedAt: sql`now()` });
  }

  /** A worker that does not hold the log may remember more than the one that does. */
  async function accuse(head: Head, remembered: string | null): Promise<void> {
    if (head.haltedBy !== null) return;
    if (remembered === null || (sizeOf(remembered) ?? 0) <= head.size) return;
    const contradiction = await compareTo(db, head.size, remembered, { vkey, source: "memory" });
    if (!contradiction?.note) return;
    const { code, because, note } = contradiction;
    log.error({ alert: "log_halted", code, reason: because }, "the log's database has lost entries");
    await db
      .update(logHead)
      .set({ halted: code, haltedBecause: because, haltedBy: note, haltedAt: sql`now()` })
      .where(eq(logHead.size, head.size));
  }

  /** Adds what is queued, so long as there is any. Returns whether there was. */
  async function append(held: Lease): Promise<boolean> {
    let wasAny = false;
    for (let isFull = true; isFull && !signal.aborted; ) {
      const batch = await readBatch(db);
      isFull = batch.isFull;
      await putAside(batch);
      if (batch.done.length === 0) return wasAny;
      wasAny = true;
      if (!(await write(held, batch))) return wasAny;
      addedAt = Date.now();
      if (isFull) await show(held, await readHead(db));
    }
    return wasAny;
  }

  async function putAside({ refused }: Batch): Promise<void> {
    for (const { position, kind, subject, why } of refused) {
      log.error({ alert: "log_entry_refused", kind, subject, reason: why }, "no entry can be made of a fact");
      await db
        .update(logQueue)
        .set({ refused: why })
        .where(eq(logQueue.position, Number(position)));
    }
  }

  /** One transaction. What is signed in one that fails never leaves this process. */
  async function write(held: Lease, { entries, done }: Batch): Promise<boolean> {
    const before = tree;
    if (!before) return false;
    const { tree: grown, tiles } = appendEntries(before, entries);
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
      const same = [eq(logHead.size, before.size), eq(logHead.root, bytesToHex(before.root))];
      if (!(await writeHead(tx, held, change, ...same))) throw new Overtaken();
      if (entries.length > 0) await storeEntries(tx, before.size, entries, tiles);
      await tx.delete(logQueue).where(inArray(logQueue.position, done.map(Number)));
      return true;
    }).catch((error) => {
      // Whether it was written is read anew.
      tree = null;
      if (error instanceof Overtaken) return false;
      throw error;
    });
    if (written) tree = grown;
    return written;
  }

  /** Remembers the newest checkpoint, and shows it where no witness has to see it, or none has in time. */
  async function show(held: Lease, head: Head | undefined): Promise<void> {
    if (!tree || !head?.checkpoint || head.size !== tree.size || head.fence !== held.fence) return;
    if (known?.size !== head.size) {
      if ((await readMemory(memoryFile)) !== head.checkpoint)
        await writeMemory(memoryFile, head.checkpoint, holder);
      known = { size: head.size, checkpoint: head.checkpoint };
      wake();
    }
    if (head.shownSize === head.size && head.waitingSince === null) return;
    if (!asksNobody && (head.waited ?? 0) < patience) return;
    const { checkpoint: shown, size: shownSize } = head;
    const isWitnessed = asksNobody ? null : false;
    const change = { shown, shownSize, shownAt: sql`now()`, isWitnessed, waitingSince: null };
    await writeHead(db, held, change, eq(logHead.size, head.size), isNotNull(logHead.waitingSince));
    if (!asksNobody)
      log.warn({ size: shownSize }, "a checkpoint is shown without the witnesses that it should have");
  }
}

/** Another worker has the log, or the log is another than this worker knows. */
class Overtaken extends Error {}
