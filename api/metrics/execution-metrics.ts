import { sql } from "../../db/drizzle.ts";
import type { Context } from "../context.ts";
import type { Metric } from "./metric.ts";

const states = ["due", "asked", "later"] as const;
const outcomes = ["delivered", "accepted", "failed", "cancelled"] as const;
/** The most executions of the last hour that are counted, newest first, so that the cost has a limit. */
const mostCounted = 10_000;

/** Reads the state of orders' executions at their providers' endpoints. */
export async function readExecutionMetrics({ db }: Context): Promise<Metric[]> {
  const [queues, recent] = await Promise.all([
    db.execute<{ state: (typeof states)[number]; count: number; age: number }>(sql`
      select
        case when next_attempt_at <= now() then 'due' when lease_owner is not null then 'asked' else 'later' end as state,
        count(*)::int, extract(epoch from now() - min(next_attempt_at))::float as age
      from earnest.execution where status = 'pending' group by 1`),
    db.execute<{ status: string; count: number }>(sql`
      select status, count(*)::int from (
        select status from earnest.execution
        where created_at > now() - interval '1 hour' order by created_at desc limit ${mostCounted}) as newest
      group by 1`),
  ]);
  const queueOf = (state: (typeof states)[number]) => queues.rows.find((row) => row.state === state);
  return [
    {
      name: "earnest_executions_pending",
      help: "Pending executions: due, asked (a worker is calling the provider), or later (waiting for the next attempt).",
      type: "gauge",
      samples: states.map((state) => ({ labels: { state }, value: queueOf(state)?.count ?? 0 })),
    },
    {
      name: "earnest_execution_oldest_due_age_seconds",
      help: "Age of the oldest due execution; 0 without one.",
      type: "gauge",
      samples: [{ labels: {}, value: Math.max(0, queueOf("due")?.age ?? 0) }],
    },
    {
      name: "earnest_executions_last_hour",
      help: `Results of the executions of orders funded within the last hour, at most the newest ${mostCounted}.`,
      type: "gauge",
      samples: outcomes.map((outcome) => ({
        labels: { outcome },
        value: recent.rows.find(({ status }) => status === outcome)?.count ?? 0,
      })),
    },
  ];
}
