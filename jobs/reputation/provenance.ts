import type { Logger } from "pino";
import type { Address } from "viem";
import type { Chain, Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { and, eq, inArray, type SQL, sql } from "../../db/drizzle.ts";
import {
  agent,
  fact,
  order,
  orderOutcome,
  payment,
  provedWallet,
  provenance,
  recordDue,
  service,
} from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import { isMoneyFromProvider } from "../../protocol/reputation/money-from-provider.ts";
import { clientOf } from "../chain-client.ts";
import { sumTransfers } from "./transfers.ts";

/** The most pairs that are leased at once. */
const page = 10;
/** The most pairs of one provider's account that are checked in a day. */
const mostADay = 100;
/**
 * The most wallets of a provider, and deposit addresses of a buyer's orders, between which transfers are searched.
 */
const mostWallets = 100;
const mostDeposits = 50;
/** The most outcomes that one transaction marks. */
const batch = 200;

type Pair = typeof provenance.$inferSelect;

/** Whether a buyer's wallet on one of the chains is due for a check. */
export const hasDueProvenance = (config: Pick<Config, "chains">): SQL =>
  sql`exists (select from ${provenance} where ${isDue(config)})`;

const isDue = ({ chains }: Pick<Config, "chains">) =>
  and(
    inArray(
      provenance.chainId,
      chains.map(({ chain_id }) => chain_id),
    ),
    sql`${provenance.nextCheckAt} <= now()`,
  );

/**
 * Asks the nodes whether buyers' wallets got their money from the providers that they paid. A pair is checked at its
 * first settlement, and 1, 7 and 30 days after the last.
 *
 * If the provider's wallets sent at least half of the paid amount straight to the buyer's wallet, or to its orders'
 * deposit addresses, those orders count apart. A pair without an answer stays unchecked, and counts as at arm's length.
 */
export async function followProvenance(
  db: Database,
  config: Pick<Config, "chains">,
  { log, signal }: { log: Logger; signal?: AbortSignal },
): Promise<void> {
  const unreachable = new Set<number>();
  for (;;) {
    // The next requests to a node that did not answer would fail too. Its other pairs stay due.
    const due = await leasePairs(db, {
      chains: config.chains.filter(({ chain_id }) => !unreachable.has(chain_id)),
    });
    for (const pair of due) {
      if (signal?.aborted) return;
      if (unreachable.has(pair.chainId)) continue;
      if (await postponeAccount(db, pair.providerAccountId)) continue;
      const chain = config.chains.find(({ chain_id }) => chain_id === pair.chainId);
      const transfers = chain && (await readTransfers(db, chain, pair, log));
      if (transfers) await writeCheck(db, pair, transfers);
      else unreachable.add(pair.chainId);
      await schedule(db, pair);
    }
    if (due.length < page) return;
  }
}

/** Leases the pairs that wait longest, for ten minutes. The leases of a dead worker end after that time. */
function leasePairs(db: Database, config: Pick<Config, "chains">): Promise<Pair[]> {
  const key = sql.raw("provider_account_id, wallet, chain_id, token");
  const waiting = sql`
    with due as materialized (
      select ${key} from ${provenance} where ${isDue(config)} order by next_check_at limit ${page} for update skip locked)
    select ${key} from due`;
  return db
    .update(provenance)
    .set({ nextCheckAt: sql`now() + interval '10 minutes'` })
    .where(sql`(${key}) in (${waiting})`)
    .returning();
}

/** Postpones an account, with all of its buyers, if its daily checks are used up. */
async function postponeAccount(db: Database, providerAccountId: string): Promise<boolean> {
  const today = and(
    eq(provenance.providerAccountId, providerAccountId),
    sql`${provenance.attemptedAt} > now() - interval '1 day'`,
  );
  if ((await db.$count(provenance, today)) < mostADay) return false;
  await db
    .update(provenance)
    .set({ nextCheckAt: sql`now() + interval '1 day'` })
    .where(and(eq(provenance.providerAccountId, providerAccountId), sql`${provenance.nextCheckAt} <= now()`));
  return true;
}

type Transfers = Awaited<ReturnType<typeof sumTransfers>>;

/** Reads what the provider's wallets sent to the buyer's addresses; null, with a line in the log, if the node does not answer. */
async function readTransfers(db: Database, chain: Chain, pair: Pair, log: Logger): Promise<Transfers | null> {
  const client = clientOf(chain);
  const [from, to] = await Promise.all([walletsOf(db, pair), addressesOf(db, pair)]);
  try {
    const toBlock = confirmedBlock(await client.getBlockNumber(), chain);
    const fromBlock = BigInt(chain.deployment_block);
    return toBlock < fromBlock || from.length === 0
      ? { sent: 0n, isComplete: true }
      : await sumTransfers(client, { token: pair.token, from, to, fromBlock, toBlock });
  } catch (error) {
    log.warn(
      { err: error, chain_id: pair.chainId },
      "the node did not answer for the origin of buyers' money",
    );
    return null;
  }
}

/** Writes the result of a check, and marks the pair's outcomes by it. */
async function writeCheck(db: Database, pair: Pair, { isComplete, ...found }: Transfers): Promise<void> {
  // Transfers of earlier checks stay, although other orders' addresses are searched now.
  const sent = found.sent > pair.sent ? found.sent : pair.sent;
  const paid = await sumPaid(db, pair);
  const tied = isMoneyFromProvider({ sent, paid });
  // A partial answer can prove that money arrived, but never that none did.
  if (!isComplete && !tied) return;
  await db.update(provenance).set({ sent, tied, checkedAt: sql`now()` }).where(isPair(pair));
  await markOutcomes(db, pair, tied);
  // A line that leaves the state `unchecked` also changes the record.
  const changed = sql`
    select agent_id from ${orderOutcome}
    where ${ofPair(pair)} and recorded_at > ${(pair.checkedAt ?? new Date(0)).toISOString()}::timestamptz`;
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`select from ${agent} where id in (${changed}) order by id for no key update`);
    await tx.execute(sql`
      insert into ${recordDue} as due (agent_id, due_at)
      select distinct agent_id, earnest.record_due_at(agent_id) from (${changed}) as agents
      on conflict (agent_id) do update set changes = due.changes + 1`);
  });
}

/** Schedules the next check: 1, 7 and 30 days after the pair's last settlement, and none after that. */
async function schedule(db: Database, pair: Pair): Promise<void> {
  await db
    .update(provenance)
    .set({
      attemptedAt: sql`now()`,
      nextCheckAt: sql`(
        select min(at) from (select max(settled_at) as last from ${orderOutcome} where ${ofPair(pair)}) as settled
        cross join lateral (values (last + interval '1 day'), (last + interval '7 days'), (last + interval '30 days')) as look (at)
        where at > now())`,
    })
    .where(isPair(pair));
}

/** Marks outcomes in small batches with their orders locked, as every writer of outcomes does. */
async function markOutcomes(db: Database, pair: Pair, isTied: boolean): Promise<void> {
  const stale = isTied
    ? sql`apart is null and earnest.is_paid(order_outcome)`
    : sql`apart = 'money_from_provider'`;
  for (;;) {
    const marked = await inTransaction(db, async (tx) => {
      const { rows } = await tx.execute<{ id: string }>(sql`
        select id from ${order} where id in (
          select order_id from ${orderOutcome} where ${ofPair(pair)} and ${stale} order by agent_id, order_id limit ${batch})
        order by id for update`);
      const ids = sql.param(rows.map(({ id }) => id));
      // The change of an outcome counts at its agent and its service. Every transaction locks agents before services, by id.
      for (const [locked, column] of [
        [agent, "agent_id"],
        [service, "service_id"],
      ] as const)
        await tx.execute(sql`
          select from ${locked} where id in (
            select ${sql.identifier(column)} from ${orderOutcome} where order_id = any(${ids}::text[]))
          order by id for no key update`);
      await tx.execute(sql`
        update ${orderOutcome} set apart = ${isTied ? "money_from_provider" : null}
        where order_id = any(${ids}::text[]) and ${stale}`);
      return rows.length;
    });
    if (marked < batch) return;
  }
}

async function sumPaid(db: Database, pair: Pair): Promise<bigint> {
  const { rows } = await db.execute<{ paid: string }>(
    sql`select coalesce(sum(released), 0)::text as paid from ${orderOutcome} where ${ofPair(pair)}`,
  );
  return BigInt(rows[0]?.paid ?? 0);
}

/**
 * Reads the provider's wallets: those that these orders paid, best paid first, then all that it ever proved. So unpaid
 * wallets, which cost nothing, displace none that was paid.
 */
async function walletsOf(db: Database, pair: Pair): Promise<Address[]> {
  const { rows } = await db.execute<{ address: Address }>(sql`
    select address from (
      select provider_address as address, sum(released) as paid from ${orderOutcome} where ${ofPair(pair)} group by 1
      union all select address, -1 from ${provedWallet}
      where account_id = ${pair.providerAccountId} and (chain_id is null or chain_id = ${pair.chainId})) as own
    where address <> ${pair.wallet} group by address order by max(paid) desc, address limit ${mostWallets}`);
  return rows.map(({ address }) => address);
}

/**
 * Reads the addresses that the buyer's money would reach. These are the wallet, and the deposit addresses and payers of the
 * orders that paid most, so that small ones hide none. Any wallet may pay an order by x402.
 */
async function addressesOf(db: Database, pair: Pair): Promise<Address[]> {
  const { rows } = await db.execute<{ address: Address }>(sql`
    with best as (
      select id, deposit_address from ${order} join ${orderOutcome} as ended on ended.order_id = "order".id
      where ${ofPair(pair, "ended")} order by ended.released desc, ended.settled_at desc limit ${mostDeposits})
    select deposit_address as address from best
    union select lower(payer) from ${payment} where order_id in (select id from best) and status = 'confirmed'
    union select lower(data ->> 'payer') from ${fact} where order_id in (select id from best) and type = 'order.funded'`);
  return [...new Set([pair.wallet, ...rows.map(({ address }) => address)])];
}

function isPair(pair: Pair): SQL | undefined {
  return and(
    eq(provenance.providerAccountId, pair.providerAccountId),
    eq(provenance.wallet, pair.wallet),
    eq(provenance.chainId, pair.chainId),
    eq(provenance.token, pair.token),
  );
}

/** The condition for a pair's outcomes. */
function ofPair(pair: Pair, alias = "order_outcome"): SQL {
  const columnOf = (column: string) => sql`${sql.identifier(alias)}.${sql.identifier(column)}`;
  return sql`(${columnOf("provider_account_id")} = ${pair.providerAccountId} and ${columnOf("wallet")} = ${pair.wallet}
    and ${columnOf("chain_id")} = ${pair.chainId} and ${columnOf("token")} = ${pair.token})`;
}
