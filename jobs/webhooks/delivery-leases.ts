import type { Database } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import type { JsonObject } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { selectIsParty } from "../../trade/fair-shares/funded-party.ts";
import { isProven } from "../../trade/webhooks/deliveries.ts";
import { hostBurst, payFor, payOn, readAllowance } from "../fairness/host-allowance.ts";
import { type FreeSlots, pickTurns } from "../fairness/turns.ts";
import {
  accountBurst,
  hasDueDelivery,
  isFree,
  lockLeases,
  type Pace,
  provenTrials,
  trialCost,
} from "./delivery-rate.ts";

/** A delivery that only this process sends until its lease ends. */
export type LeasedDelivery = {
  id: string;
  /** the lease that its record must name: a later lease has another name */
  lease: string;
  /** when the lease ends, by `performance.now()` */
  leasedUntil: number;
  /** attempts before this one */
  attempts: number;
  type: string;
  event: { id: string; type: string; createdAt: Date; data: JsonObject };
  isTest: boolean;
  /**
   * the endpoint never acknowledged a delivery, or has failed for a while: it gets one delivery at a time, seconds
   * apart
   */
  isTrial: boolean;
  /** the endpoint is on trial, or was slow lately */
  isCareful: boolean;
  endpoint: {
    id: string;
    accountId: string;
    url: string;
    host: string;
    secretVersion: number;
    signsWithPrevious: boolean;
  };
};

export type Room = FreeSlots & {
  /** deliveries that this process sends, or has leased */
  held: readonly LeasedDelivery[];
  /** endpoints that were slow lately */
  slow: readonly string[];
};

/**
 * The most deliveries held by a process: for an endpoint, for a host, of an account at a host, of an account, and of
 * its slow endpoints.
 */
const mostOfEndpoint = 64;
const mostOfHost = 768;
const mostOfAccountAtHost = 128;
const mostOfAccount = 256;
const mostSlowOfAccount = 2;

/**
 * Leases due deliveries; endpoints and accounts take turns. No host and no account exceeds its rate, by all workers
 * together.
 *
 * A lease is the time until which no other worker leases the delivery. If its holder crashes, another worker leases it
 * then.
 */
export async function leaseDeliveries(
  db: Database,
  room: Room,
  { lease, leaseMs, pace }: { lease: string; leaseMs: number; pace: Pace },
): Promise<LeasedDelivery[]> {
  if (room.slots <= 0) return [];
  // This clock is read before PostgreSQL's, so the lease never ends later here.
  const leasedUntil = performance.now() + leaseMs;
  const { rows } = await inTransaction(db, async (tx) => {
    await lockLeases(tx);
    return tx.execute<LeasedRow>(leaseStatement(room, { lease, leaseMs, pace }));
  });
  return rows.flatMap((row) => leasedDeliveryOf(row, lease, leasedUntil) ?? []);
}

function leaseStatement(
  room: Room,
  { lease, leaseMs, pace }: { lease: string; leaseMs: number; pace: Pace },
): SQL {
  const leaseEnd = sql`now() + make_interval(secs => ${leaseMs / 1000}::float8)`;
  const ofHost = { perSecond: pace.hostPerSecond, burst: hostBurst };
  const ofAccount = { perSecond: pace.accountPerSecond, burst: accountBurst };
  const held = room.held.map(({ endpoint }) => ({
    lane: endpoint.id,
    account_id: endpoint.accountId,
    host: endpoint.host,
  }));
  const queue = {
    table: sql`earnest.webhook_delivery`,
    lane: sql`endpoint_id`,
    hasDue: hasDueDelivery,
    isFree,
    // A paused endpoint gets tests alone.
    isWanted: sql`(known.is_active or one.event_id is null)`,
    held: sql`
      select * from jsonb_to_recordset(${JSON.stringify(held)}::jsonb) as held(lane text, account_id text, host text)`,
    lanes: sql`
      select *,
        is_trial or is_slow as is_careful,
        (is_trial or is_slow) and ${selectIsParty(sql`endpoint.account_id`)} as is_party,
        case
          when not is_trial then case when is_slow then 1 else ${mostOfEndpoint}::int end
          when coalesce(tried_at, '-infinity') <= now() and is_host_open then 1
          else 0
        end as most_of_lane,
        case when is_trial then account_allows / ${trialCost}::int else ${mostSlowOfAccount}::int end as most_careful,
        ${mostOfAccount}::int as most_of_account,
        ${mostOfHost}::int as most_of_host,
        ${mostOfAccountAtHost}::int as most_of_account_at_host
      from (
        select
          endpoint.id as lane, endpoint.account_id, endpoint.host, endpoint.url, endpoint.secret_version,
          coalesce(endpoint.previous_secret_until > now(), false) as signs_with_previous,
          endpoint.status = 'active' as is_active,
          not ${isProven} as is_trial,
          endpoint.id = any(${sql.param([...room.slow])}::text[]) as is_slow,
          endpoint.next_trial_at as tried_at,
          sender.tried_at as account_tried_at,
          coalesce(host.next_trial_at, '-infinity') <= now() as is_host_open,
          ${readAllowance(sql`sender.busy_until`, ofAccount)} as account_allows,
          case when ${isProven} then ${readAllowance(sql`host.busy_until`, ofHost)} else 1 end as host_allows
        from waiting
        join earnest.webhook_endpoint endpoint on endpoint.id = waiting.lane and endpoint.status <> 'revoked'
        left join earnest.webhook_host host on host.host = endpoint.host
        left join earnest.webhook_sender sender on sender.account_id = endpoint.account_id) as endpoint`,
  };
  return sql`
    with recursive ${pickTurns(queue, room)},
    leased as (
      update earnest.webhook_delivery delivery set lease_owner = ${lease}, leased_until = ${leaseEnd}
      from picked
      where delivery.id = picked.id and delivery.id in (select id from locked)
      returning delivery.attempts, delivery.type, delivery.test_body, delivery.event_id, picked.*),
    paid_hosts as (
      insert into earnest.webhook_host as host (host, busy_until, next_trial_at)
      select host, ${payFor(sql`count(*)`, ofHost)}, case when bool_or(is_trial) then ${leaseEnd} end
      from leased group by host
      on conflict (host) do update set
        busy_until = ${payOn(sql`host.busy_until`, ofHost)},
        -- A proven host may have the next trial before this one ends.
        next_trial_at = case
          when excluded.next_trial_at is null or host.acknowledged_at is null
            then coalesce(excluded.next_trial_at, host.next_trial_at)
          else now() + make_interval(secs => ${pace.trialSeconds / provenTrials}::float8) end),
    paid_senders as (
      insert into earnest.webhook_sender as sender (account_id, busy_until, tried_at)
      select account_id, ${payFor(sql`sum(case when is_trial then ${trialCost}::int else 1 end)`, ofAccount)},
        case when bool_or(is_trial) then now() end
      from leased group by account_id
      on conflict (account_id) do update set
        busy_until = ${payOn(sql`sender.busy_until`, ofAccount)},
        tried_at = coalesce(excluded.tried_at, sender.tried_at)),
    tried as (
      update earnest.webhook_endpoint set next_trial_at = ${leaseEnd}
      where id in (select lane from leased where is_trial))
    select leased.*, event.created_at as event_created_at, event.data as event_data
    from leased left join earnest.event event on event.id = leased.event_id`;
}

/**
 * Ends the leases of deliveries that were not sent, so that other workers need not wait.
 *
 * @param delayMs milliseconds for which they are not due
 */
export async function returnLease(db: Database, delivery: LeasedDelivery, delayMs: number): Promise<void> {
  const { id, lease, isTrial, endpoint } = delivery;
  const due = sql`now() + make_interval(secs => ${delayMs / 1000}::float8)`;
  await inTransaction(db, async (tx) => {
    if (isTrial) {
      await lockLeases(tx);
      await tx.execute(
        sql`update earnest.webhook_endpoint set next_trial_at = ${due} where id = ${endpoint.id}`,
      );
      await tx.execute(
        sql`update earnest.webhook_host set next_trial_at = ${due} where host = ${endpoint.host}`,
      );
    }
    await tx.execute(sql`
      update earnest.webhook_delivery set lease_owner = null, leased_until = null, next_attempt_at = ${due}
      where id = ${id} and lease_owner = ${lease} and status = 'pending'`);
  });
}

type LeasedRow = {
  id: string;
  attempts: number;
  type: string;
  test_body: { id: string; created_at: string; data: JsonObject } | null;
  event_id: string | null;
  event_created_at: string | null;
  event_data: JsonObject | null;
  is_trial: boolean;
  is_careful: boolean;
  lane: string;
  account_id: string;
  url: string;
  host: string;
  secret_version: number;
  signs_with_previous: boolean;
};

/** Returns null if a row has no event, so that the row does not hold up other deliveries. */
function leasedDeliveryOf(row: LeasedRow, lease: string, leasedUntil: number): LeasedDelivery | null {
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
    isTrial: row.is_trial,
    isCareful: row.is_careful,
    event: { id, type: row.type, createdAt: new Date(created), data: test?.data ?? row.event_data ?? {} },
    endpoint: {
      id: row.lane,
      accountId: row.account_id,
      url: row.url,
      host: row.host,
      secretVersion: row.secret_version,
      signsWithPrevious: row.signs_with_previous && row.secret_version > 1,
    },
  };
}
