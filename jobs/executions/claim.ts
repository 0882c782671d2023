import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { ExecutionClaim } from "../../trade/orders/execution.ts";
import { hostBurst, readAllowance } from "../strangers/allowance.ts";

/** A claim, and where it is executed. */
export type Claim = ExecutionClaim & { url: string; host: string; timeoutMs: number; isTrial: boolean };

/** How much is sent, by all workers together. */
export type Pace = {
  /** requests a second to a host */
  hostPerSecond: number;
  /** seconds from one try to the next at a host that never took an order */
  trialSeconds: number;
};
export const usualPace: Pace = { hostPerSecond: 20, trialSeconds: 2 };

/** Requests under way, by all workers together: of a service, an account, a host, and an account at it. */
const mostOfService = 8;
const mostOfAccount = 16;
const mostOfHost = 32;
const mostOfAccountAtHost = 8;
/** Of an account, those of services that are slow, or not known to take orders; such a service has one at a time. */
const mostCareful = 4;
/** An answer that takes longer makes an endpoint slow, in milliseconds. */
const slowFrom = 10_000;
/** Seconds by which a lease outlives the longest answer: for the check of the output, and its delivery. */
const leaseMargin = 30;

/** Whether any execution is due. */
export const hasDueExecution: SQL = sql`
  (select min(next_attempt_at) from earnest.execution where status = 'pending') <= now()`;

/**
 * Claims executions that are due. Every account has its turn before any has its second, and every service of it. A service
 * that is slow, or has not shown that it takes orders, has one request at a time, out of the careful slots; a host that
 * never took an order has one at a time, seconds apart. So neither a slow endpoint nor one that is not its provider's
 * gets more than a few requests, however many orders are paid.
 *
 * A try counts from its claim on, so that an answer that ends a worker does not do so for ever.
 */
export async function claimExecutions(
  db: Database,
  room: { slots: number; carefulSlots: number },
  { lease, pace }: { lease: string; pace: Pace },
): Promise<Claim[]> {
  if (room.slots <= 0) return [];
  return inTransaction(db, async (tx) => {
    // Two that saw the same places would both take them.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('earnest.execution_claim', 0))`);
    const { rows } = await tx.execute<Claim>(writeClaim(room, lease, pace));
    return rows;
  });
}

function writeClaim(room: { slots: number; carefulSlots: number }, lease: string, pace: Pace) {
  const leaseEnd = sql`now() + make_interval(secs => picked.seconds + ${leaseMargin})`;
  const hostRoom = readAllowance(sql`host.paid_until`, pace.hostPerSecond, hostBurst);
  const paid = sql`now() - make_interval(secs => ${hostBurst}) + make_interval(secs => count(*)::float8 / ${pace.hostPerSecond}::float8)`;
  return sql`
    with recursive
    -- One probe of the index for each service that has anything pending, however much that is; none while nothing is due.
    waiting(service_id) as (
      (select service_id from earnest.execution
      where status = 'pending'
        and exists (select from earnest.execution where status = 'pending' and next_attempt_at <= now())
      order by service_id limit 1)
      union all
      select (
        select service_id from earnest.execution
        where status = 'pending' and service_id > waiting.service_id
        order by service_id limit 1)
      from waiting where waiting.service_id is not null),
    -- What has no endpoint any more; what is being asked for comes back here.
    homeless as (
      update earnest.execution execution
      set status = 'cancelled', reason = 'endpoint_removed', finished_at = now(), lease_owner = null
      from waiting join earnest.service service on service.id = waiting.service_id
      where service.execution_url is null and execution.service_id = service.id and execution.status = 'pending'
        and (execution.lease_owner is null or execution.next_attempt_at <= now())),
    held as materialized (
      select service_id, account_id, host from earnest.execution
      where lease_owner is not null and next_attempt_at > now()),
    by_service as (select service_id, count(*)::int as requests from held group by 1),
    by_account as (select account_id, count(*)::int as requests from held group by 1),
    by_host as (select host, count(*)::int as requests from held group by 1),
    by_both as (select host, account_id, count(*)::int as requests from held group by 1, 2),
    known as (
      select
        service.id as service_id, agent.account_id, service.execution_url as url, service.execution_host as host,
        service.execution_seconds as seconds,
        shown.answered_at is null or coalesce(shown.duration_ms, 0) > ${slowFrom}
          or coalesce(shown.failing_since < now() - interval '1 minute', false) as careful,
        host.answered_at is null as strange,
        case
          when host.answered_at is null then case when coalesce(host.next_trial_at, '-infinity') <= now() then 1 else 0 end
          else least(${hostRoom}, ${mostOfHost})
        end as host_room,
        coalesce(by_service.requests, 0) as of_service,
        coalesce(by_account.requests, 0) as of_account,
        coalesce(by_host.requests, 0) as of_host,
        coalesce(by_both.requests, 0) as own_at_host
      from waiting
      join earnest.service service on service.id = waiting.service_id and service.execution_url is not null
      join earnest.agent agent on agent.id = service.agent_id
      left join earnest.execution_endpoint shown on shown.service_id = service.id and shown.url = service.execution_url
      left join earnest.execution_host host on host.host = service.execution_host
      left join by_service on by_service.service_id = service.id
      left join by_account on by_account.account_id = agent.account_id
      left join by_host on by_host.host = service.execution_host
      left join by_both on by_both.host = service.execution_host and by_both.account_id = agent.account_id),
    careful_held as (select account_id, sum(of_service)::int as requests from known where careful group by account_id),
    due as (
      select known.*, found.id, found.next_attempt_at, of_service + found.turn as service_place
      from known
      cross join lateral (
        select id, next_attempt_at, row_number() over (order by next_attempt_at) as turn
        from (
          select id, next_attempt_at from earnest.execution
          where service_id = known.service_id and status = 'pending' and next_attempt_at <= now()
          order by next_attempt_at
          limit greatest(0, case when careful then 1 else ${mostOfService} end - of_service)) as own) as found),
    -- What its host has no place for takes none of its account's.
    ofhost as (
      select *, own_at_host + row_number() over (
        partition by host, account_id order by service_place, next_attempt_at) as own_place
      from due where host_room >= 1 and (not strange or of_host = 0)),
    ofaccount as (
      select *,
        of_account + row_number() over (partition by account_id order by service_place, next_attempt_at) as account_place,
        row_number() over (partition by account_id, careful order by service_place, next_attempt_at) as careful_place
      from ofhost where own_place <= case when strange then 1 else ${mostOfAccountAtHost} end),
    placed as (
      select *, of_host + row_number() over (partition by host order by account_place, next_attempt_at) as host_place
      from ofaccount left join careful_held using (account_id)
      where account_place <= ${mostOfAccount}
        and (not careful or careful_place + coalesce(requests, 0) <= ${mostCareful})),
    fitting as (
      select * from placed
      where host_place <= case when strange then 1 else least(${mostOfHost}, of_host + host_room) end),
    picked as (
      (select * from fitting where not careful order by account_place, next_attempt_at limit ${room.slots})
      union all
      (select * from fitting where careful
      order by account_place, next_attempt_at limit ${Math.max(0, room.carefulSlots)})
      limit ${room.slots}),
    locked as (
      select execution.id from earnest.execution execution join picked on picked.id = execution.id
      -- Asked again: another may have had it between the look and the lock.
      where execution.status = 'pending' and execution.next_attempt_at <= now()
      for update of execution skip locked),
    leased as (
      update earnest.execution execution
      set lease_owner = ${lease}, next_attempt_at = ${leaseEnd}, host = picked.host, attempts = attempts + 1
      from picked
      where execution.id = picked.id and execution.id in (select id from locked)
      returning execution.*, picked.url, picked.seconds, picked.careful, picked.strange, ${leaseEnd} as lease_end),
    paid_hosts as (
      insert into earnest.execution_host as standing (host, paid_until, next_trial_at)
      select host, ${paid}, case when bool_or(strange) then max(lease_end) end
      from leased group by host
      on conflict (host) do update set
        paid_until = greatest(coalesce(standing.paid_until, '-infinity'), now() - make_interval(secs => ${hostBurst}))
          + (excluded.paid_until - (now() - make_interval(secs => ${hostBurst}))),
        next_trial_at = excluded.next_trial_at)
    select id, lease_owner as lease, order_id as "orderId", account_id as "accountId", service_id as "serviceId",
      is_revision as "isRevision", attempts as attempt, rejections, url, host, seconds * 1000 as "timeoutMs",
      careful as "isTrial"
    from leased`;
}

/** Gives a claim back whose request was broken off or not made, as if it had not been. */
export async function returnClaim(db: Database, claim: Claim, delayMs: number): Promise<void> {
  const { id, lease } = claim;
  await freeHost(db, claim);
  await db.execute(sql`
    update earnest.execution
    set lease_owner = null, attempts = attempts - 1, next_attempt_at = now() + make_interval(secs => ${delayMs / 1000}::float8)
    where id = ${id} and lease_owner = ${lease} and status = 'pending'`);
}

/** Lets a host be tried again at once to which nothing was sent after all. */
export async function freeHost(db: Database, { host }: Claim): Promise<void> {
  await db.execute(sql`
    update earnest.execution_host set next_trial_at = now() where host = ${host} and answered_at is null`);
}

/** Writes down what an endpoint has shown: whether it took the order, and how long that took. */
export async function noteEndpoint(
  db: Database,
  claim: Claim,
  shown: { hasTaken: boolean; durationMs: number },
  pace: Pace,
): Promise<void> {
  const { serviceId, url, host } = claim;
  const { hasTaken, durationMs } = shown;
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`
      insert into earnest.execution_endpoint as standing (service_id, url, answered_at, failing_since, duration_ms)
      values (${serviceId}, ${url}, case when ${hasTaken} then now() end, case when not ${hasTaken} then now() end, ${durationMs})
      on conflict (service_id) do update set
        url = excluded.url,
        answered_at = case when standing.url = excluded.url
          then coalesce(excluded.answered_at, standing.answered_at) else excluded.answered_at end,
        failing_since = case when excluded.failing_since is not null
          then coalesce(case when standing.url = excluded.url then standing.failing_since end, now()) end,
        duration_ms = excluded.duration_ms`);
    await tx.execute(sql`
      update earnest.execution_host set
        answered_at = case when ${hasTaken} then now() end,
        failing_since = case when not ${hasTaken} then coalesce(failing_since, now()) end,
        next_trial_at = now() + make_interval(secs => least(${5 * pace.trialSeconds}::float8, greatest(${pace.trialSeconds}::float8,
          extract(epoch from now() - coalesce(failing_since, now()))::float8 / 10)))
      where host = ${host} and answered_at is null`);
  });
}
