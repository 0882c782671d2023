import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Transaction } from "./client.ts";
import { event, webhookDelivery, webhookEndpoint } from "./schema.ts";

/** Something an account is told of: of a fact, or with a `key` that makes it happen once. */
export type NewEvent = Pick<typeof event.$inferInsert, "accountId" | "type" | "orderId" | "data"> &
  ({ factId: string } | { key: string });

/** Where the deliverer listens: a wake-up, not the truth. */
export const deliveryChannel = "earnest_delivery";

/**
 * Writes events and their deliveries to whichever endpoints want them, in the transaction of what caused them: either
 * all of it happened or none. An event that is there already changes nothing.
 */
export async function insertEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const inserted = await tx
    .insert(event)
    .values(events.map((one) => ({ id: typeid("evt").toString(), ...one })))
    .onConflictDoNothing()
    .returning({ id: event.id, accountId: event.accountId, type: event.type });
  if (inserted.length === 0) return;
  const wanted = await tx
    .select({ id: webhookEndpoint.id, accountId: webhookEndpoint.accountId, events: webhookEndpoint.events })
    .from(webhookEndpoint)
    .where(
      and(
        eq(webhookEndpoint.status, "active"),
        inArray(webhookEndpoint.accountId, [...new Set(inserted.map(({ accountId }) => accountId))]),
        or(
          ...[...new Set(inserted.map(({ type }) => type)), "*"].map(
            (type) => sql`${type} = any(${webhookEndpoint.events})`,
          ),
        ),
      ),
    );
  const deliveries = inserted.flatMap((one) =>
    wanted
      .filter((each) => each.accountId === one.accountId && isSubscribed(each.events, one.type))
      .map((each) => ({
        id: typeid("whd").toString(),
        endpointId: each.id,
        eventId: one.id,
        type: one.type,
      })),
  );
  if (deliveries.length === 0) return;
  await tx.insert(webhookDelivery).values(deliveries);
  await tx.execute(sql`select pg_notify(${deliveryChannel}, '')`);
}

/**
 * Gives an account's new events their places in its feed. Transactions end in another order than they take numbers in,
 * so a place is given to what is there to be read, after all that was given before: a cursor never passes an event by.
 */
export async function placeEvents(tx: Transaction, accountId: string): Promise<void> {
  const [unplaced] = await tx
    .select({ id: event.id })
    .from(event)
    .where(and(eq(event.accountId, accountId), isNull(event.position)))
    .limit(1);
  if (!unplaced) return;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`events ${accountId}`}, 0))`);
  await tx.execute(sql`
    with placed as (
      select id, nextval('earnest.event_place') as place
      from (
        select id from earnest.event
        where account_id = ${accountId} and position is null
        order by seq) as unplaced)
    update earnest.event set position = placed.place from placed where event.id = placed.id`);
}

/** Whether an endpoint's list of types has this one. */
export function isSubscribed(types: readonly string[], type: string): boolean {
  return types.includes("*") || types.includes(type);
}
