import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";

/** How long events are in the feed, and deliveries with their attempts are kept. */
const keptFor = sql`interval '30 days'`;

/** Rows removed in one transaction. */
const batch = 2000;

/**
 * Removes deliveries with their attempts, recoveries and events that are older than that, answers kept for an
 * `Idempotency-Key` after a day, and the counts of clients that have all their requests left again; in batches, so that
 * nobody waits for it. An event that was recovered lately stays until its delivery goes.
 *
 * @returns how many of each were removed
 */
export async function removeOld(
  db: Database,
  signal?: AbortSignal,
): Promise<{ deliveries: number; recoveries: number; events: number; answers: number; clients: number }> {
  return {
    // Attempts go with their deliveries.
    deliveries: await removeIn(sql`
      delete from earnest.webhook_delivery where id in (
        select id from earnest.webhook_delivery
        where created_at < now() - ${keptFor} and coalesce(leased_until, '-infinity') < now()
        order by created_at limit ${batch})`),
    recoveries: await removeIn(sql`
      delete from earnest.webhook_recovery where id in (
        select id from earnest.webhook_recovery
        where created_at < now() - ${keptFor} and status <> 'running' limit ${batch})`),
    events: await removeIn(sql`
      delete from earnest.event where id in (
        select id from earnest.event
        where created_at < now() - ${keptFor}
          and not exists (select from earnest.webhook_delivery where event_id = event.id)
        order by created_at limit ${batch})`),
    answers: await removeIn(sql`
      delete from earnest.idempotency_record where scope in (
        select scope from earnest.idempotency_record
        where created_at < now() - interval '24 hours' order by created_at limit ${batch})`),
    clients: await removeIn(sql`
      delete from earnest.rate_limit where bucket in (
        select bucket from earnest.rate_limit where full_at < now() limit ${batch})
        and full_at < now()`),
  };

  async function removeIn(statement: ReturnType<typeof sql>): Promise<number> {
    let removed = 0;
    while (!signal?.aborted) {
      const { rowCount } = await db.execute(statement);
      removed += rowCount ?? 0;
      if ((rowCount ?? 0) < batch) break;
    }
    return removed;
  }
}
