import { and, eq, isNull, lt, ne, or, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Database, Transaction } from "./client.ts";
import { deliveryChannel } from "./events.ts";
import { type JsonObject, webhookDelivery, webhookEndpoint, webhookRecovery } from "./schema.ts";

export type DeliveryRow = typeof webhookDelivery.$inferSelect;
export type RecoveryRow = typeof webhookRecovery.$inferSelect;

/** What a delivery is set to that begins anew: its schedule from the first attempt, at once. */
export const queuedAnew = {
  status: "pending",
  attempts: 0,
  nextAttemptAt: sql`now()`,
  leaseOwner: null,
  leasedUntil: null,
  finishedAt: null,
} as const;

/** Whether there is any endpoint whose secret the webhook key has to give. */
export async function hasEndpoints(db: Database | Transaction): Promise<boolean> {
  const found = await db
    .select({ one: sql`1` })
    .from(webhookEndpoint)
    .where(ne(webhookEndpoint.status, "revoked"))
    .limit(1);
  return found.length > 0;
}

/**
 * Queues a test event for one endpoint, paused and disabled ones too: that is how their owner sees that they answer again.
 * It is tried once and is in no feed; its body is that of an event with this type and data.
 */
export async function queueTest(
  db: Database | Transaction,
  { endpointId, type, data }: { endpointId: string; type: string; data: JsonObject },
): Promise<DeliveryRow> {
  const testBody = {
    id: typeid("evt").toString(),
    type,
    created_at: new Date().toISOString(),
    data,
  };
  const [row] = await db
    .insert(webhookDelivery)
    .values({ id: typeid("whd").toString(), endpointId, type, testBody })
    .returning();
  await wakeDeliverer(db);
  return row as DeliveryRow;
}

/**
 * Sends a delivery again, with the same event and body: one that is finished has its whole schedule before it, one that
 * waits for its next attempt does so no longer, and one under way is left alone.
 *
 * @returns the delivery after that; undefined where there is none
 */
export async function resend(
  db: Database | Transaction,
  deliveryId: string,
): Promise<DeliveryRow | undefined> {
  const ofIt = eq(webhookDelivery.id, deliveryId);
  const finished = ne(webhookDelivery.status, "pending");
  const [anew] = await db.update(webhookDelivery).set(queuedAnew).where(and(ofIt, finished)).returning();
  if (!anew) {
    const unleased = or(isNull(webhookDelivery.leasedUntil), lt(webhookDelivery.leasedUntil, sql`now()`));
    await db
      .update(webhookDelivery)
      .set({ nextAttemptAt: sql`now()` })
      .where(and(ofIt, eq(webhookDelivery.status, "pending"), unleased));
  }
  await wakeDeliverer(db);
  const [row] = anew ? [anew] : await db.select().from(webhookDelivery).where(ofIt);
  return row;
}

/**
 * Has the worker send an endpoint all events of `[since, until)` that it subscribes to and never acknowledged. The
 * endpoint must be active.
 */
export async function startRecovery(
  db: Database | Transaction,
  range: { endpointId: string; since: Date; until: Date },
): Promise<RecoveryRow> {
  const [row] = await db
    .insert(webhookRecovery)
    .values({ id: typeid("whr").toString(), ...range })
    .returning();
  await wakeDeliverer(db);
  return row as RecoveryRow;
}

/**
 * Cancels what waits for an endpoint that is revoked or disabled. What is under way at this moment ends as it ends. A
 * paused endpoint's deliveries are left as they are: they wait until it is active again.
 *
 * @param reason a sentence for the endpoint's owner
 */
export async function cancelPending(
  db: Database | Transaction,
  endpointId: string,
  reason: string,
): Promise<void> {
  await db
    .update(webhookDelivery)
    .set({ status: "cancelled", lastError: reason, finishedAt: sql`now()` })
    .where(and(eq(webhookDelivery.endpointId, endpointId), eq(webhookDelivery.status, "pending")));
}

/** Tells the deliverer that there may be something to send. It would find it by itself, a little later. */
export async function wakeDeliverer(db: Database | Transaction): Promise<void> {
  await db.execute(sql`select pg_notify(${deliveryChannel}, '')`);
}
