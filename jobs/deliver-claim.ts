import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import type { JsonObject } from "../db/schema.ts";

/** A delivery that this process alone sends, until its lease is over. */
export type Claim = {
  id: string;
  /** what its record has to name: a later claim has another */
  lease: string;
  /** attempts before this one */
  attempts: number;
  type: string;
  event: { id: string; type: string; createdAt: Date; data: JsonObject };
  isTest: boolean;
  endpoint: { id: string; url: string; secretVersion: number; signsWithPrevious: boolean };
};

/** How much may be claimed. */
export type Room = {
  /** deliveries, and of them those to slow endpoints */
  slots: number;
  slowSlots: number;
  /** by endpoint, where it is not `otherwise` */
  byEndpoint: ReadonlyMap<string, number>;
  otherwise: number;
  /** endpoints that lately made us wait */
  slow: readonly string[];
};

/**
 * Claims deliveries that are due. Every endpoint has its turn before any has its second, and none more than it has
 * room for, so that a long queue for one does not stand before the others'.
 *
 * A lease is a time before which the delivery is not due again: when whoever holds it dies, others take it up then.
 */
export async function claimDeliveries(
  db: Database,
  room: Room,
  { lease, leaseMs }: { lease: string; leaseMs: number },
): Promise<Claim[]> {
  if (room.slots <= 0) return [];
  const { rows } = await db.execute<ClaimedRow>(sql`
    with recursive
    -- One probe of the index for each endpoint that has anything pending, however much that is; none while nothing is due.
    waiting(endpoint_id) as (
      (select endpoint_id from earnest.webhook_delivery
      where status = 'pending'
        and exists (select from earnest.webhook_delivery where status = 'pending' and next_attempt_at <= now())
      order by endpoint_id limit 1)
      union all
      select (
        select endpoint_id from earnest.webhook_delivery
        where status = 'pending' and endpoint_id > waiting.endpoint_id
        order by endpoint_id limit 1)
      from waiting where waiting.endpoint_id is not null),
    open as (
      select
        endpoint.id,
        endpoint.status,
        endpoint.id = any(${sql.param([...room.slow])}::text[]) as slow,
        greatest(0, coalesce(
          (${JSON.stringify(Object.fromEntries(room.byEndpoint))}::jsonb ->> endpoint.id)::int,
          ${room.otherwise}::int)) as free
      from waiting
      join earnest.webhook_endpoint endpoint on endpoint.id = waiting.endpoint_id
      where endpoint.status <> 'revoked'),
    due as (
      select open.slow, found.id, found.next_attempt_at, found.turn
      from open
      cross join lateral (
        select id, next_attempt_at, row_number() over (order by next_attempt_at) as turn
        from (
          (select id, next_attempt_at from earnest.webhook_delivery
          where open.status = 'active' and endpoint_id = open.id and status = 'pending' and next_attempt_at <= now()
          order by next_attempt_at limit open.free)
          union all
          -- An endpoint at rest is sent tests alone.
          (select id, next_attempt_at from earnest.webhook_delivery
          where open.status <> 'active' and endpoint_id = open.id and event_id is null
            and status = 'pending' and next_attempt_at <= now()
          limit open.free)
        ) as own
      ) as found),
    picked as (
      (select id from due where not slow order by turn, next_attempt_at limit ${room.slots})
      union all
      (select id from due where slow order by turn, next_attempt_at limit ${Math.max(0, room.slowSlots)})
      limit ${room.slots}),
    locked as (
      select delivery.id
      from earnest.webhook_delivery delivery
      join picked on picked.id = delivery.id
      -- Asked again: another may have had it between the look and the lock.
      where delivery.status = 'pending' and delivery.next_attempt_at <= now()
      for update of delivery skip locked),
    leased as (
      update earnest.webhook_delivery delivery
      set
        lease_owner = ${lease},
        leased_until = now() + make_interval(secs => ${leaseMs / 1000}),
        next_attempt_at = now() + make_interval(secs => ${leaseMs / 1000})
      from locked
      where delivery.id = locked.id
      returning delivery.*)
    select
      leased.id,
      leased.attempts,
      leased.type,
      leased.test_body,
      event.id as event_id,
      event.created_at as event_created_at,
      event.data as event_data,
      endpoint.id as endpoint_id,
      endpoint.url,
      endpoint.secret_version,
      coalesce(endpoint.previous_secret_until > now(), false) as signs_with_previous
    from leased
    join earnest.webhook_endpoint endpoint on endpoint.id = leased.endpoint_id
    left join earnest.event event on event.id = leased.event_id`);
  return rows.flatMap((row) => claimOf(row, lease) ?? []);
}

/** Gives claims back that were not begun, so that others need not wait for the end of their leases. */
export async function returnClaims(db: Database, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  const held = claims.map(({ id, lease }) => ({ id, lease }));
  await db.execute(sql`
    update earnest.webhook_delivery delivery
    set lease_owner = null, leased_until = null, next_attempt_at = now()
    from jsonb_to_recordset(${JSON.stringify(held)}::jsonb) as held(id text, lease text)
    where delivery.id = held.id and delivery.lease_owner = held.lease and delivery.status = 'pending'`);
}

type ClaimedRow = {
  id: string;
  attempts: number;
  type: string;
  test_body: { id: string; created_at: string; data: JsonObject } | null;
  event_id: string | null;
  event_created_at: string | null;
  event_data: JsonObject | null;
  endpoint_id: string;
  url: string;
  secret_version: number;
  signs_with_previous: boolean;
};

/** Null where there is nothing to send: one such row is not to keep the others from being sent. */
function claimOf(row: ClaimedRow, lease: string): Claim | null {
  const test = row.test_body;
  const created = test?.created_at ?? row.event_created_at;
  const id = test?.id ?? row.event_id;
  if (!created || !id) return null;
  return {
    id: row.id,
    lease,
    attempts: row.attempts,
    type: row.type,
    isTest: test !== null,
    event: { id, type: row.type, createdAt: new Date(created), data: test?.data ?? row.event_data ?? {} },
    endpoint: {
      id: row.endpoint_id,
      url: row.url,
      secretVersion: row.secret_version,
      signsWithPrevious: row.signs_with_previous && row.secret_version > 1,
    },
  };
}
