import { and, eq, inArray, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Database, Transaction } from "../db/client.ts";
import { cancelPending } from "../db/deliveries.ts";
import { webhookEndpoint } from "../db/schema.ts";
import type { Outcome } from "./deliver-outcome.ts";

/** After how long without any success an endpoint is disabled. */
const failingFor = sql`interval '5 days'`;

/**
 * Writes attempts down, all of them or none, with what follows for their deliveries and endpoints.
 *
 * A delivery whose lease is no longer the attempt's is left to whoever has it now; the attempt is kept all the same.
 *
 * @returns the endpoints that were disabled
 */
export async function recordOutcomes(db: Database, outcomes: readonly Outcome[]): Promise<Disabled[]> {
  const succeeded = idsOf(outcomes.filter(({ status }) => status === "succeeded"));
  const failed = idsOf(outcomes.filter(({ status }) => status !== "succeeded")).filter(
    (id) => !succeeded.includes(id),
  );
  const gone = idsOf(outcomes.filter(({ isGone }) => isGone));
  const telling = idsOf(outcomes.filter(({ isTelling }) => isTelling)).filter((id) => failed.includes(id));
  const statement = sql`
      with results as (
        select * from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as result(
          "deliveryId" text, lease text, "startedAt" timestamptz, "latencyMs" int, "statusCode" int, error text,
          "requestHeaders" jsonb, "responseBody" text, status text, "delayMs" float)),
      kept as (
        insert into earnest.webhook_attempt
          (delivery_id, number, started_at, latency_ms, status_code, error, request_headers, response_body)
        select
          delivery.id,
          -- Counted on when a delivery begins anew.
          1 + coalesce(
            (select max(number) from earnest.webhook_attempt attempt where attempt.delivery_id = delivery.id), 0),
          "startedAt", "latencyMs", "statusCode", error, "requestHeaders", "responseBody"
        from results
        join earnest.webhook_delivery delivery on delivery.id = "deliveryId"
        on conflict do nothing),
      cleared as (
        update earnest.webhook_endpoint set failing_since = null
        where id in (
          select id from earnest.webhook_endpoint
          where id = any(${sql.param(succeeded)}::text[]) and failing_since is not null
          for no key update skip locked)),
      marked as (
        update earnest.webhook_endpoint set failing_since = now()
        where id in (
          select id from earnest.webhook_endpoint
          where id = any(${sql.param(failed)}::text[]) and failing_since is null
          for no key update skip locked))
      update earnest.webhook_delivery delivery
      set
        -- What was cancelled meanwhile stays so, unless it arrived.
        status = case when delivery.status = 'pending' or result.status = 'succeeded' then result.status
          else delivery.status end,
        attempts = delivery.attempts + 1,
        next_attempt_at = coalesce(now() + make_interval(secs => result."delayMs" / 1000), delivery.next_attempt_at),
        lease_owner = null,
        leased_until = null,
        last_status_code = result."statusCode",
        last_error = result.error,
        finished_at = case when result.status <> 'pending' then now() else delivery.finished_at end
      from results result
      where delivery.id = result."deliveryId" and delivery.lease_owner = result.lease`;
  if (gone.length === 0 && telling.length === 0) {
    await db.execute(statement);
    return [];
  }
  return db.transaction(async (tx) => {
    await tx.execute(statement);
    const disabled: Disabled[] = [];
    for (const id of gone) {
      if (await disable(tx, id, "gone")) disabled.push({ id, reason: "gone" });
    }
    for (const id of telling) {
      if (await disable(tx, id, "failing")) disabled.push({ id, reason: "failing" });
    }
    return disabled;
  });
}

type Disabled = { id: string; reason: "gone" | "failing" };

async function disable(tx: Transaction, id: string, reason: Disabled["reason"]): Promise<boolean> {
  const [changed] = await tx
    .update(webhookEndpoint)
    .set({ status: "disabled", disabledReason: reason, updatedAt: sql`now()` })
    .where(
      and(
        eq(webhookEndpoint.id, id),
        reason === "gone"
          ? inArray(webhookEndpoint.status, ["active", "paused"])
          : and(
              eq(webhookEndpoint.status, "active"),
              sql`${webhookEndpoint.failingSince} <= now() - ${failingFor}`,
            ),
      ),
    )
    .returning({ id: webhookEndpoint.id });
  if (changed) await cancelPending(tx, id, reasons[reason]);
  return changed !== undefined;
}

const reasons = {
  gone: "endpoint_disabled: The endpoint answered 410, so nothing more is sent to it.",
  failing: "endpoint_disabled: Every attempt failed for five days, so nothing more is sent to the endpoint.",
};

/** In one order, so that two workers do not wait for each other. */
function idsOf(outcomes: readonly Outcome[]): string[] {
  return [...new Set(outcomes.map(({ endpointId }) => endpointId))].sort();
}

/** Milliseconds that an outcome waits for others, to be written down with them. */
const linger = 15;

/** Writes outcomes down, those that come close together with one statement. */
export function createRecorder(db: Database, log: Logger) {
  let waiting: { outcome: Outcome; leasedUntil: number; done: () => void }[] = [];
  let writing = false;

  async function writeAll(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, linger));
      const batch = waiting;
      waiting = [];
      try {
        const disabled = await recordOutcomes(
          db,
          batch.map(({ outcome }) => outcome),
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
    record: (outcome: Outcome, leasedUntil: number) =>
      new Promise<void>((done) => {
        waiting.push({ outcome, leasedUntil, done });
        if (!writing) void writeAll();
      }),
  };
}
