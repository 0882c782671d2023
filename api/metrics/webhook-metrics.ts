import { sql } from "../../db/drizzle.ts";
import { isProven } from "../../trade/webhooks/deliveries.ts";
import type { Context } from "../context.ts";
import type { Metric } from "./metric.ts";

/** The most deliveries that the rates count, newest first, so that the cost has a limit. */
const mostCounted = 10_000;

const states = ["due", "sending", "waiting", "trying", "held"] as const;
const outcomes = ["succeeded", "failed"] as const;
const quantiles = [0.5, 0.95] as const;

type Queue = { state: (typeof states)[number]; count: number; age: number };
type Recent = Record<(typeof outcomes)[number], number> & {
  latencies: number[] | null;
  delays: number[] | null;
};

/** Reads the state of webhooks: the queue, its age, and the deliveries of the last hour. */
export async function readWebhookMetrics({ db }: Context): Promise<Metric[]> {
  const [queues, recent, endpoints] = await Promise.all([
    db.execute<Queue>(sql`
      select state, count(*)::int, coalesce(extract(epoch from now() - min(next_attempt_at)), 0)::float as age
      from (
        select
          next_attempt_at,
          case
            when leased_until > now() then 'sending'
            when endpoint.status <> 'active' then 'held'
            when next_attempt_at > now() then 'waiting'
            when ${isProven} then 'due'
            else 'trying'
          end as state
        from earnest.webhook_delivery
        join earnest.webhook_endpoint endpoint on endpoint.id = endpoint_id
        where webhook_delivery.status = 'pending') as pending
      group by state`),
    db.execute<Recent>(sql`
      with newest as (
        select id, created_at from earnest.webhook_delivery
        where created_at > now() - interval '1 hour'
        order by created_at desc limit ${mostCounted})
      select
        (count(*) filter (where attempt.error is null))::int as succeeded,
        (count(*) filter (where attempt.error is not null))::int as failed,
        percentile_cont(${sql.param([...quantiles])}::float[]) within group (order by latency_ms / 1000.0) as latencies,
        percentile_cont(${sql.param([...quantiles])}::float[]) within group (
          order by extract(epoch from started_at - created_at)) filter (where number = 1) as delays
      from newest
      join earnest.webhook_attempt attempt on attempt.delivery_id = newest.id`),
    db.execute<{ status: string; count: number }>(sql`
      select status, count(*)::int from earnest.webhook_endpoint group by status`),
  ]);
  const [rates] = recent.rows;
  const quantileSamples = (values: number[] | null | undefined) =>
    quantiles.flatMap((quantile, index) => {
      const value = values?.[index];
      return value === undefined ? [] : [{ labels: { quantile }, value }];
    });
  const queueOf = (state: (typeof states)[number]) => queues.rows.find((row) => row.state === state);
  return [
    {
      name: "earnest_webhook_deliveries_pending",
      help: "Pending deliveries: due, being sent (sending), waiting for the next attempt (waiting), due for an endpoint that has acknowledged nothing yet (trying), or held for a paused endpoint (held).",
      type: "gauge",
      samples: states.map((state) => ({ labels: { state }, value: queueOf(state)?.count ?? 0 })),
    },
    {
      name: "earnest_webhook_oldest_due_age_seconds",
      help: "Age of the oldest due delivery; 0 without one.",
      type: "gauge",
      samples: [{ labels: {}, value: Math.max(0, queueOf("due")?.age ?? 0) }],
    },
    {
      name: "earnest_webhook_attempts_last_hour",
      help: `Attempts of the deliveries queued within the last hour, at most the newest ${mostCounted} deliveries.`,
      type: "gauge",
      samples: outcomes.map((outcome) => ({ labels: { outcome }, value: rates?.[outcome] ?? 0 })),
    },
    {
      name: "earnest_webhook_attempt_latency_seconds",
      help: "Duration of these attempts, from name resolution to the end of the answer.",
      type: "gauge",
      samples: quantileSamples(rates?.latencies),
    },
    {
      name: "earnest_webhook_first_attempt_delay_seconds",
      help: "Time from the event to the first attempt of these deliveries.",
      type: "gauge",
      samples: quantileSamples(rates?.delays),
    },
    {
      name: "earnest_webhook_endpoints",
      help: "Endpoints by status.",
      type: "gauge",
      samples: (["active", "paused", "disabled"] as const).map((status) => ({
        labels: { status },
        value: endpoints.rows.find((row) => row.status === status)?.count ?? 0,
      })),
    },
  ];
}
