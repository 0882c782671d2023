import type { Logger } from "pino";
import type { Database, Transaction } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { agentRecord, counterparty, orderOutcome, recordDue, walletAge } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type CounterpartySums, type Score, scoreOf, weightOf } from "../../protocol/reputation/score.ts";
import { createTimeSlice } from "../time-slice.ts";
import { readCounterpartyWallets, type Wallets } from "./counterparty-wallets.ts";
import { hashLines } from "./outcome-lines.ts";
import { type Sums, sumOutcomes } from "./outcome-sums.ts";
import { type Tallied, tallyOutcomes } from "./tallies.ts";

/** The version of the computation. A new version computes all records again. */
const version = 1;
/** The most agents in one round. */
const page = 20;
/**
 * The weight, in millionths, from which a counterparty's wallet ages are read: that of a new wallet that paid a tenth of
 * a dollar. Lighter wallets weigh nothing at any age.
 */
const worthReading = 900;

/**
 * The records to compute: short ones, which take no time, or long ones of many outcomes, which would delay the short.
 */
export type Length = "short" | "long";
/** The outcomes from which a record is long, as of its last computation. */
const longFrom = 5000;

const isOld = sql`service_id is null and as_of < now() - interval '7 days'`;

function isOf(length: Length, record: SQL): SQL {
  const isLong = sql`exists (select from ${agentRecord} as long where ${record} and long.outcomes >= ${longFrom})`;
  return length === "long" ? isLong : sql`not ${isLong}`;
}

/** Whether a record of that length is due. */
export function hasDueRecord(length: Length): SQL {
  return sql`
    exists (select from ${recordDue} as due where due_at <= now() and ${isOf(length, sql`long.id = due.agent_id`)})
    or exists (select from ${agentRecord} where ${isOld})`;
}

/**
 * Computes the due records of a length until none is left, or the signal. A record is due when its outcomes changed,
 * and after a week, since time changes it too. The more outcomes an agent has, the less often it is due
 * (`earnest.record_due_at`). So the work is bounded by the number of settlements. Several workers share the agents. The
 * agents of a dead worker are free after some minutes.
 */
export async function computeRecords(
  db: Database,
  { log, signal, length }: { log: Logger; signal?: AbortSignal | undefined; length: Length },
): Promise<number> {
  let computed = 0;
  await markOldRecords(db);
  for (;;) {
    const agents = await leaseAgents(db, length);
    for (const { agentId, changes } of agents) {
      if (signal?.aborted) return computed;
      try {
        await computeRecord(db, agentId);
        await releaseAgent(db, agentId, changes);
        await requestWalletAges(db, agentId);
        computed += 1;
      } catch (error) {
        // The agent stays leased for some minutes, so that its failure does not hold up other agents.
        log.error({ err: error, agent_id: agentId }, "an agent's record could not be computed");
      }
    }
    if (agents.length < page || signal?.aborted) return computed;
  }
}

/** Makes records of another version due. Called once when a worker starts. */
export async function markOutdatedRecords(db: Database): Promise<void> {
  await db.execute(sql`
    insert into ${recordDue} (agent_id, due_at)
    select id, now() from ${agentRecord} where service_id is null and version <> ${version}
    on conflict do nothing`);
}

async function markOldRecords(db: Database): Promise<void> {
  await db.execute(sql`
    insert into ${recordDue} (agent_id, due_at)
    select id, now() from ${agentRecord} where ${isOld} order by as_of limit 1000
    on conflict do nothing`);
}

async function leaseAgents(db: Database, length: Length): Promise<{ agentId: string; changes: number }[]> {
  const { rows } = await db.execute<{ agent_id: string; changes: string }>(sql`
    with agents as materialized (
      select agent_id from ${recordDue} as due where due_at <= now() and ${isOf(length, sql`long.id = due.agent_id`)}
      order by due_at limit ${page} for update of due skip locked)
    update ${recordDue} set due_at = now() + interval '5 minutes',
      ages_due_at = case when ages_due_at > now() then ages_due_at end
    where agent_id in (select agent_id from agents)
    returning agent_id, changes`);
  return rows.map(({ agent_id, changes }) => ({ agentId: agent_id, changes: Number(changes) }));
}

/**
 * Releases an agent. Changes during the computation are due again in their time, and pending wallet ages stay pending.
 */
async function releaseAgent(db: Database, agentId: string, changes: number): Promise<void> {
  await db.execute(sql`
    delete from ${recordDue} where agent_id = ${agentId} and changes = ${changes} and ages_due_at is null`);
  await db.execute(sql`
    update ${recordDue} set due_at = case when changes = ${changes} then coalesce(ages_due_at, due_at)
      else earnest.record_due_at(agent_id) end
    where agent_id = ${agentId}`);
}

/** Computes the records and scores of an agent and its services, and its counterparties' weights, as of one moment. */
export async function computeRecord(db: Database, agentId: string): Promise<void> {
  const computed = await inTransaction(
    db,
    (tx) => readOutcomes(tx, agentId),
    "isolation level repeatable read",
  );
  await inTransaction(db, async (tx) => {
    const rows = [...computed.records].map(([id, { outcomes, record, score }]) => {
      const { orders, delivered_on_time: onTime } = record.ever;
      const known = score.share !== null;
      return {
        id: id ?? agentId,
        agent_id: agentId,
        service_id: id,
        record,
        score: known ? score.value : null,
        upper: known ? score.upper : null,
        share: score.share,
        evidence: score.evidence,
        orders,
        on_time: orders === 0 ? null : Math.floor((1000 * onTime) / orders),
        outcomes,
        outcomes_root: id === null ? computed.outcomesRoot : null,
        as_of: computed.asOf.toISOString(),
        version,
      };
    });
    const { rows: written } = await tx.execute(sql`
      insert into ${agentRecord} as known
      select (jsonb_populate_record(null::${agentRecord}, item)).*
      from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as item order by item ->> 'id'
      on conflict (id) do update set record = excluded.record, score = excluded.score, upper = excluded.upper,
        share = excluded.share, evidence = excluded.evidence, orders = excluded.orders, on_time = excluded.on_time,
        outcomes = excluded.outcomes, outcomes_root = excluded.outcomes_root, as_of = excluded.as_of, version = excluded.version
      where known.as_of <= excluded.as_of returning id`);
    if (written.length < rows.length) return;
    // A service whose only settlement left the chain has no record.
    await tx.execute(sql`
      delete from ${agentRecord} where agent_id = ${agentId} and id <> all(${sql.param(rows.map(({ id }) => id))}::text[])`);
    await writeCounterparties(tx, agentId, computed.counterparties);
  });
}

type Counted = Sums & { wallets: Wallets; weight: number };
type Computed = Tallied & { score: Score };

async function readOutcomes(tx: Transaction, agentId: string) {
  // An outcome that is committed later counts next time, even if its transaction began earlier.
  const { rows } = await tx.execute<{ now: string }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  );
  const asOf = new Date(Number(rows[0]?.now));
  const extent = { agentId, asOf };
  const records = new Map<string | null, Computed>();
  const timeSlice = createTimeSlice();
  let counterparties: Counted[] = [];
  let wallets = new Map<string, Wallets>();
  const walletsOf = ({ buyerAccountId }: Sums) =>
    wallets.get(buyerAccountId) ?? { addresses: [], since: null, otherProviders: 0 };
  const withWallets = (of: Sums): CounterpartySums & Sums => {
    const { since, otherProviders } = walletsOf(of);
    return { ...of, counterparty: `c${of.number}`, wallet_since: since, other_providers: otherProviders };
  };
  for (const [service, tallied] of await tallyOutcomes(tx, extent)) {
    records.set(service, { ...tallied, score: scoreOf([], asOf) });
  }
  for await (const sums of sumOutcomes(tx, extent)) {
    const service = sums[0]?.serviceId ?? null;
    if (service === null) {
      const accounts = sums.map(({ buyerAccountId }) => buyerAccountId);
      wallets = await readCounterpartyWallets(tx, extent, accounts);
      counterparties = sums.map((of) => ({
        ...of,
        wallets: walletsOf(of),
        weight: weightOf(withWallets(of)),
      }));
      await timeSlice();
    }
    const tallied = records.get(service);
    if (tallied) tallied.score = scoreOf(sums.map(withWallets), asOf);
    await timeSlice();
  }
  return { asOf, records, counterparties, outcomesRoot: await hashLines(tx, extent) };
}

async function writeCounterparties(
  tx: Transaction,
  agentId: string,
  counted: readonly Counted[],
): Promise<void> {
  const timeSlice = createTimeSlice();
  const items: string[] = [];
  for (const { wallets, ...of } of counted) {
    const item = {
      number: of.number,
      orders: of.orders,
      paid: of.paid,
      wallets: wallets.addresses,
      wallet_since: wallets.since?.toISOString() ?? null,
      other_providers: wallets.otherProviders,
      first_funded_at: of.first_funded_at.toISOString(),
      last_settled_at: of.lastSettledAt.toISOString(),
      weight: of.weight,
    };
    items.push(JSON.stringify(item));
    await timeSlice();
  }
  await tx.execute(sql`
    with now_counted as (
      select (jsonb_populate_record(null::${counterparty}, item)).*
      from jsonb_array_elements(${`[${items.join()}]`}::jsonb) as item)
    update ${counterparty} as known set orders = of.orders, paid = of.paid, wallets = of.wallets,
      wallet_since = of.wallet_since, other_providers = of.other_providers, first_funded_at = of.first_funded_at,
      last_settled_at = of.last_settled_at, weight = of.weight
    from now_counted as of where known.agent_id = ${agentId} and known.number = of.number
      and (known.orders, known.paid, known.wallets, known.wallet_since, known.other_providers, known.first_funded_at,
        known.last_settled_at, known.weight) is distinct from (of.orders, of.paid, of.wallets, of.wallet_since,
        of.other_providers, of.first_funded_at, of.last_settled_at, of.weight)`);
  await tx.execute(sql`
    update ${counterparty} set orders = null, paid = null, wallets = null, wallet_since = null, other_providers = null,
      first_funded_at = null, last_settled_at = null, weight = null
    where agent_id = ${agentId} and weight is not null
      and number <> all(${sql.param(counted.map(({ number }) => number))}::int[])`);
}

/**
 * Requests the ages of wallets that matter, once each. The record is due again when the ages may be known, and sooner
 * if its outcomes change (`follow_outcome`).
 */
async function requestWalletAges(db: Database, agentId: string): Promise<void> {
  await db.execute(sql`
    with asked as (
      insert into ${walletAge} (chain_id, address, checked_at)
      select distinct paid.chain_id, address, 'epoch'::timestamptz
      from ${counterparty} as known cross join unnest(known.wallets) as address cross join lateral (
        select distinct chain_id from ${orderOutcome} where agent_id = known.agent_id and wallet = address
          and wallet_proved and apart is null) as paid
      where known.agent_id = ${agentId} and known.weight >= ${worthReading}
      on conflict do nothing returning address)
    insert into ${recordDue} as due (agent_id, due_at, ages_due_at)
    select ${agentId}, known_at, known_at
    from (select greatest(now() + interval '2 minutes', earnest.record_due_at(${agentId})) as known_at) as ages
    where exists (select from asked)
    on conflict (agent_id) do update set changes = due.changes + 1, ages_due_at = excluded.ages_due_at`);
}
