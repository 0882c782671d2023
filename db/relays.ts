import { and, eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address, Hex } from "viem";
import type { Database, Transaction } from "./client.ts";
import { relay } from "./schema.ts";

export type RelayRow = typeof relay.$inferSelect;

/** A call that our one key is to send: one that a party signed, or one the contract opens to anyone. */
export type NewRelay = {
  /** what makes it happen once, as in `<escrow id>:recordDelivery:<number>` */
  intent: string;
  chainId: number;
  orderId: string | null;
  to: Address;
  data: Hex;
};

/** Whose relay it is, how many that account may have in an hour, and all accounts together on the chain. */
export type RelayBudget = { accountId: string; perHour: number; perHourOfAll?: number };

/** Thrown when an account, or all together, have had all the relays of an hour. Nothing was queued. */
export class BudgetSpentError extends Error {
  override name = "BudgetSpentError";
  /** whole seconds, from 1, until one more is open */
  readonly retryAfter: number;
  readonly whose: "account" | "all";

  constructor(retryAfter: number, whose: "account" | "all") {
    const owner = whose === "account" ? "The account's relays" : "All accounts' relays";
    super(`${owner} of this hour are used up; the next is open in ${retryAfter} seconds.`);
    this.retryAfter = retryAfter;
    this.whose = whose;
  }
}

/** The time over which a budget counts. */
const budgetWindow = sql`interval '1 hour'`;

/** The relay of an intent, if there is one. */
export async function findRelay(db: Database | Transaction, intent: string): Promise<RelayRow | null> {
  const [found] = await db.select().from(relay).where(eq(relay.intent, intent));
  return found ?? null;
}

/**
 * Queues a call for the relayer, and the job that sends it, in the caller's transaction.
 *
 * The same intent again returns the row that is there, whatever its call data: it is sent once, and counts once. Only
 * an intent that failed starts over, with the new call data.
 *
 * @param budget who asked for it; left out for what the service sends by itself
 * @throws BudgetSpentError where the budget has no room for one more
 */
export async function queueRelay(tx: Transaction, call: NewRelay, budget?: RelayBudget): Promise<RelayRow> {
  const standing = await findRelay(tx, call.intent);
  if (standing && standing.status !== "failed") return standing;
  if (budget) await requireBudget(tx, call.chainId, budget);
  const accountId = budget?.accountId ?? null;
  const [queued] = await tx
    .insert(relay)
    .values({ id: typeid("rly").toString(), accountId, ...call })
    .onConflictDoUpdate({
      target: relay.intent,
      set: {
        to: call.to,
        data: call.data,
        ...(accountId ? { accountId } : {}),
        status: "queued",
        sender: null,
        nonce: null,
        transactionHash: null,
        error: null,
        queuedAt: sql`now()`,
        queuedTimes: sql`case when ${relay.queuedAt} > now() - ${budgetWindow} then ${relay.queuedTimes} + 1 else 1 end`,
        updatedAt: sql`now()`,
      },
      setWhere: eq(relay.status, "failed"),
    })
    .returning();
  if (!queued) {
    const queuedMeanwhile = await findRelay(tx, call.intent);
    if (!queuedMeanwhile) throw new Error(`The relay ${call.intent} vanished while it was queued.`);
    return queuedMeanwhile;
  }
  await tx.execute(sql`
    select graphile_worker.add_job(
      'relay', json_build_object('chain_id', ${call.chainId}::int), job_key := ${`relay:${call.chainId}`})`);
  return queued;
}

/**
 * Takes back that a relay was mined, as its block left the chain: the relayer sees to its transaction again, which may
 * be mined anew, and whose nonce no other gets.
 */
export async function reopenRelay(tx: Transaction, orderId: string, transactionHash: Hex): Promise<void> {
  await tx
    .update(relay)
    .set({ status: "signed", updatedAt: sql`now()` })
    .where(
      and(eq(relay.orderId, orderId), eq(relay.transactionHash, transactionHash), eq(relay.status, "mined")),
    );
}

/** Requests of one account pass here one after the other, so that two at once do not both take its last relay. */
async function requireBudget(
  tx: Transaction,
  chainId: number,
  { accountId, perHour, perHourOfAll }: RelayBudget,
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`relay budget ${accountId}`}, 0))`);
  const {
    rows: [found],
  } = await tx.execute<{ used: number; retry_after: number | null }>(sql`
    with recent as (
      select
        queued_at,
        sum(queued_times) over () as used,
        sum(queued_times) over (order by queued_at, id) as freed
      from earnest.relay
      where account_id = ${accountId} and queued_at > now() - ${budgetWindow})
    select
      coalesce(max(used), 0)::int as used,
      extract(epoch from min(queued_at) filter (where used - freed < ${perHour}) + ${budgetWindow} - now())::float
        as retry_after
    from recent`);
  if (found && found.used >= perHour)
    throw new BudgetSpentError(Math.max(1, Math.ceil(found.retry_after ?? 1)), "account");
  // Accounts do not wait for each other here: a few at once may pass the ceiling together.
  if (perHourOfAll !== undefined && (await countRelaysOfHour(tx, chainId)) >= perHourOfAll) {
    throw new BudgetSpentError(60, "all");
  }
}

/** How many relays accounts asked for on a chain within the last hour. */
export async function countRelaysOfHour(db: Database | Transaction, chainId: number): Promise<number> {
  const {
    rows: [found],
  } = await db.execute<{ used: number }>(sql`
    select coalesce(sum(queued_times), 0)::int as used from earnest.relay
    where chain_id = ${chainId} and account_id is not null and queued_at > now() - ${budgetWindow}`);
  return found?.used ?? 0;
}
