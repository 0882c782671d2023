import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import type { LogKind } from "../../db/schema.ts";
import {
  encodeEntry,
  keyEntry,
  type LogEntry,
  receiptEntry,
  revocationEntry,
} from "../../protocol/tlog/entry.ts";

/** The most facts of one checkpoint, and the facts after which the loop yields. */
const mostAtOnce = 512;
const yieldEvery = 32;

/** A queued fact, with the data of its entry. */
type QueuedRow = {
  position: string;
  kind: LogKind;
  subject: string;
  revoked_at: Date | null;
  document: object | null;
  x402_receipt: string | null;
  key_entry: { seq: number } | null;
  is_logged: boolean;
};

export type NewEntry = { kind: LogKind; subject: string; bytes: Uint8Array };

export type Batch = {
  entries: NewEntry[];
  /** the queue positions handled with these entries, including facts that are logged already */
  done: string[];
  /** facts of which no entry can be made, and why */
  refused: { position: string; kind: LogKind; subject: string; why: string }[];
  /** whether more facts may wait */
  isFull: boolean;
};

/** Reads the facts that wait longest, as entries in the order of the queue. */
export async function readBatch(db: Database): Promise<Batch> {
  const { rows } = await db.execute<QueuedRow>(sql`
    select queued.position::text, queued.kind, queued.subject, queued.revoked_at,
      receipt.document, receipt.x402_receipt, key_log.entry as key_entry, logged.index is not null as is_logged
    from earnest.log_queue queued
    left join earnest.receipt on queued.kind = 'receipt' and receipt.id = queued.subject
    left join earnest.key_log on queued.kind = 'key' and key_log.seq::text = queued.subject
    left join earnest.log_entry logged on logged.kind = queued.kind and logged.subject = queued.subject
    where queued.refused is null
    order by queued.position limit ${mostAtOnce}`);
  const batch: Batch = { entries: [], done: [], refused: [], isFull: rows.length === mostAtOnce };
  for (const [i, row] of rows.entries()) {
    if (i % yieldEvery === yieldEvery - 1) await new Promise((resolve) => setImmediate(resolve));
    const { position, kind, subject } = row;
    try {
      if (!row.is_logged) batch.entries.push({ kind, subject, bytes: encodeEntry(entryOf(row)) });
      batch.done.push(position);
    } catch (error) {
      batch.refused.push({
        position,
        kind,
        subject,
        why: error instanceof Error ? error.message : "unknown",
      });
    }
  }
  return batch;
}

function entryOf(row: QueuedRow): LogEntry {
  if (row.kind === "revocation" && row.revoked_at)
    return revocationEntry(row.subject, new Date(row.revoked_at));
  if (row.kind === "receipt" && row.document)
    return receiptEntry(row.subject, row.document, row.x402_receipt);
  if (row.kind === "key" && row.key_entry) return keyEntry(row.key_entry);
  throw new Error("The row of the queued fact is missing.");
}
