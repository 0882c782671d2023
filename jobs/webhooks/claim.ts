import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import type { JsonObject } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isProven } from "../../trade/webhooks/deliveries.ts";
import { hostBurst, readAllowance } from "../strangers/allowance.ts";
import { accountBurst, knownTrials, lockClaims, type Pace, trialCost } from "./pace.ts";

/** A delivery that this process alone sends, until its lease is over. */
export type Claim = {
  id: string;
  /** what its record has to name: a later claim has another */
  lease: string;
  /** when that ends, by `performance.now()` */
  leasedUntil: number;
  /** attempts before this one */
  attempts: number;
  type: string;
  event: { id: string; type: string; createdAt: Date; data: JsonObject };
  isTest: boolean;
  /** the endpoint never acknowledged anything, or has failed for a while: it gets one at a time, seconds apart */
  isTrial: boolean;
  endpoint: {
    id: string;
    accountId: string;
    url: string;
    host: string;
    secretVersion: number;
    signsWithPrevious: boolean;
  };
};

/** How much may be claimed. */
export type Room = {
  /** deliveries, and of them those to endpoints that are slow or on trial */
  slots: number;
  slowSlots: number;
  /** by endpoint, where it is not `otherwise` */
  byEndpoint: ReadonlyMap<string, number>;
  otherwise: number;
  /** of one host and of one account at it, and what each has already that has anything: `<host>`, `<host> <account>` */
  mostOfHost: number;
  mostOfAccount: number;
  heldByHost: ReadonlyMap<string, number>;
  /** endpoints that lately made us wait */
  slow: readonly string[];
};

/** Whether a delivery is due, and nobody is sending it. */
const isFree = (row: SQL) => sql`
  ${row}.status = 'pending' and ${row}.next_attempt_at <= now()
  and (${row}.leased_until is null or ${row}.leased_until <= now())`;

/** Whether there is any such. */
export const hasDueDelivery: SQL = sql`
  (select next_attempt_at from earnest.webhook_delivery one
  where ${isFree(sql`one`)} order by next_attempt_at limit 1) is not null`;

/**
 * Claims deliveries that are due. Every endpoint has its turn before any has its second, and none more than it has
 * room for, so that a long queue for one does not stand before the others'. The same holds for the accounts that have
 * endpoints at one host. No host and no account gets more than the pace allows, by all workers together.
 *
 * A lease is a time before which nobody else claims the delivery: when whoever holds it dies, others take it up then.
 */
export async function claimDeliveries(
  db: Database,
  room: Room,
  options: { lease: string; leaseMs: number; pace: Pace },
): Promise<Claim[]> {
  if (room.slots <= 0) return [];
  const values = valuesOf(room, options);
  // Before PostgreSQL's own clock is asked.
  const leasedUntil = performance.now() + options.leaseMs;
  const { rows } = await inTransaction(db, async (tx) => {
    await lockClaims(tx);
    return tx.execute<ClaimedRow>(claim(values));
  });
  const claims: Claim[] = [];
  for (const row of rows) {
    const claim = claimOf(row, options.lease, leasedUntil);
    if (claim) claims.push(claim);
  }
  return claims;
}

function valuesOf(room: Room, { lease, leaseMs, pace }: { lease: string; leaseMs: number; pace: Pace }) {
  const ofEach = (counts: ReadonlyMap<string, number>) => JSON.stringify(Object.fromEntries(counts));
  return {
    ...{ ...room, ...pace, lease },
    slow: [...room.slow],
    slowSlots: Math.max(0, room.slowSlots),
    byEndpoint: ofEach(room.byEndpoint),
    heldByHost: ofEach(room.heldByHost),
    leaseSeconds: leaseMs / 1000,
    otherTrialSeconds: pace.trialSeconds / knownTrials,
  };
}

function claim(values: ReturnType<typeof valuesOf>): SQL {
  const value = (name: keyof typeof values) => sql`${sql.param(values[name])}`;
  const leaseEnd = sql`now() + make_interval(secs => ${value("leaseSeconds")}::float8)`;
  const hostRoom = readAllowance(sql`host.paid_until`, value("hostPerSecond"), hostBurst);
  const accountRoom = readAllowance(sql`sender.paid_until`, value("accountPerSecond"), accountBurst);
  /** What is paid for the claims of a host or an account: the time that its rate takes for them. */
  const paid = (cost: ReturnType<typeof sql>, perSecond: SQL, burst: number) => sql`
    now() - make_interval(secs => ${burst}) + make_interval(secs => ${cost}::float8 / ${perSecond}::float8)`;
  const paidOn = (table: ReturnType<typeof sql>, burst: number) => sql`
    greatest(coalesce(${table}.paid_until, '-infinity'), now() - make_interval(secs => ${burst}))
      + (excluded.paid_until - (now() - make_interval(secs => ${burst})))`;
  return sql`
    with recursive
    -- One probe of the index for each endpoint that has anything pending, however much that is; none while nothing is due.
    waiting(endpoint_id) as (
      (select endpoint_id from earnest.webhook_delivery
      where status = 'pending'
        and ${hasDueDelivery}
      order by endpoint_id limit 1)
      union all
      select (
        select endpoint_id from earnest.webhook_delivery
        where status = 'pending' and endpoint_id > waiting.endpoint_id
        order by endpoint_id limit 1)
      from waiting where waiting.endpoint_id is not null),
    known as (
      select
        endpoint.id,
        endpoint.account_id,
        endpoint.host,
        endpoint.url,
        endpoint.secret_version,
        coalesce(endpoint.previous_secret_until > now(), false) as signs_with_previous,
        endpoint.status,
        endpoint.id = any(${value("slow")}::text[]) as slow,
        not ${isProven} as trying,
        endpoint.next_trial_at,
        sender.tried_at,
        ${accountRoom} as account_room,
        least(${hostRoom}, ${value("mostOfHost")}::int
          - coalesce((${value("heldByHost")}::jsonb ->> endpoint.host)::int, 0)) as host_room,
        ${value("mostOfAccount")}::int
          - coalesce((${value("heldByHost")}::jsonb ->> (endpoint.host || ' ' || endpoint.account_id))::int, 0) as own_room,
        case
          when coalesce(host.next_trial_at, '-infinity') <= now() then 1
          else 0
        end as host_trials,
        greatest(0, coalesce(
          (${value("byEndpoint")}::jsonb ->> endpoint.id)::int,
          ${value("otherwise")}::int)) as free
      from waiting
      cross join lateral (
        select * from earnest.webhook_endpoint
        where id = waiting.endpoint_id and status <> 'revoked' limit 1) as endpoint
      left join earnest.webhook_host host on host.host = endpoint.host
      left join earnest.webhook_sender sender on sender.account_id = endpoint.account_id),
    open as (
      select *,
        case
          when not trying then free
          when coalesce(next_trial_at, '-infinity') <= now() and host_trials >= 1 and account_room >= ${trialCost}::int
            then least(1, free)
          else 0
        end as wanted
      from known),
    due as (
      -- What the turns go by, and no more: it is sorted and copied several times.
      select open.id, open.account_id, open.host, open.slow, open.trying, open.next_trial_at, open.tried_at,
        open.account_room, open.host_room, open.own_room, open.host_trials,
        found.seen, found.next_attempt_at, found.turn
      from open
      cross join lateral (
        select seen, next_attempt_at, row_number() over (order by next_attempt_at) as turn
        from (
          (select ctid as seen, next_attempt_at from earnest.webhook_delivery one
          where open.status = 'active' and endpoint_id = open.id and ${isFree(sql`one`)}
          order by endpoint_id, next_attempt_at limit open.wanted)
          union all
          -- An endpoint at rest is sent tests alone.
          (select ctid as seen, next_attempt_at from earnest.webhook_delivery one
          where open.status <> 'active' and endpoint_id = open.id and event_id is null and ${isFree(sql`one`)}
          order by endpoint_id, next_attempt_at limit open.wanted)
        ) as own
      ) as found),
    -- Whoever was tried least lately has the next try.
    ofaccount as (
      select *, row_number() over (
        partition by account_id, trying order by turn, next_trial_at nulls first, next_attempt_at) as account_place
      from due),
    ofhost as (
      select *, row_number() over (
        partition by host, account_id, trying order by account_place) as own_place
      from ofaccount
      where account_place * case when trying then ${trialCost}::int else 1 end <= account_room),
    placed as (
      select *, row_number() over (
        partition by host, trying order by own_place, tried_at nulls first, next_attempt_at) as host_place
      from ofhost),
    fitting as (
      select * from placed 
      where own_place <= own_room and host_place <= case when trying then host_trials else host_room end),
    picked as (
      (select * from fitting where not slow and not trying order by own_place, next_attempt_at limit ${value("slots")}::int)
      union all
      (select * from fitting where slow or trying
      order by own_place, tried_at nulls first, next_attempt_at limit ${value("slowSlots")}::int)
      limit ${value("slots")}::int),
    locked as (
      select picked.*, delivery.place, case when trying then ${trialCost}::int else 1 end as account_cost
      from picked
      cross join lateral (
        select ctid as place from earnest.webhook_delivery delivery
        where ctid = picked.seen
          -- Asked again: another may have had it between the look and the lock. In a form that no index has, as it is found by its place.
          and case when ${isFree(sql`delivery`)} then true end
        limit 1 for update skip locked) as delivery),
    leased as (
      update earnest.webhook_delivery delivery
      -- No indexed column: the row's other version stays on its page, and no index learns of it.
      set lease_owner = ${value("lease")}, leased_until = ${leaseEnd}
      from locked
      where delivery.ctid = locked.place
      returning delivery.id as delivery_id, delivery.attempts, delivery.type, delivery.test_body, delivery.event_id,
        locked.id, locked.host, locked.account_id, locked.account_cost, locked.trying),
    paid_hosts as (
      insert into earnest.webhook_host as host (host, paid_until, next_trial_at)
      select host, ${paid(sql`count(*)`, value("hostPerSecond"), hostBurst)}, case when bool_or(trying) then ${leaseEnd} end
      from leased group by host
      on conflict (host) do update set
        paid_until = ${paidOn(sql`host`, hostBurst)},
        -- One that others made known may have the next try before this one ends.
        next_trial_at = case
          when excluded.next_trial_at is null or host.acknowledged_at is null
            then coalesce(excluded.next_trial_at, host.next_trial_at)
          else now() + make_interval(secs => ${value("otherTrialSeconds")}::float8) end),
    paid_senders as (
      insert into earnest.webhook_sender as sender (account_id, paid_until, tried_at)
      select account_id, ${paid(sql`sum(account_cost)`, value("accountPerSecond"), accountBurst)}, case when bool_or(trying) then now() end
      from leased group by account_id
      on conflict (account_id) do update set
        paid_until = ${paidOn(sql`sender`, accountBurst)},
        tried_at = coalesce(excluded.tried_at, sender.tried_at)),
    tried as (
      update earnest.webhook_endpoint set next_trial_at = ${leaseEnd}
      where id = any(array(select id from leased where trying)))
    select
      leased.delivery_id as id,
      leased.attempts,
      leased.type,
      leased.test_body,
      leased.trying,
      event.id as event_id,
      event.created_at as event_created_at,
      event.data as event_data,
      leased.id as endpoint_id,
      leased.account_id,
      open.url,
      leased.host,
      open.secret_version,
      open.signs_with_previous
    from leased
    join open on open.id = leased.id
    left join earnest.event event on event.id = leased.event_id`;
}

/**
 * Gives claims back that were not begun, so that others need not wait for the end of their leases.
 *
 * @param delayMs how long they are not due
 */
export async function returnClaims(db: Database, claims: readonly Claim[], delayMs = 0): Promise<void> {
  if (claims.length === 0) return;
  const held = claims.map(({ id, lease }) => ({ id, lease }));
  const tried = claims.filter(({ isTrial }) => isTrial).map(({ endpoint }) => endpoint);
  const due = sql`now() + make_interval(secs => ${delayMs / 1000})`;
  await inTransaction(db, async (tx) => {
    if (tried.length > 0) {
      await lockClaims(tx);
      await tx.execute(sql`
        update earnest.webhook_endpoint set next_trial_at = ${due}
        where id = any(${sql.param(tried.map(({ id }) => id))}::text[])`);
      await tx.execute(sql`
        update earnest.webhook_host set next_trial_at = ${due}
        where host = any(${sql.param(tried.map(({ host }) => host))}::text[])`);
    }
    await tx.execute(sql`
      update earnest.webhook_delivery delivery
      set lease_owner = null, leased_until = null, next_attempt_at = ${due}
      from jsonb_to_recordset(${JSON.stringify(held)}::jsonb) as held(id text, lease text)
      where delivery.id = held.id and delivery.lease_owner = held.lease and delivery.status = 'pending'`);
  });
}

type ClaimedRow = {
  id: string;
  attempts: number;
  type: string;
  test_body: { id: string; created_at: string; data: JsonObject } | null;
  event_id: string | null;
  event_created_at: string | null;
  event_data: JsonObject | null;
  trying: boolean;
  endpoint_id: string;
  account_id: string;
  url: string;
  host: string;
  secret_version: number;
  signs_with_previous: boolean;
};

/** Null where there is nothing to send: one such row is not to keep the others from being sent. */
function claimOf(row: ClaimedRow, lease: string, leasedUntil: number): Claim | null {
  const test = row.test_body;
  const created = test?.created_at ?? row.event_created_at;
  const id = test?.id ?? row.event_id;
  if (!created || !id) return null;
  return {
    id: row.id,
    lease,
    leasedUntil,
    attempts: row.attempts,
    type: row.type,
    isTest: test !== null,
    isTrial: row.trying,
    event: { id, type: row.type, createdAt: new Date(created), data: test?.data ?? row.event_data ?? {} },
    endpoint: {
      id: row.endpoint_id,
      accountId: row.account_id,
      url: row.url,
      host: row.host,
      secretVersion: row.secret_version,
      signsWithPrevious: row.signs_with_previous && row.secret_version > 1,
    },
  };
}
