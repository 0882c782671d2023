import { sql } from "../../db/drizzle.ts";
import { readAnchorAge } from "../../db/log-anchors.ts";
import type { Context } from "../context.ts";
import type { Metric } from "./metric.ts";

/** The most counted rows of the queue. */
const mostCounted = 100_000;

/** Reads the state of the log of receipts. */
export async function readLogMetrics({ db, config: { defaultChain } }: Context): Promise<Metric[]> {
  const contract = defaultChain?.anchors?.contract;
  const [heads, queues, witnesses, anchor] = await Promise.all([
    db.execute<{
      size: number;
      shown: number;
      age: number | null;
      since: number | null;
      is_halted: boolean;
    }>(sql`
      select size::float, published_size::float as shown, halted is not null as is_halted,
        extract(epoch from now() - waiting_since)::float as age,
        extract(epoch from now() - published_at)::float as since
      from earnest.log_head`),
    db.execute<{ count: number; refused: number; age: number | null }>(sql`
      select count(*)::int, count(refused)::int as refused,
        extract(epoch from now() - min(created_at) filter (where refused is null))::float as age
      from (select created_at, refused from earnest.log_queue order by position limit ${mostCounted}) as counted`),
    db.execute<{ name: string; is_failing: boolean; size: number }>(sql`
      select split_part(vkey, '+', 1) as name, failure is not null as is_failing, size::float from earnest.log_witness`),
    contract ? readAnchorAge(db, { chainId: defaultChain.chain_id, contract }) : null,
  ]);
  const [head] = heads.rows;
  const [queue] = queues.rows;
  if (!head) return [];
  const gauge = (name: string, help: string, value: number | null): Metric => ({
    name,
    help,
    type: "gauge",
    samples: value === null ? [] : [{ labels: {}, value }],
  });
  return [
    gauge("earnest_log_entries", "Entries of the log.", head.size),
    gauge("earnest_log_shown_entries", "Entries of the published checkpoint.", head.shown),
    gauge("earnest_log_age_seconds", "Age of the published checkpoint.", head.since),
    gauge(
      "earnest_log_anchored_entries",
      "Entries of the largest tree of the log on the chain.",
      anchor?.entries ?? null,
    ),
    gauge(
      "earnest_log_anchor_age_seconds",
      "Age of that tree's anchor, by the chain's clock.",
      anchor?.seconds ?? null,
    ),
    gauge(
      "earnest_log_halted",
      "1 while the log is halted because the database lost or changed entries.",
      head.is_halted ? 1 : 0,
    ),
    gauge(
      "earnest_log_queued",
      `Facts that wait to be logged, counted up to ${mostCounted}.`,
      (queue?.count ?? 0) - (queue?.refused ?? 0),
    ),
    gauge("earnest_log_refused", "Facts that cannot become an entry.", queue?.refused ?? 0),
    gauge(
      "earnest_log_oldest_queued_age_seconds",
      "Age of the oldest fact that waits to be logged; 0 without one.",
      Math.max(0, queue?.age ?? 0),
    ),
    gauge(
      "earnest_log_unshown_age_seconds",
      "Time that a checkpoint has waited for its witnesses; 0 without one.",
      Math.max(0, head.age ?? 0),
    ),
    {
      name: "earnest_log_witness_failing",
      help: "1 while the last request to the witness failed.",
      type: "gauge",
      samples: witnesses.rows.map(({ name, is_failing }) => ({
        labels: { witness: name },
        value: is_failing ? 1 : 0,
      })),
    },
  ];
}
