import { type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type DisabledReason, disableEndpoint } from "../../trade/webhooks/endpoints.ts";
import { createPause } from "../loop.ts";
import type { Outcome } from "./outcome.ts";
import { lockClaims, nextTrial, type Pace } from "./pace.ts";

/**
 * Writes attempts down, all of them or none, with what follows for their deliveries and endpoints.
 *
 * A delivery whose lease is no longer the attempt's is left to whoever has it now; the attempt is kept all the same.
 *
 * @returns the endpoints that were disabled
 */
export async function recordOutcomes(
  db: Database,
  outcomes: readonly Outcome[],
  pace: Pace,
): Promise<Disabled[]> {
  const { gone, telling } = doubtfulOf(outcomes);
  const values: Values = {
    attempts: JSON.stringify(outcomes.map(({ attempt }) => attempt)),
    receivers: JSON.stringify(outcomesByReceiver(outcomes)),
    trialSeconds: pace.trialSeconds,
  };
  const hasTrials = outcomes.some(({ isTrial }) => isTrial);
  // Where none is tried again the time of the next attempt is left alone, and no trigger looks at the rows.
  const retries = outcomes.some(({ attempt }) => attempt.delayMs !== undefined) ? nextAttempt : sql``;
  return inTransaction(db, async (tx) => {
    // Before the next claim: it reads what the trials have shown.
    if (hasTrials) await lockClaims(tx);
    await tx.execute(record(values, retries));
    const disabled: Disabled[] = [];
    for (const id of gone) {
      if (await disableEndpoint(tx, id, "gone")) disabled.push({ id, reason: "gone" });
    }
    for (const id of telling) {
      if (await disableEndpoint(tx, id, "failing")) disabled.push({ id, reason: "failing" });
    }
    return disabled;
  });
}

const nextAttempt = sql`
  next_attempt_at = coalesce(now() + make_interval(secs => result."delayMs" / 1000), delivery.next_attempt_at),`;

type Values = { attempts: string; receivers: string; trialSeconds: number };

const record = ({ attempts, receivers, trialSeconds }: Values, retries: SQL) => sql`
      with results as materialized (
        select * from jsonb_to_recordset(${attempts}::jsonb) as result(
          "deliveryId" text, lease text, "startedAt" timestamptz, "latencyMs" int, "statusCode" int, error text,
          signatures jsonb, "responseBody" text, status text, "delayMs" float)),
      written as (
        update earnest.webhook_delivery delivery
        set
          -- What was cancelled meanwhile stays so, unless it arrived.
          status = case when delivery.status = 'pending' or result.status = 'succeeded' then result.status
            else delivery.status end,
          attempts = delivery.attempts + 1,
          ${retries}
          lease_owner = null,
          leased_until = null,
          last_status_code = result."statusCode",
          last_error = result.error,
          finished_at = case when result.status <> 'pending' then now() else delivery.finished_at end
        from results result
        where delivery.id = result."deliveryId" and delivery.lease_owner = result.lease
        returning delivery.id),
      kept as (
        insert into earnest.webhook_attempt
          (delivery_id, number, started_at, latency_ms, status_code, error, request_headers, response_body)
        select
          "deliveryId",
          -- Counted on when a delivery begins anew.
          1 + coalesce(
            (select max(number) from earnest.webhook_attempt attempt where attempt.delivery_id = "deliveryId"), 0),
          "startedAt", "latencyMs", "statusCode", error, signatures, "responseBody"
        from results
        -- The row that was just written is there; of the others it is looked whether they still are.
        where "deliveryId" in (select id from written)
          or exists (select from earnest.webhook_delivery delivery where delivery.id = "deliveryId")
        on conflict do nothing),
      outcome as (
        select * from jsonb_to_recordset(${receivers}::jsonb) as outcome(
          id text, url text, host text, ok boolean, tried boolean)),
      changed as (
        select changed.id, outcome.url, outcome.ok, outcome.tried
        from outcome join earnest.webhook_endpoint changed on changed.id = outcome.id
        where outcome.tried
          or (outcome.ok and (changed.failing_since is not null or changed.acknowledged_at is null))
          or (not outcome.ok and changed.failing_since is null)
        for no key update of changed skip locked),
      endpoints as (
        update earnest.webhook_endpoint endpoint
        set
          acknowledged_at = case when outcome.ok then coalesce(acknowledged_at, now()) else acknowledged_at end,
          failing_since = case when not outcome.ok then coalesce(failing_since, now()) end,
          next_trial_at = case when outcome.tried and not outcome.ok
            then ${nextTrial(sql`failing_since`, sql`${trialSeconds}`, "endpoint")} end
        from changed outcome
        where endpoint.id = outcome.id and endpoint.url = outcome.url),
      of_host as (select host, bool_or(ok) as ok from outcome group by 1),
      changed_hosts as (
        select changed.host, of_host.ok
        from of_host join earnest.webhook_host changed on changed.host = of_host.host
        where changed.acknowledged_at is null
        for no key update of changed skip locked),
      hosts as (
        update earnest.webhook_host host
        set
          acknowledged_at = case when outcome.ok then now() end,
          failing_since = case when not outcome.ok then coalesce(failing_since, now()) end,
          next_trial_at = ${nextTrial(sql`failing_since`, sql`${trialSeconds}`, "host")}
        from changed_hosts outcome
        where host.host = outcome.host)
      select`;

type Disabled = { id: string; reason: DisabledReason };

/** What each endpoint has shown at each address that was spoken to. */
function outcomesByReceiver(outcomes: readonly Outcome[]) {
  const receivers = new Map<string, { id: string; url: string; host: string; ok: boolean; tried: boolean }>();
  for (const { attempt, endpoint, isTrial } of outcomes) {
    const { id, url, host } = endpoint;
    const name = `${id} ${url}`;
    const known = receivers.get(name) ?? { id, url, host, ok: false, tried: false };
    known.ok ||= attempt.status === "succeeded";
    known.tried ||= isTrial;
    receivers.set(name, known);
  }
  return [...receivers.values()];
}

/** Endpoints that are to be disabled, or may have to be: in one order, so that two workers do not wait for each other. */
function doubtfulOf(outcomes: readonly Outcome[]): { gone: string[]; telling: string[] } {
  const ofEach = (found: readonly Outcome[]) => [...new Set(found.map(({ endpoint }) => endpoint.id))].sort();
  const gone = ofEach(outcomes.filter(({ isGone }) => isGone));
  const isSuccess = ({ attempt }: Outcome) => attempt.status === "succeeded";
  const telling = ofEach(outcomes.filter((one) => one.isTelling && !isSuccess(one)));
  if (telling.length === 0) return { gone, telling };
  const succeeded = new Set(ofEach(outcomes.filter(isSuccess)));
  return { gone, telling: telling.filter((id) => !succeeded.has(id)) };
}

/** Milliseconds that an outcome waits for others, to be written down with them, unless no other is under way. */
const linger = 15;

/** Writes outcomes down, those that come close together with one statement. */
export function createRecorder(db: Database, log: Logger, pace: Pace) {
  const lingering = createPause();
  const never = new AbortController().signal;
  let waiting: { outcome: Outcome; leasedUntil: number; done: () => void }[] = [];
  let writing = false;

  async function writeAll(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      await lingering.wait(linger, never);
      const batch = waiting;
      waiting = [];
      try {
        const disabled = await recordOutcomes(
          db,
          batch.map(({ outcome }) => outcome),
          pace,
        );
        for (const { id, reason } of disabled) {
          log.warn({ endpoint_id: id, reason }, "a webhook endpoint was disabled");
        }
        for (const { done } of batch) done();
      } catch (error) {
        log.error({ err: error, count: batch.length }, "attempts cannot be written down at the moment");
        // Once its lease is over a delivery is another's; it arrives twice then, which receivers have to expect.
        const now = performance.now();
        for (const each of batch) {
          if (each.leasedUntil > now) waiting.push(each);
          else each.done();
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
    writing = false;
  }

  return {
    /** Writes down now what waits for others: none are under way. */
    hurry: lingering.cutShort,
    record: (outcome: Outcome, leasedUntil: number) =>
      new Promise<void>((done) => {
        waiting.push({ outcome, leasedUntil, done });
        if (!writing) void writeAll();
      }),
  };
}
