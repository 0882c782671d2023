import { bigint, bigserial, boolean, check, primaryKey, smallint, text, unique } from "drizzle-orm/pg-core";
import { bytes } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { createdAt, earnest, time } from "./base.ts";

/** The subject of an entry of the log. */
export type LogKind = "receipt" | "revocation" | "key";

/**
 * Facts that the log has no entry of yet. `queueLogEntry` adds a row in the transaction of the fact; the sequencer deletes the row
 * in the transaction that makes the entry.
 */
export const logQueue = earnest.table(
  "log_queue",
  {
    /** sequence number. Transactions commit in another order, so only the absence of the row shows that the fact is logged. */
    position: bigserial("position", { mode: "number" }).primaryKey(),
    kind: text("kind").$type<LogKind>().notNull(),
    /** the receipt's id; of a key-log entry its `seq` */
    subject: text("subject").notNull(),
    /** when the receipt was revoked, for a revocation. A later change of the receipt does not change this value. */
    revokedAt: time("revoked_at"),
    /** reason why no entry can be made. The row waits for a person; other rows are logged. */
    refused: text("refused"),
    createdAt: createdAt(),
  },
  (table) => [unique("log_queue_fact").on(table.kind, table.subject)],
);

/** An entry of the log. Rows are only added, without gaps. */
export const logEntry = earnest.table(
  "log_entry",
  {
    index: bigint("index", { mode: "number" }).primaryKey(),
    kind: text("kind").$type<LogKind>().notNull(),
    subject: text("subject").notNull(),
    /** bytes of the leaf as UTF-8: canonical JSON */
    entry: text("entry").notNull(),
    createdAt: createdAt(),
  },
  (table) => [unique("log_entry_fact").on(table.kind, table.subject)],
);

/** A tile of the log's tree. A partial tile grows in its row, so each narrower tile is a prefix of the row. */
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

/** The state of the log in one row: its size, its published checkpoint, and the worker that adds to it. */
export const logHead = earnest.table(
  "log_head",
  {
    id: smallint("id").primaryKey().default(1),
    /** verifier key of the checkpoints, with the name of the log */
    vkey: text("vkey").notNull(),
    /** the workers' policy of witnesses: the text of a tlog-policy */
    policy: text("policy").notNull(),
    /** worker that may write; each new holder takes the next fence */
    holder: text("holder"),
    fence: bigint("fence", { mode: "number" }).notNull().default(0),
    heldUntil: time("held_until"),
    size: bigint("size", { mode: "number" }).notNull().default(0),
    /** hex */
    root: text("root").notNull(),
    /** newest checkpoint with the signature of the log alone */
    checkpoint: text("checkpoint"),
    checkpointAt: time("checkpoint_at"),
    /** since when a checkpoint waits for its witnesses; null if the newest is published */
    waitingSince: time("waiting_since"),
    /** published checkpoint with its cosignatures; its size only grows */
    published: text("published"),
    publishedSize: bigint("published_size", { mode: "number" }).notNull().default(0),
    publishedAt: time("published_at"),
    /** whether the policy's quorum of witnesses has signed it; null if the policy needs none */
    isWitnessed: boolean("is_witnessed"),
    /** reason of a halt: the code, a sentence, and the checkpoint that the tree contradicts */
    halted: text("halted"),
    haltedBecause: text("halted_because"),
    haltedBy: text("halted_by"),
    haltedAt: time("halted_at"),
  },
  (table) => [check("log_head_one", sql`${table.id} = 1`)],
);

/** The last known signature of a witness of the policy, and the last failure of a request to it. */
export const logWitness = earnest.table("log_witness", {
  vkey: text("vkey").primaryKey(),
  size: bigint("size", { mode: "number" }).notNull().default(0),
  signedAt: time("signed_at"),
  /** code of the last failure; null after a success */
  failure: text("failure"),
  failedAt: time("failed_at"),
});
