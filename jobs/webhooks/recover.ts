import { assignPositions, deliveryChannel } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { deliveryIdOf } from "../../db/derived-ids.ts";
import { and, asc, eq, gt, gte, inArray, isNull, lt, or, type SQL, sql } from "../../db/drizzle.ts";
import { wakeListeners } from "../../db/notify.ts";
import { event, webhookDelivery, webhookEndpoint, webhookRecovery } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type RecoveryRow, requeuedColumns } from "../../trade/webhooks/deliveries.ts";

/** Events read in one transaction. */
const page = 500;

/** Whether a recovery is running. */
export const hasRecovery: SQL = sql`exists (select from ${webhookRecovery} where ${webhookRecovery.status} = 'running')`;

/**
 * Continues recoveries until none is left. A recovery queues each subscribed event of its range that never arrived at
 * the endpoint. Each page is a transaction that locks its recovery. So a killed recovery continues with the next
 * worker, and two workers never do the same.
 */
export async function recoverDeliveries(db: Database, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await inTransaction(db, recoverPage))) {}
}

/** @returns whether there was a running recovery */
async function recoverPage(tx: Transaction): Promise<boolean> {
  const [recovery] = await tx
    .select()
    .from(webhookRecovery)
    .where(eq(webhookRecovery.status, "running"))
    .orderBy(asc(webhookRecovery.createdAt))
    .limit(1)
    .for("update", { skipLocked: true });
  if (!recovery) return false;
  const [endpoint] = await tx
    .select()
    .from(webhookEndpoint)
    .where(eq(webhookEndpoint.id, recovery.endpointId));
  const update = (changes: Partial<typeof webhookRecovery.$inferInsert>) =>
    tx.update(webhookRecovery).set(changes).where(eq(webhookRecovery.id, recovery.id));

  if (endpoint?.status !== "active") {
    await update({ status: "failed", finishedAt: new Date() });
    return true;
  }
  const ofRange = and(
    eq(event.accountId, endpoint.accountId),
    gte(event.createdAt, recovery.since),
    lt(event.createdAt, recovery.until),
    endpoint.events.includes("*") ? undefined : inArray(event.type, endpoint.events),
  );
  if (recovery.cursor === 0) {
    await assignPositions(tx, [endpoint.accountId]);
    await update({ total: await tx.$count(event, ofRange) });
  }
  const events = await tx
    .select({ id: event.id, type: event.type, position: event.position })
    .from(event)
    .where(and(ofRange, gt(event.position, recovery.cursor)))
    .orderBy(asc(event.position))
    .limit(page);
  const queued = await queueMissing(tx, recovery, events);
  const last = events.at(-1)?.position;
  const isDone = events.length < page;
  await update({
    queued: recovery.queued + queued,
    ...(last ? { cursor: last } : {}),
    ...(isDone ? { status: "done" as const, finishedAt: new Date() } : {}),
  });
  return true;
}

/**
 * Queues events whose delivery failed, was cancelled or does not exist. Makes waiting deliveries due at once.
 *
 * @returns how many deliveries these are, without those that arrived or are in flight
 */
async function queueMissing(
  tx: Transaction,
  { endpointId }: RecoveryRow,
  events: { id: string; type: string }[],
): Promise<number> {
  if (events.length === 0) return 0;
  const queued = await tx
    .insert(webhookDelivery)
    .values(
      events.map(({ id, type }) => ({
        id: deliveryIdOf(sql`${id}::text`, sql`${endpointId}::text`),
        endpointId,
        eventId: id,
        type,
      })),
    )
    .onConflictDoUpdate({
      target: [webhookDelivery.endpointId, webhookDelivery.eventId],
      set: requeuedColumns,
      setWhere: inArray(webhookDelivery.status, ["failed", "cancelled"]),
    })
    .returning({ id: webhookDelivery.id });
  const hastened = await tx
    .update(webhookDelivery)
    .set({ nextAttemptAt: sql`now()` })
    .where(
      and(
        eq(webhookDelivery.endpointId, endpointId),
        inArray(
          webhookDelivery.eventId,
          events.map(({ id }) => id),
        ),
        eq(webhookDelivery.status, "pending"),
        gt(webhookDelivery.nextAttemptAt, sql`now()`),
        or(isNull(webhookDelivery.leasedUntil), lt(webhookDelivery.leasedUntil, sql`now()`)),
      ),
    )
    .returning({ id: webhookDelivery.id });
  const count = queued.length + hastened.length;
  if (count > 0) await wakeListeners(tx, deliveryChannel);
  return count;
}
