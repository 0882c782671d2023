import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { ExecutionClaim } from "../../trade/orders/execution-steps.ts";
import { hostBurst, payFor, payOn, readAllowance } from "../fairness/host-allowance.ts";
import { type Places, pickTurns } from "../fairness/turns.ts";

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
  places: Places,
  { lease, pace }: { lease: string; pace: Pace },
): Promise<Claim[]> {
  if (places.slots <= 0) return [];
  return inTransaction(db, async (tx) => {
    // Two that saw the same places would both take them.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('earnest.execution_claim', 0))`);
    const { rows } = await tx.execute<Claim>(writeClaim(places, lease, pace));
    return rows;
  });
}

function writeClaim(places: Places, lease: string, pace: Pace): SQL {
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
          shown.answered_at is null or coalesce(shown.duration_ms, 0) > ${slowFrom}::int
            or coalesce(shown.failing_since < now() - interval '1 minute', false) as is_careful,
          host.answered_at is null as is_trial,
          case
            when host.answered_at is not null then ${readAllowance(sql`host.busy_until`, ofHost)}
            when coalesce(host.next_trial_at, '-infinity') <= now() then 1
            else 0
          end as host_allows
        from waiting
        join earnest.service service on service.id = waiting.lane and service.execution_url is not null
        join earnest.agent agent on agent.id = service.agent_id
        left join earnest.execution_endpoint shown on shown.service_id = service.id and shown.url = service.execution_url
        left join earnest.execution_host host on host.host = service.execution_host) as service`,
  };
  return sql`
    with recursive ${pickTurns(queue, places)},
    -- What has no endpoint any more; what is being asked for comes back here.
    homeless as (
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
      insert into earnest.execution_host as standing (host, busy_until, next_trial_at)
      select host, ${payFor(sql`count(*)`, ofHost)}, case when bool_or(is_trial) then max(lease_end) end
      from leased group by host
      on conflict (host) do update set
        busy_until = ${payOn(sql`standing.busy_until`, ofHost)},
        next_trial_at = excluded.next_trial_at)
    select id, lease_owner as lease, order_id as "orderId", account_id as "accountId", service_id as "serviceId",
      is_revision as "isRevision", attempts as attempt, rejections, url, host, seconds * 1000 as "timeoutMs",
      is_careful as "isTrial"
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
