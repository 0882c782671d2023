import type { Database, Transaction } from "./client.ts";
import { sql } from "./drizzle.ts";
import type { LogKind } from "./schema.ts";

/** The channel on which sequencers listen. A notification wakes them; the rows of the queue name what is to be logged. */
export const logChannel = "earnest_log";

/**
 * Queues an entry of the log and wakes the sequencers, in the transaction of the fact. A fact has one entry, however often
 * it is queued.
 *
 * @param subject the receipt's id; of a key-log entry its `seq`
 * @param revokedAt of a revocation: when the receipt was revoked
 */
export async function queueLogEntry(
  tx: Transaction | Database,
  kind: LogKind,
  subject: string,
  revokedAt: Date | null = null,
): Promise<void> {
  await tx.execute(sql`
    with queued as (
      insert into earnest.log_queue (kind, subject, revoked_at)
      values (${kind}, ${subject}, ${revokedAt?.toISOString() ?? null}::timestamptz)
      on conflict do nothing returning 1)
    select pg_notify(${logChannel}, '') from queued`);
}
