import { type Database, preparedName, type Transaction } from "./client.ts";
import { deriveId } from "./derived-ids.ts";
import { and, inArray, isNull, sql } from "./drizzle.ts";
import { event } from "./schema.ts";

/** An event for an account. It belongs to a fact, or has a `key` under which it is written once. */
export type NewEvent = Pick<typeof event.$inferInsert, "accountId" | "type" | "orderId" | "data"> &
  ({ factId: string } | { key: string });

/** Channel that wakes the deliverer. A lost notification delays a delivery and loses none. */
export const deliveryChannel = "earnest_delivery";

/** Channel that wakes followers of feeds. Each notification has the id of an account with new events. */
export const eventChannel = "earnest_event";

/**
 * Writes events, and their deliveries to the endpoints that subscribe to them, in the transaction of their cause. An event
 * that is written already changes nothing.
 */
export async function insertEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({ id: eventIdOf(event), factId: null, key: null, ...event }));
  await tx.$client.query({
    name: preparedName(tx, "insert_events"),
    text: insertStatement,
    values: [
      rows.map(({ id }) => id),
      rows.map(({ accountId }) => accountId),
      rows.map(({ type }) => type),
      rows.map(({ orderId }) => orderId),
      rows.map(({ factId }) => factId),
      rows.map(({ key }) => key),
      rows.map(({ data }) => JSON.stringify(data)),
    ],
  });
}

/** $1 to $7 are the columns of the events. */
const insertStatement = `
  with recorded as (
    insert into earnest.event (id, account_id, type, order_id, fact_id, key, data)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
    on conflict do nothing
    returning id, account_id, type
  ), subscribed as materialized (
    select recorded.id as event_id, recorded.type, endpoint.id as endpoint_id
    from recorded join earnest.webhook_endpoint as endpoint
      on endpoint.account_id = recorded.account_id and endpoint.status = 'active'
      and (recorded.type = any(endpoint.events) or '*' = any(endpoint.events))
  ), delivered as (
    insert into earnest.webhook_delivery (id, endpoint_id, event_id, type)
    select earnest.delivery_id(event_id, endpoint_id), endpoint_id, event_id, type from subscribed
    returning id
  )
  select pg_notify('${eventChannel}', account_id) from (select distinct account_id from recorded) as notified
  union all select pg_notify('${deliveryChannel}', '') where exists (select from delivered)`;

/** Derives the id of an event that is about to be written. */
export function eventIdOf({ accountId, type, ...of }: NewEvent): string {
  return "factId" in of
    ? deriveId("evt", of.factId, of.factId, accountId, type)
    : deriveId("evt", accountId, of.key, accountId);
}

/**
 * Gives the new events of accounts their positions in the feeds. Transactions commit in another order than they take
 * sequence numbers, so only committed events get positions, after all earlier positions. A cursor therefore skips no event.
 */
export async function assignPositions(tx: Transaction, accountIds: readonly string[]): Promise<void> {
  const accountsWithNew = await findAccountsWithoutPositions(tx, accountIds);
  if (accountsWithNew.length === 0) return;
  await catchUpWithClock(tx);
  // Locks are taken in one order, so that two processes never wait for each other.
  const accounts = sql.param(accountsWithNew.sort());
  await tx.execute(sql`
    select pg_advisory_xact_lock(hashtextextended('events ' || account_id, 0))
    from unnest(${accounts}::text[]) as account_id`);
  await tx.execute(sql`
    with assigned as (
      select id, nextval('earnest.event_position') as position
      from (
        select id from earnest.event
        where account_id = any(${accounts}::text[]) and position is null
        order by seq) as new_events)
    update earnest.event set position = assigned.position from assigned where event.id = assigned.id`);
}

/** Finds which accounts have events without a position in the feed: events that nobody has read. */
export async function findAccountsWithoutPositions(
  db: Database | Transaction,
  accountIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ accountId: event.accountId })
    .from(event)
    .where(and(inArray(event.accountId, [...accountIds]), isNull(event.position)));
  return rows.map(({ accountId }) => accountId);
}

/**
 * Sets the sequence of positions to the clock: 100,000 positions a second, at most a second behind. A database that is
 * restored from an old copy therefore gives no position twice, and stored cursors miss no event.
 *
 * A lock until the end of the transaction could end in a deadlock. The lock is therefore taken in a subtransaction that is
 * rolled back: the rollback frees the lock and leaves the sequence as it was set.
 */
async function catchUpWithClock(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    do $$
    declare clock bigint := extract(epoch from clock_timestamp()) * 100000;
    begin
      if (select last_value from earnest.event_position) >= clock - 100000 then return; end if;
      begin
        perform pg_advisory_xact_lock(hashtextextended('event positions', 0));
        if (select last_value from earnest.event_position) < clock then
          perform setval('earnest.event_position', clock);
        end if;
        raise sqlstate 'EA001';
      exception when sqlstate 'EA001' then null;
      end;
    end $$`);
}
