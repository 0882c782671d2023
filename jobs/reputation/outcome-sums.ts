import type { Transaction } from "../../db/client.ts";
import { readByCursor } from "../../db/cursor.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { counterparty, orderOutcome } from "../../db/schema.ts";
import {
  type CounterpartySums,
  fullSizes,
  mostCounted,
  partsOfFull,
} from "../../protocol/reputation/score.ts";
import { sumVolume, type Volume } from "../../protocol/reputation/volume.ts";

/** The sums of a counterparty's outcomes at arm's length, without data of its wallets. */
export type Sums = Omit<CounterpartySums, "counterparty" | "wallet_since" | "other_providers"> & {
  /** null if the sums cover the whole agent */
  serviceId: string | null;
  buyerAccountId: string;
  number: number;
  orders: number;
  /** the released money; empty in the sums of a service */
  paid: Volume;
  lastSettledAt: Date;
};

/** Sums in one read: few enough that the loop is blocked for some milliseconds only. */
const page = 500;

/** The outcomes of an agent that were recorded by a moment. */
export type Extent = { agentId: string; asOf: Date };

/** The condition for the outcomes `o` of an extent. */
export function isWithin({ agentId, asOf }: Extent): SQL {
  return sql`o.agent_id = ${agentId} and o.recorded_at <= ${asOf.toISOString()}::timestamptz`;
}

/** The last moment at which an outcome's delivery is on time. */
export const onTimeUntil = sql`(o.funded_at + make_interval(secs => o.promised_seconds))`;

/** The full sizes of currencies as a table `size`. */
const sizes = sql`(values ${sql.join(
  [...fullSizes].map(([currency, full]) => sql`(${currency}::text, ${full.toString()}::numeric)`),
  sql`, `,
)}) as size (currency, units)`;

/** Millionths of a part of the full size, as `splitValue` in protocol/reputation/score.ts computes them. */
function sized(amount: SQL): SQL {
  const parts = partsOfFull.toString();
  // US dollars of six decimals need no computation.
  return sql`case when size.units is null then 0
    when o.token_decimals = 6 and size.units = ${parts}::numeric then ${amount}
    else div(${amount} * ${parts}::numeric * 1000000, size.units * power(10::numeric, o.token_decimals)) end`;
}

/** Released base units of one currency in tokens of the same decimals, as JSON. */
export type ReleasedPart = { currency: string; decimals: number; released: string };

/** Sums released base units of tokens with different decimals to a volume. */
export function volumeOf(parts: readonly ReleasedPart[] | null | undefined): Volume {
  return sumVolume((parts ?? []).map((part) => ({ ...part, released: BigInt(part.released) })));
}

/**
 * Sums outcomes by counterparty as `splitValue` and `sumCounterparties` in protocol/reputation/score.ts do, for the
 * counterparties that count (`countedOf`). Yields the agent's sums first, then each service's.
 */
export async function* sumOutcomes(tx: Transaction, extent: Extent): AsyncGenerator<Sums[]> {
  let group: Sums[] = [];
  for await (const rows of readByCursor<SumsRow>(tx, selectSums(extent), page)) {
    for (const sums of rows.map(readSums)) {
      if (group.length > 0 && group[0]?.serviceId !== sums.serviceId) {
        yield group;
        group = [];
      }
      group.push(sums);
    }
  }
  if (group.length > 0) yield group;
}

function selectSums(extent: Extent): SQL {
  return sql`
    with judged as (
      select o.service_id, o.buyer_account_id, o.funded_at, o.settled_at,
        o.currency, o.token_decimals, o.released as base_units,
        ${sized(sql`o.released`)} as released, case when o.ended = 'metered' then 0 else ${sized(sql`o.refunded`)} end as refunded,
        o.ended = 'declined' or coalesce(o.ended = 'refunded' and o.dispute = 'lapsed' and o.disputed_by = 'buyer'
          and o.disputed_at <= ${onTimeUntil}, false) as says_nothing,
        (o.ended = 'released' or o.ended = 'metered' and o.delivered_at is not null)
          and coalesce(o.delivered_at, o.settled_at) > ${onTimeUntil} as is_late
      from ${orderOutcome} as o left join ${sizes} on size.currency = o.currency
      where ${isWithin(extent)} and o.apart is null
    ), good as (
      select judged.*,
        case when says_nothing then 0 when is_late then div(released * 3, 4) else released end as good
      from judged
    ), weighed as (
      select good.*, case when says_nothing then 0 else released - good + refunded end as bad from good
    ), summed as (
      select service_id, buyer_account_id, count(*) as orders, sum(good) as good, sum(bad) as bad,
        ${milliseconds(sql`min(funded_at)`)} as first_funded, ${milliseconds(sql`max(settled_at)`)} as last_settled,
        ${milliseconds(sql`min(settled_at) filter (where good > 0)`)} as first_good,
        ${milliseconds(sql`max(settled_at) filter (where good > 0)`)} as last_good,
        ${milliseconds(sql`min(settled_at) filter (where bad > 0)`)} as first_bad,
        ${milliseconds(sql`max(settled_at) filter (where bad > 0)`)} as last_bad
      from weighed group by grouping sets ((buyer_account_id), (service_id, buyer_account_id))
    ), paid as (
      select buyer_account_id, jsonb_agg(jsonb_build_object('currency', currency, 'decimals', token_decimals,
        'released', base_units::text)) as paid
      from (select buyer_account_id, currency, token_decimals, sum(base_units) as base_units from judged
        group by buyer_account_id, currency, token_decimals) as part
      group by buyer_account_id
    ), ranked as (
      select summed.*, known.number,
        row_number() over (partition by service_id order by bad desc, good desc, known.number) as rank
      from summed join ${counterparty} as known
        on known.agent_id = ${extent.agentId} and known.buyer_account_id = summed.buyer_account_id
    )
    select ranked.*, paid.paid from ranked
    left join paid on ranked.service_id is null and paid.buyer_account_id = ranked.buyer_account_id
    where rank <= ${mostCounted} order by service_id nulls first, rank`;
}

type SumsRow = Record<Exclude<string, "paid">, string | null> & { paid: ReleasedPart[] | null };

function readSums({ paid, ...row }: SumsRow): Sums {
  return {
    serviceId: row.service_id ?? null,
    buyerAccountId: String(row.buyer_account_id),
    number: Number(row.number),
    orders: Number(row.orders),
    paid: volumeOf(paid),
    good: BigInt(row.good ?? 0),
    bad: BigInt(row.bad ?? 0),
    first_funded_at: new Date(Number(row.first_funded)),
    lastSettledAt: new Date(Number(row.last_settled)),
    first_good_at: timeOf(row.first_good),
    last_good_at: timeOf(row.last_good),
    first_bad_at: timeOf(row.first_bad),
    last_bad_at: timeOf(row.last_bad),
  };
}

function milliseconds(time: SQL): SQL {
  return sql`(extract(epoch from ${time}) * 1000)::bigint`;
}

function timeOf(milliseconds: string | null | undefined): Date | null {
  return milliseconds ? new Date(Number(milliseconds)) : null;
}
