import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type DisabledReason, disableEndpoint } from "../../trade/webhooks/endpoints.ts";
import { createTogether } from "../together.ts";
import type { Outcome } from "./outcome.ts";
import { lockClaims, nextTrial, type Pace } from "./pace.ts";

type Together = (outcome: Outcome) => Promise<void>;

/** Writes down in one statement what ended while the statement before was under way. */
export const recordTogether = (db: Database, pace: Pace): Together =>
  createTogether(async (outcomes) => void (await db.execute(writeOutcomes(outcomes, pace))));

/** Milliseconds between two tries to write an outcome down. */
const rest = 500;

/**
 * Writes down what became of a delivery, again and again while the database is away, until its lease is over. After that the
 * delivery is another's; it arrives twice then, which receivers have to expect.
 */
export async function recordSurely(
  db: Database,
  outcome: Outcome,
  options: { leasedUntil: number; pace: Pace; log: Logger; together: Together },
): Promise<void> {
  const { leasedUntil, pace, log } = options;
  let together: Together | null = options.together;
  const { endpoint, attempt } = outcome;
  do {
    try {
      const reason = await recordOutcome(db, outcome, { pace, together });
      if (reason) log.warn({ endpoint_id: endpoint.id, reason }, "a webhook endpoint was disabled");
      return;
    } catch (error) {
      // Alone from now on: it may be the others' that cannot be written.
      together = null;
      log.error(
        { err: error, delivery_id: attempt.deliveryId },
        "an attempt cannot be written down at the moment",
      );
      await sleep(rest);
    }
  } while (performance.now() < leasedUntil);
}

/**
 * Writes an attempt down, with what follows for its delivery and endpoint. A delivery whose lease is no longer the attempt's
 * is left to whoever has it now; the attempt is kept all the same.
 *
 * @returns why the endpoint was disabled, if it was
 */
async function recordOutcome(
  db: Database,
  outcome: Outcome,
  { pace, together }: { pace: Pace; together: Together | null },
): Promise<DisabledReason | null> {
  const { attempt, endpoint, isGone, isTelling, isTrial } = outcome;
  const isTold = isTelling && attempt.status !== "succeeded";
  if (!isGone && !isTold && !isTrial) {
    await (together ? together(outcome) : db.execute(writeOutcomes([outcome], pace)));
    return null;
  }
  return inTransaction(db, async (tx) => {
    // Before the next claim: it reads what the trials have shown.
    if (isTrial) await lockClaims(tx);
    await tx.execute(writeOutcomes([outcome], pace));
    const reason = isGone ? "gone" : "failing";
    return (isGone || isTold) && (await disableEndpoint(tx, endpoint.id, reason)) ? reason : null;
  });
}

/** An outcome on trial goes alone; of the others, an endpoint's latest says how it is. */
function writeOutcomes(outcomes: readonly Outcome[], pace: Pace): SQL {
  const told = outcomes.map(({ attempt, endpoint, isTrial }) => ({
    ...{
      id: attempt.deliveryId,
      lease: attempt.lease,
      status: attempt.status,
      is_ok: attempt.status === "succeeded",
    },
    ...{ started_at: attempt.startedAt, latency_ms: attempt.latencyMs, status_code: attempt.statusCode },
    ...{ error: attempt.error?.toWellFormed(), signatures: attempt.signatures },
    ...{
      body: attempt.responseBody?.toWellFormed(),
      delay: attempt.delayMs === null ? null : attempt.delayMs / 1000,
    },
    ...{ endpoint_id: endpoint.id, url: endpoint.url, host: endpoint.host, is_trial: isTrial },
  }));
  return sql`
    with told as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as told(
        id text, lease text, status text, is_ok boolean, started_at timestamptz, latency_ms int, status_code int,
        error text, signatures jsonb, body text, delay float8, endpoint_id text, url text, host text, is_trial boolean)),
    written as (
      update earnest.webhook_delivery delivery
      set
        -- What was cancelled meanwhile stays so, unless it arrived.
        status = case when delivery.status = 'pending' or told.is_ok then told.status else delivery.status end,
        attempts = attempts + 1,
        next_attempt_at = coalesce(now() + make_interval(secs => told.delay), next_attempt_at),
        lease_owner = null,
        leased_until = null,
        last_status_code = told.status_code,
        last_error = told.error,
        finished_at = case when told.status <> 'pending' then now() else finished_at end
      from told where delivery.id = told.id and lease_owner = told.lease),
    kept as (
      insert into earnest.webhook_attempt
        (delivery_id, number, started_at, latency_ms, status_code, error, request_headers, response_body)
      select
        told.id,
        -- Counted on when a delivery begins anew.
        1 + coalesce((select max(number) from earnest.webhook_attempt where delivery_id = told.id), 0),
        told.started_at, told.latency_ms, told.status_code, told.error, told.signatures, told.body
      from told join earnest.webhook_delivery delivery on delivery.id = told.id
      -- It may be there already where only the answer of the commit was lost.
      where not exists (
        select from earnest.webhook_attempt one where one.delivery_id = told.id and one.started_at = told.started_at)
      on conflict do nothing),
    latest as (select distinct on (endpoint_id) * from told order by endpoint_id, started_at desc),
    shown as (
      select endpoint.id, latest.is_ok, latest.is_trial
      -- What another receiver has shown by now is not this one's.
      from latest join earnest.webhook_endpoint endpoint on endpoint.id = latest.endpoint_id and endpoint.url = latest.url
      where latest.is_trial or case when latest.is_ok then failing_since is not null or acknowledged_at is null
        else failing_since is null end
      for no key update of endpoint skip locked),
    endpoints as (
      update earnest.webhook_endpoint endpoint
      set
        acknowledged_at = case when shown.is_ok then coalesce(acknowledged_at, now()) else acknowledged_at end,
        failing_since = case when not shown.is_ok then coalesce(failing_since, now()) end,
        next_trial_at = case when shown.is_trial and not shown.is_ok then ${nextTrial("endpoint", pace)} end
      from shown where endpoint.id = shown.id),
    of_hosts as (select distinct on (host) host, is_ok from told order by host, is_ok desc),
    shown_hosts as (
      select host.host, of_hosts.is_ok
      from of_hosts join earnest.webhook_host host on host.host = of_hosts.host and host.acknowledged_at is null
      for no key update of host skip locked)
    update earnest.webhook_host host
    set
      acknowledged_at = case when shown_hosts.is_ok then now() end,
      failing_since = case when not shown_hosts.is_ok then coalesce(failing_since, now()) end,
      next_trial_at = ${nextTrial("host", pace)}
    from shown_hosts where host.host = shown_hosts.host`;
}
