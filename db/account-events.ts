import { and, inArray, isNull, sql } from "drizzle-orm";
import { type Database, preparedName, type Transaction } from "./client.ts";
import { deriveId } from "./derived-ids.ts";
import { event } from "./schema.ts";

/** Something an account is told of: of a fact, or with a `key` that makes it happen once. */
export type NewEvent = Pick<typeof event.$inferInsert, "accountId" | "type" | "orderId" | "data"> &
  ({ factId: string } | { key: string });

/** Where the deliverer listens: a wake-up, not the truth. */
export const deliveryChannel = "earnest_delivery";

/** Where followers of feeds listen: it tells the accounts that have new events. A wake-up, too. */
export const eventChannel = "earnest_event";

/**
 * Writes events and their deliveries to whichever endpoints want them, in the transaction of what caused them: either
 * all of it happened or none. An event that is there already changes nothing.
 */
export async function insertEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((one) => ({ id: eventIdOf(one), factId: null, key: null, ...one }));
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
  ), wanted as materialized (
    select recorded.id as event_id, recorded.type, endpoint.id as endpoint_id
    from recorded join earnest.webhook_endpoint as endpoint
      on endpoint.account_id = recorded.account_id and endpoint.status = 'active'
      and (recorded.type = any(endpoint.events) or '*' = any(endpoint.events))
  ), delivered as (
    insert into earnest.webhook_delivery (id, endpoint_id, event_id, type)
    select earnest.delivery_id(wanted.event_id, wanted.endpoint_id), wanted.endpoint_id, wanted.event_id, wanted.type from wanted
    returning id
  )
  select pg_notify('${eventChannel}', account_id) from (select distinct account_id from recorded) as told
  union all select pg_notify('${deliveryChannel}', '') where exists (select from delivered)`;

/** The id of an event that is about to be written. */
export function eventIdOf({ accountId, type, ...of }: NewEvent): string {
  return "factId" in of
    ? deriveId("evt", of.factId, of.factId, accountId, type)
    : deriveId("evt", accountId, of.key, accountId);
}

/**
 * Gives the new events of accounts their places in their feeds. Transactions end in another order than they take numbers
 * in, so a place is given to what is there to be read, after all that was given before: a cursor never passes an event by.
 */
export async function placeEvents(tx: Transaction, accountIds: readonly string[]): Promise<void> {
  const unplaced = await findUnplaced(tx, accountIds);
  if (unplaced.length === 0) return;
  await catchUpWithClock(tx);
  // In one order, so that two who place for several accounts never wait for each other.
  const accounts = sql.param(unplaced.sort());
  await tx.execute(sql`
    select pg_advisory_xact_lock(hashtextextended('events ' || account_id, 0))
    from unnest(${accounts}::text[]) as account_id`);
  await tx.execute(sql`
    with placed as (
      select id, nextval('earnest.event_position') as place
      from (
        select id from earnest.event
        where account_id = any(${accounts}::text[]) and position is null
        order by seq) as unplaced)
    update earnest.event set position = placed.place from placed where event.id = placed.id`);
}

/** Which of these accounts have events that have no place in their feeds yet, so that nobody has read them. */
export async function findUnplaced(
  db: Database | Transaction,
  accountIds: readonly string[],
): Promise<string[]> {
  const found = await db
    .selectDistinct({ accountId: event.accountId })
    .from(event)
    .where(and(inArray(event.accountId, [...accountIds]), isNull(event.position)));
  return found.map(({ accountId }) => accountId);
}

/**
 * Places are given 100,000 a second at the most, and are never behind the clock by more than a second. So a database that
 * was restored from an old copy gives none that was given before: whoever kept a cursor misses nothing.
 *
 * Whoever sets the sequence has the lock for that moment alone: kept to the transaction's end, it could wait for one that waits
 * for it. So it is taken within a subtransaction that is rolled back, which gives the lock back and leaves the sequence set.
 */
async function catchUpWithClock(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    do $$
    declare clock bigint := extract(epoch from clock_timestamp()) * 100000;
    begin
      if (select last_value from earnest.event_position) >= clock - 100000 then return; end if;
      begin
        perform pg_advisory_xact_lock(hashtextextended('event places', 0));
        if (select last_value from earnest.event_position) < clock then
          perform setval('earnest.event_position', clock);
        end if;
        raise sqlstate 'EA001';
      exception when sqlstate 'EA001' then null;
      end;
    end $$`);
}
