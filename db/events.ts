import { and, inArray, isNull, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Transaction } from "./client.ts";
import { event, webhookDelivery, webhookEndpoint } from "./schema.ts";

/** Something an account is told of: of a fact, or with a `key` that makes it happen once. */
export type NewEvent = Pick<typeof event.$inferInsert, "accountId" | "type" | "orderId" | "data"> &
  ({ factId: string } | { key: string });

/** Where the deliverer listens: a wake-up, not the truth. */
export const deliveryChannel = "earnest_delivery";

/** Where followers of feeds listen: a trigger of `event` tells the accounts that have new ones. A wake-up, too. */
export const eventChannel = "earnest_event";

/**
 * Writes events and their deliveries to whichever endpoints want them, in the transaction of what caused them: either
 * all of it happened or none. An event that is there already changes nothing.
 */
export async function insertEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const recorded = tx
    .insert(event)
    .values(events.map((one) => ({ id: createEventId(), ...one })))
    .onConflictDoNothing()
    .returning({ id: event.id, accountId: event.accountId, type: event.type });
  const { rows } = await tx.execute<WantedDelivery>(
    sql`with recorded as ${recorded} ${readWantedDeliveries}`,
  );
  await insertDeliveries(tx, rows);
}

/** For an event that is about to be written. */
export function createEventId(): string {
  return typeid("evt").toString();
}

/** An event that an endpoint wants. */
export type WantedDelivery = { event_id: string; type: string; endpoint_id: string };

/** Reads who wants the events that the statement before it, named `recorded`, has written. */
export const readWantedDeliveries = sql`
  select recorded.id as event_id, recorded.type, endpoint.id as endpoint_id
  from recorded join ${webhookEndpoint} as endpoint
    on endpoint.account_id = recorded.account_id and endpoint.status = 'active'
    and (recorded.type = any(endpoint.events) or '*' = any(endpoint.events))`;

/** Has events delivered to the endpoints that want them. */
export async function insertDeliveries(tx: Transaction, wanted: readonly WantedDelivery[]): Promise<void> {
  if (wanted.length === 0) return;
  await tx.insert(webhookDelivery).values(
    wanted.map(({ event_id, endpoint_id, type }) => ({
      id: typeid("whd").toString(),
      endpointId: endpoint_id,
      eventId: event_id,
      type,
    })),
  );
  await tx.execute(sql`select pg_notify(${deliveryChannel}, '')`);
}

/**
 * Gives the new events of accounts their places in their feeds. Transactions end in another order than they take numbers
 * in, so a place is given to what is there to be read, after all that was given before: a cursor never passes an event by.
 */
export async function placeEvents(tx: Transaction, accountIds: readonly string[]): Promise<void> {
  const unplaced = await tx
    .selectDistinct({ accountId: event.accountId })
    .from(event)
    .where(and(inArray(event.accountId, [...accountIds]), isNull(event.position)));
  if (unplaced.length === 0) return;
  // In one order, so that two who place for several accounts never wait for each other.
  const accounts = sql.param(unplaced.map(({ accountId }) => accountId).sort());
  await tx.execute(sql`
    select pg_advisory_xact_lock(hashtextextended('events ' || account_id, 0))
    from unnest(${accounts}::text[]) as account_id`);
  await tx.execute(sql`
    with placed as (
      select id, nextval('earnest.event_place') as place
      from (
        select id from earnest.event
        where account_id = any(${accounts}::text[]) and position is null
        order by seq) as unplaced)
    update earnest.event set position = placed.place from placed where event.id = placed.id`);
}
