import type { Database } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { LeasedExecution } from "../../trade/orders/execution-steps.ts";
import { hostBurst, payFor, payOn, readAllowance } from "../fairness/host-allowance.ts";
import { nextTrial } from "../fairness/next-trial.ts";
import { type FreeSlots, pickTurns } from "../fairness/turns.ts";

/** A leased execution, and its endpoint. */
export type DueExecution = LeasedExecution & {
  url: string;
  host: string;
  timeoutMs: number;
  /** the service is slow or unproven */
  isCareful: boolean;
};

/** The rate of requests, by all workers together. */
export type Pace = {
  /** requests a second to a host */
  hostPerSecond: number;
  /** seconds between two attempts at a host that never accepted an order */
  trialSeconds: number;
};
export const usualPace: Pace = { hostPerSecond: 20, trialSeconds: 2 };

/** The most requests in flight, by all workers together: of a service, an account, a host, and an account at a host. */
const mostOfService = 8;
const mostOfAccount = 16;
const mostOfHost = 32;
const mostOfAccountAtHost = 8;
/** The most requests of an account to services that are slow or unproven. A slow or unproven service has one request at a time. */
const mostCareful = 4;
/** Milliseconds from which an answer makes an endpoint slow. */
const slowFrom = 10_000;
/** Seconds by which a lease outlives the longest answer, for the check and delivery of the output. */
const leaseMargin = 30;

/** Whether an execution is due. */
export const hasDueExecution: SQL = sql`
  (select min(next_attempt_at) from earnest.execution where status = 'pending') <= now()`;

/**
 * Leases due executions. Every account gets a turn before any gets a second, and so does each of its services. A slow
 * or unproven service has one request at a time, out of the careful slots. A host that never accepted an order has
 * one at a time, seconds apart. So neither a slow endpoint nor another party's host gets more than a few requests,
 * however many orders are paid.
 *
 * An attempt counts from its lease, so that an answer that crashes workers is not requested for ever.
 */
export async function leaseExecutions(
  db: Database,
  freeSlots: FreeSlots,
  { lease, pace }: { lease: string; pace: Pace },
): Promise<DueExecution[]> {
  if (freeSlots.slots <= 0) return [];
  return inTransaction(db, async (tx) => {
    // Two concurrent leases could take the same free slots.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('earnest.execution_lease', 0))`);
    const { rows } = await tx.execute<DueExecution>(leaseStatement(freeSlots, lease, pace));
    return rows;
  });
}

function leaseStatement(freeSlots: FreeSlots, lease: string, pace: Pace): SQL {
  const leaseEnd = sql`now() + make_interval(secs => picked.seconds + ${leaseMargin}::int)`;
  const ofHost = { perSecond: pace.hostPerSecond, burst: hostBurst };
  const queue = {
    table: sql`earnest.execution`,
    lane: sql`service_id`,
    hasDue: hasDueExecution,
    isFree: sql`one.status = 'pending' and one.next_attempt_at <= now()`,
    held: sql`
      select service_id as lane, account_id, host from earnest.execution
      where lease_owner is not null and next_attempt_at > now()`,
    lanes: sql`
      select *,
        case when is_careful then 1 else ${mostOfService}::int end as most_of_lane,
        ${mostOfAccount}::int as most_of_account,
        ${mostOfAccount}::int as account_allows,
        ${mostCareful}::int as most_careful,
        case when is_trial then 1 else ${mostOfHost}::int end as most_of_host,
        case when is_trial then 1 else ${mostOfAccountAtHost}::int end as most_of_account_at_host,
        -- Only funded orders are executed.
        true as is_party,
        null::timestamptz as tried_at,
        null::timestamptz as account_tried_at
      from (
        select
          service.id as lane, agent.account_id, service.execution_url as url, service.execution_host as host,
          service.execution_seconds as seconds,
          result.answered_at is null or coalesce(result.duration_ms, 0) > ${slowFrom}::int
            or coalesce(result.failing_since < now() - interval '1 minute', false) as is_careful,
          host.answered_at is null as is_trial,
          case
            when host.answered_at is not null then ${readAllowance(sql`host.busy_until`, ofHost)}
            when coalesce(host.next_trial_at, '-infinity') <= now() then 1
            else 0
          end as host_allows
        from waiting
        join earnest.service service on service.id = waiting.lane and service.execution_url is not null
        join earnest.agent agent on agent.id = service.agent_id
        left join earnest.execution_endpoint result on result.service_id = service.id and result.url = service.execution_url
        left join earnest.execution_host host on host.host = service.execution_host) as service`,
  };
  return sql`
    with recursive ${pickTurns(queue, freeSlots)},
    -- Executions whose service has no endpoint. Those in flight come back here.
    without_endpoint as (
      update earnest.execution execution
      set status = 'cancelled', reason = 'endpoint_removed', finished_at = now(), lease_owner = null
      from waiting join earnest.service service on service.id = waiting.lane
      where service.execution_url is null and execution.service_id = service.id and execution.status = 'pending'
        and (execution.lease_owner is null or execution.next_attempt_at <= now())),
    leased as (
      update earnest.execution execution
      set lease_owner = ${lease}, next_attempt_at = ${leaseEnd}, host = picked.host, attempts = attempts + 1
      from picked
      where execution.id = picked.id and execution.id in (select id from locked)
      returning execution.*, picked.url, picked.seconds, picked.is_careful, picked.is_trial, ${leaseEnd} as lease_end),
    paid_hosts as (
      insert into earnest.execution_host as stored (host, busy_until, next_trial_at)
      select host, ${payFor(sql`count(*)`, ofHost)}, case when bool_or(is_trial) then max(lease_end) end
      from leased group by host
      on conflict (host) do update set
        busy_until = ${payOn(sql`stored.busy_until`, ofHost)},
        next_trial_at = excluded.next_trial_at)
    select id, lease_owner as lease, order_id as "orderId", account_id as "accountId", service_id as "serviceId",
      is_revision as "isRevision", attempts as attempt, rejections, url, host, seconds * 1000 as "timeoutMs",
      is_careful as "isCareful"
    from leased`;
}

/** Ends the lease of an execution whose request was aborted or not made, without counting the attempt. */
export async function returnLease(db: Database, execution: DueExecution, delayMs: number): Promise<void> {
  const { id, lease } = execution;
  await freeHost(db, execution);
  await db.execute(sql`
    update earnest.execution
    set lease_owner = null, attempts = attempts - 1, next_attempt_at = now() + make_interval(secs => ${delayMs / 1000}::float8)
    where id = ${id} and lease_owner = ${lease} and status = 'pending'`);
}

/** Makes a host due at once, because nothing was sent to the host. */
export async function freeHost(db: Database, { host }: DueExecution): Promise<void> {
  await db.execute(sql`
    update earnest.execution_host set next_trial_at = now() where host = ${host} and answered_at is null`);
}

/** Records an endpoint's result: whether it accepted the order, and its latency. */
export async function recordEndpoint(
  db: Database,
  execution: DueExecution,
  result: { hasAccepted: boolean; durationMs: number },
  pace: Pace,
): Promise<void> {
  const { serviceId, url, host } = execution;
  const { hasAccepted, durationMs } = result;
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`
      insert into earnest.execution_endpoint as stored (service_id, url, answered_at, failing_since, duration_ms)
      values (${serviceId}, ${url}, case when ${hasAccepted} then now() end, case when not ${hasAccepted} then now() end, ${durationMs})
      on conflict (service_id) do update set
        url = excluded.url,
        answered_at = case when stored.url = excluded.url
          then coalesce(excluded.answered_at, stored.answered_at) else excluded.answered_at end,
        failing_since = case when excluded.failing_since is not null
          then coalesce(case when stored.url = excluded.url then stored.failing_since end, now()) end,
        duration_ms = excluded.duration_ms`);
    await tx.execute(sql`
      update earnest.execution_host set
        answered_at = case when ${hasAccepted} then now() end,
        failing_since = case when not ${hasAccepted} then coalesce(failing_since, now()) end,
        next_trial_at = ${nextTrial("host", pace)}
      where host = ${host} and answered_at is null`);
  });
}
