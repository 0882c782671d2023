import { typeid } from "typeid-js";
import { deliveryChannel } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, isNull, lt, ne, or, sql } from "../../db/drizzle.ts";
import { wakeListeners } from "../../db/notify.ts";
import {
  event,
  type JsonObject,
  webhookDelivery,
  type webhookEndpoint,
  webhookRecovery,
} from "../../db/schema.ts";
import { eventBody, retentionDays } from "../../protocol/facts/event-body.ts";
import { Refusal, refuseField } from "../refusal.ts";

export type DeliveryRow = typeof webhookDelivery.$inferSelect;
export type RecoveryRow = typeof webhookRecovery.$inferSelect;
type Endpoint = Pick<typeof webhookEndpoint.$inferSelect, "id" | "status">;

/** The columns of a delivery whose schedule starts again now. */
export const requeuedColumns = {
  status: "pending",
  attempts: 0,
  nextAttemptAt: sql`now()`,
  leaseOwner: null,
  leasedUntil: null,
  finishedAt: null,
} as const;

/** Whether an endpoint has acknowledged a delivery, and has not been failing for a minute. */
export const isProven = sql`(endpoint.acknowledged_at is not null
  and coalesce(endpoint.failing_since, now()) > now() - interval '1 minute')`;

/**
 * Queues a test event for an endpoint, even a paused or disabled one. It is sent once and is not in the feed. Its
 * body is that of an event with this type and data.
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
  await wakeListeners(db, deliveryChannel);
  return row as DeliveryRow;
}

/** Reads the body of a delivery, which is the same in each attempt. */
export async function readDeliveryBody(
  db: Database,
  { id, eventId, type, testBody }: DeliveryRow,
): Promise<JsonObject> {
  if (testBody) {
    const test = testBody as { id: string; created_at: string; data: JsonObject };
    return eventBody({ ...test, type, createdAt: new Date(test.created_at) }, id);
  }
  const [row] = await db
    .select()
    .from(event)
    .where(eq(event.id, eventId ?? ""));
  if (!row) throw new Error(`The delivery ${id} has no event.`);
  return eventBody(row, id);
}

/** Returns the headers of an attempt without its signatures. They follow from the delivery, so they are not stored. */
export function headersOf({ id, type }: Pick<DeliveryRow, "id" | "type">, startedAt: Date) {
  return {
    "Content-Type": "application/json",
    "User-Agent": "Earnest-Webhooks/1",
    "X-Service-Event": type,
    "X-Service-Delivery": id,
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(startedAt.getTime() / 1000)),
  };
}

/**
 * Sends a delivery again, with the same event and body. A finished delivery starts its whole schedule again. A waiting
 * delivery is attempted at once. A delivery under way is left alone.
 *
 * @returns the changed delivery; undefined if there is none
 * @throws Refusal `invalid_state` if its endpoint is not active
 */
export async function resendDelivery(
  db: Database | Transaction,
  endpoint: Endpoint,
  deliveryId: string,
): Promise<DeliveryRow | undefined> {
  requireActive(endpoint);
  const ofIt = and(eq(webhookDelivery.id, deliveryId), eq(webhookDelivery.endpointId, endpoint.id));
  const finished = ne(webhookDelivery.status, "pending");
  const [anew] = await db.update(webhookDelivery).set(requeuedColumns).where(and(ofIt, finished)).returning();
  if (!anew) {
    const unleased = or(isNull(webhookDelivery.leasedUntil), lt(webhookDelivery.leasedUntil, sql`now()`));
    await db
      .update(webhookDelivery)
      .set({ nextAttemptAt: sql`now()` })
      .where(and(ofIt, eq(webhookDelivery.status, "pending"), unleased));
  }
  await wakeListeners(db, deliveryChannel);
  const [row] = anew ? [anew] : await db.select().from(webhookDelivery).where(ofIt);
  return row;
}

/**
 * Starts to resend an endpoint's subscribed events of `[since, until)` that it has not acknowledged.
 *
 * @throws Refusal `invalid_state` if the endpoint is not active, `invalid_request` for an empty range or one before
 *   the retention period
 */
export async function startRecovery(
  db: Database | Transaction,
  endpoint: Endpoint,
  { since, until }: { since: Date; until: Date },
  now: Date,
): Promise<RecoveryRow> {
  requireActive(endpoint);
  if (since >= until)
    throw refuseField("since", "order", "Field since: use a time before `until` and in the past.");
  if (since.getTime() < now.getTime() - retentionDays * 86_400_000) {
    throw refuseField(
      "since",
      "minimum",
      `Field since: use a time within the last ${retentionDays} days, for which events are kept.`,
    );
  }
  const [row] = await db
    .insert(webhookRecovery)
    .values({ id: typeid("whr").toString(), endpointId: endpoint.id, since, until })
    .returning();
  await wakeListeners(db, deliveryChannel);
  return row as RecoveryRow;
}

function requireActive({ status }: Endpoint): void {
  if (status === "active") return;
  throw new Refusal("invalid_state", `The endpoint is ${status}. Set its \`status\` to active first.`);
}

/**
 * Cancels the waiting deliveries of an endpoint that is revoked or disabled. Deliveries under way continue. Deliveries of a
 * paused endpoint wait until it is active again.
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
