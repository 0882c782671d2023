import type { Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { orderOutcome } from "../../db/schema.ts";
import type { AgentRecord, Tally } from "../../protocol/reputation/agent-record.ts";
import { type Extent, isWithin, type ReleasedPart, volumeOf } from "./outcome-sums.ts";

const day = 86_400_000;

/** The number of folded outcomes, including those apart, and the resulting record. */
export type Tallied = { outcomes: number; record: AgentRecord };

/**
 * Folds outcomes into records as `foldOutcomes` in protocol/reputation/agent-record.ts does: the agent's record under
 * null, and a record for each service that has outcomes.
 */
export async function tallyOutcomes(tx: Transaction, extent: Extent): Promise<Map<string | null, Tallied>> {
  const since = (days: number) => new Date(extent.asOf.getTime() - days * day).toISOString();
  const { rows } = await tx.execute<Row>(sql`
    with known as materialized (
      select o.service_id, o.buyer_account_id, o.settled_at, o.apart is null as counts, o.ended,
        o.dispute, o.promised_seconds, o.currency, o.token_decimals, o.released,
        earnest.seconds_taken(o) as taken, earnest.delivery_of(o) as delivery
      from ${orderOutcome} as o where ${isWithin(extent)}
    ), in_span as (
      select span.name, known.* from known join (values ('ever', '-infinity'::timestamptz),
        ('days_90', ${since(90)}::timestamptz), ('days_30', ${since(30)}::timestamptz)) as span (name, since)
        on known.settled_at > span.since
    ), parties as (
      select name, service_id, count(*) as counterparties, count(*) filter (where orders > 1) as repeated from (
        select name, service_id, count(*) as orders from in_span where counts
        group by grouping sets ((name, buyer_account_id), (name, service_id, buyer_account_id))) as party
      group by name, service_id
    ), volumes as (
      select name, service_id,
        jsonb_agg(part) filter (where counts) as volume, jsonb_agg(part) filter (where not counts) as apart_volume
      from (
        select name, service_id, counts, jsonb_build_object('currency', currency, 'decimals', token_decimals,
          'released', sum(released)::text) as part
        from in_span group by grouping sets ((name, counts, currency, token_decimals),
          (name, service_id, counts, currency, token_decimals))) as parts
      group by name, service_id
    ), folded as (
      select name, service_id, count(*) filter (where counts) as orders,
        count(*) filter (where counts and delivery = 'on_time') as delivered_on_time,
        count(*) filter (where counts and delivery = 'late') as delivered_late,
        count(*) filter (where counts and delivery = 'none') as not_delivered,
        percentile_disc(array[0.5, 0.9]) within group (order by promised_seconds) filter (where counts) as promised,
        percentile_disc(array[0.5, 0.9]) within group (order by taken) filter (where counts and taken is not null) as taken,
        count(*) filter (where counts and ended = 'refunded') as refunds,
        count(*) filter (where counts and ended = 'declined') as declined,
        count(*) filter (where counts and dispute = 'provider') as for_provider,
        count(*) filter (where counts and dispute = 'buyer') as for_buyer,
        count(*) filter (where counts and dispute = 'split') as split,
        count(*) filter (where counts and dispute = 'lapsed') as lapsed,
        count(*) filter (where not counts) as apart_orders
      from in_span group by grouping sets ((name), (name, service_id))
    )
    select folded.*, volumes.volume, volumes.apart_volume, to_jsonb(promised) as promised, to_jsonb(taken) as taken,
      coalesce(counterparties, 0) as counterparties, coalesce(repeated, 0) as repeated
    from folded left join parties
      on parties.name = folded.name and parties.service_id is not distinct from folded.service_id
    left join volumes on volumes.name = folded.name and volumes.service_id is not distinct from folded.service_id`);
  const spans = Map.groupBy(rows, ({ service_id }) => service_id);
  return new Map(
    [null, ...[...spans.keys()].filter((service) => service !== null)].map((service) => {
      const tallyOf = (name: string) => present(spans.get(service)?.find((row) => row.name === name));
      const ever = tallyOf("ever");
      const record = { ever, days_90: tallyOf("days_90"), days_30: tallyOf("days_30") };
      return [service, { outcomes: ever.orders + ever.apart.orders, record }];
    }),
  );
}

type Row = Record<Count, string> & {
  name: string;
  service_id: string | null;
  promised: [number, number] | null;
  taken: [number, number] | null;
  volume: ReleasedPart[] | null;
  apart_volume: ReleasedPart[] | null;
};
type Count =
  | ("orders" | "counterparties" | "repeated" | "refunds" | "declined" | "split" | "lapsed")
  | ("delivered_on_time" | "delivered_late" | "not_delivered" | "for_provider" | "for_buyer")
  | "apart_orders";

function present(row: Row | undefined): Tally {
  const count = (name: Count) => Number(row?.[name] ?? 0);
  const quantiles = (values: [number, number] | null | undefined) => ({
    median: values?.[0] ?? null,
    p90: values?.[1] ?? null,
  });
  return {
    orders: count("orders"),
    volume: volumeOf(row?.volume),
    counterparties: count("counterparties"),
    repeat_counterparties: count("repeated"),
    delivered_on_time: count("delivered_on_time"),
    delivered_late: count("delivered_late"),
    not_delivered: count("not_delivered"),
    seconds_promised: quantiles(row?.promised),
    seconds_taken: quantiles(row?.taken),
    refunds: count("refunds"),
    declined: count("declined"),
    disputes: {
      provider: count("for_provider"),
      buyer: count("for_buyer"),
      split: count("split"),
      lapsed: count("lapsed"),
    },
    apart: { orders: count("apart_orders"), volume: volumeOf(row?.apart_volume) },
  };
}
