import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { inTransaction } from "../../db/transaction.ts";
import { disableFailing } from "../../trade/webhooks/disabled-endpoints.ts";
import { nextTrial } from "../fairness/next-trial.ts";
import type { AttemptResult } from "./attempt-result.ts";
import { lockLeases, type Pace } from "./delivery-rate.ts";

/** Milliseconds between two attempts to store a result. */
const retryEvery = 500;

/**
 * Stores a delivery's result, and retries until its lease ends if the database is down. After that another worker
 * sends the delivery again, and receivers must expect the duplicate.
 */
export async function recordWithRetries(
  db: Database,
  result: AttemptResult,
  { leasedUntil, pace, log }: { leasedUntil: number; pace: Pace; log: Logger },
): Promise<void> {
  const { endpoint, attempt } = result;
  do {
    try {
      const isDisabled = await recordAttempt(db, result, pace);
      if (isDisabled) log.warn({ endpoint_id: endpoint.id }, "a webhook endpoint was disabled");
      return;
    } catch (error) {
      log.error(
        { err: error, delivery_id: attempt.deliveryId },
        "an attempt could not be stored and is retried",
      );
      await sleep(retryEvery);
    }
  } while (performance.now() < leasedUntil);
}

/**
 * Stores an attempt, and updates its delivery and endpoint. If another attempt has the lease, the delivery stays as it
 * is, but the attempt is stored.
 *
 * @returns whether the endpoint was disabled
 */
async function recordAttempt(db: Database, result: AttemptResult, pace: Pace): Promise<boolean> {
  const { endpoint, mayDisable, isTrial } = result;
  if (!mayDisable && !isTrial) {
    await db.execute(writeAttempt(result, pace));
    return false;
  }
  return inTransaction(db, async (tx) => {
    // The lock precedes the next lease, which reads the results of the trials.
    if (isTrial) await lockLeases(tx);
    await tx.execute(writeAttempt(result, pace));
    return mayDisable && (await disableFailing(tx, endpoint.id));
  });
}

function writeAttempt({ attempt, endpoint, isTrial }: AttemptResult, pace: Pace): SQL {
  const { deliveryId, status } = attempt;
  const isOk = status === "succeeded";
  const delay = attempt.delayMs === null ? null : attempt.delayMs / 1000;
  return sql`
    with written as (
      update earnest.webhook_delivery
      set
        -- A delivery that was cancelled meanwhile stays cancelled, unless it arrived.
        status = case when status = 'pending' or ${isOk}::boolean then ${status}::text else status end,
        attempts = attempts + 1,
        next_attempt_at = coalesce(now() + make_interval(secs => ${delay}::float8), next_attempt_at),
        lease_owner = null,
        leased_until = null,
        last_status_code = ${attempt.statusCode}::int,
        last_error = ${attempt.error}::text,
        finished_at = case when ${status}::text <> 'pending' then now() else finished_at end
      where id = ${deliveryId} and lease_owner = ${attempt.lease}),
    stored_attempt as (
      insert into earnest.webhook_attempt
        (delivery_id, number, started_at, latency_ms, status_code, error, request_headers, response_body)
      select
        delivery.id,
        -- The numbers continue when a delivery is queued again.
        1 + coalesce((select max(number) from earnest.webhook_attempt where delivery_id = delivery.id), 0),
        ${attempt.startedAt}::timestamptz, ${attempt.latencyMs}::int, ${attempt.statusCode}::int, ${attempt.error}::text,
        ${JSON.stringify(attempt.signatures)}::jsonb, ${attempt.responseBody}::text
      from earnest.webhook_delivery delivery
      where delivery.id = ${deliveryId}
        -- The row may exist if only the answer of the commit was lost.
        and not exists (
          select from earnest.webhook_attempt where delivery_id = ${deliveryId} and started_at = ${attempt.startedAt}::timestamptz)
      on conflict do nothing),
    shown as (
      select id from earnest.webhook_endpoint
      -- The result counts only for the URL that was used.
      where id = ${endpoint.id} and url = ${endpoint.url}
        and (${isTrial}::boolean or case when ${isOk}::boolean then failing_since is not null or acknowledged_at is null
          else failing_since is null end)
      for no key update skip locked),
    endpoints as (
      update earnest.webhook_endpoint
      set
        acknowledged_at = case when ${isOk}::boolean then coalesce(acknowledged_at, now()) else acknowledged_at end,
        failing_since = case when not ${isOk}::boolean then coalesce(failing_since, now()) end,
        next_trial_at = case when ${isTrial && !isOk}::boolean then ${nextTrial("endpoint", pace)} end
      where id in (select id from shown)),
    shown_hosts as (
      select host from earnest.webhook_host
      where host = ${endpoint.host} and acknowledged_at is null
      for no key update skip locked)
    update earnest.webhook_host
    set
      acknowledged_at = case when ${isOk}::boolean then now() end,
      failing_since = case when not ${isOk}::boolean then coalesce(failing_since, now()) end,
      next_trial_at = ${nextTrial("host", pace)}
    where host in (select host from shown_hosts)`;
}
