import { sql } from "drizzle-orm";
import { bigint, bigserial, boolean, check, primaryKey, smallint, text, unique } from "drizzle-orm/pg-core";
import { bytes } from "../columns.ts";
import { createdAt, earnest, time } from "./base.ts";

/** What an entry of the log is of. */
export type LogKind = "receipt" | "revocation" | "key";

/**
 * Facts that the log has no entry of yet. `queueLogEntry` adds a row in the transaction of the fact; the sequencer deletes the row
 * in the transaction that makes the entry.
 */
export const logQueue = earnest.table(
  "log_queue",
  {
    /** transactions end in another order than they take numbers in: only the row's absence says that it is logged */
    position: bigserial("position", { mode: "number" }).primaryKey(),
    kind: text("kind").$type<LogKind>().notNull(),
    /** the receipt's id; of a key-log entry its `seq` */
    subject: text("subject").notNull(),
    /** of a revocation, when the receipt was taken back: whoever undoes that undoes nothing here */
    revokedAt: time("revoked_at"),
    /** why no entry can be made of it: it waits for a person, and holds nothing up */
    refused: text("refused"),
    createdAt: createdAt(),
  },
  (table) => [unique("log_queue_fact").on(table.kind, table.subject)],
);

/** The log's entries: rows are only ever added, without gaps. */
export const logEntry = earnest.table(
  "log_entry",
  {
    index: bigint("index", { mode: "number" }).primaryKey(),
    kind: text("kind").$type<LogKind>().notNull(),
    subject: text("subject").notNull(),
    /** the leaf's bytes as UTF-8: canonical JSON */
    entry: text("entry").notNull(),
    createdAt: createdAt(),
  },
  (table) => [unique("log_entry_fact").on(table.kind, table.subject)],
);

/** The log's tree. A tile that is not full yet grows in its row, so that each narrower one is the row's beginning. */
export const logTile = earnest.table(
  "log_tile",
  {
    level: smallint("level").notNull(),
    index: bigint("index", { mode: "number" }).notNull(),
    /** 1 to 256 hashes of 32 bytes */
    hashes: bytes("hashes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.index] })],
);

/** One row: how far the log is, what the public sees of it, and which worker adds to it. */
export const logHead = earnest.table(
  "log_head",
  {
    id: smallint("id").primaryKey().default(1),
    /** the key that signs checkpoints, as its verifiers take it; the log's name with it */
    vkey: text("vkey").notNull(),
    /** which witnesses have to see a checkpoint, as a worker was told: the text of a tlog-policy */
    policy: text("policy").notNull(),
    /** the worker that may write; each that begins to takes the next number */
    holder: text("holder"),
    fence: bigint("fence", { mode: "number" }).notNull().default(0),
    heldUntil: time("held_until"),
    size: bigint("size", { mode: "number" }).notNull().default(0),
    /** hex */
    root: text("root").notNull(),
    /** the newest checkpoint, as the log alone signed it */
    checkpoint: text("checkpoint"),
    checkpointAt: time("checkpoint_at"),
    /** since when a checkpoint waits for its witnesses; null where the newest is shown */
    waitingSince: time("waiting_since"),
    /** the checkpoint that the public sees, with its cosignatures: it only grows */
    published: text("published"),
    publishedSize: bigint("published_size", { mode: "number" }).notNull().default(0),
    publishedAt: time("published_at"),
    /** whether as many witnesses as the policy asks for have signed it; null where it asks for none */
    isWitnessed: boolean("is_witnessed"),
    /** why nothing is added: the code, a sentence, and the checkpoint of ours that the tree does not continue */
    halted: text("halted"),
    haltedBecause: text("halted_because"),
    haltedBy: text("halted_by"),
    haltedAt: time("halted_at"),
  },
  (table) => [check("log_head_one", sql`${table.id} = 1`)],
);

/** What each witness of the policy was last known to have signed, and how asking it goes. */
export const logWitness = earnest.table("log_witness", {
  vkey: text("vkey").primaryKey(),
  size: bigint("size", { mode: "number" }).notNull().default(0),
  signedAt: time("signed_at"),
  /** the code of what failed last; null where the last request succeeded */
  failure: text("failure"),
  failedAt: time("failed_at"),
});
