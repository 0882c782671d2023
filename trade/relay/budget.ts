import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { buildOnce, type Database, type Transaction } from "../../db/client.ts";

/** How much gas an account's relays may take within an hour, and those of all accounts together on the chain. */
export type RelayBudget = { gasPerHour: number; gasPerHourOfAll?: number | undefined };

/** Whose gas of the hour is used up: the account's, all accounts', or all accounts' for orders that nobody funded yet. */
export type Spent = "account" | "all" | "unfunded";

/** Thrown when an account, or all together, have used the gas of an hour. Nothing was queued. */
export class BudgetSpentError extends Error {
  override name = "BudgetSpentError";
  /** whole seconds, from 1, until there may be room again */
  readonly retryAfter: number;
  readonly whose: Spent;

  constructor(retryAfter: number, whose: Spent) {
    const owner = whose === "account" ? "The account's" : "All accounts'";
    super(`${owner} gas of this hour is used up; there may be room in ${retryAfter} seconds.`);
    this.retryAfter = retryAfter;
    this.whose = whose;
  }
}

/** The time over which a budget counts. */
export const budgetWindow = sql`interval '1 hour'`;

/** Gas that a call counts for which was refused before it was sent: trying it costs us as well. */
export const gasOfRefusal = 30_000;

/** The part of all accounts' gas that calls of orders without money can have: the rest is kept for those with. */
export const partOfUnfunded = 0.5;

/** Seconds after which what is on its way counts with what it took, and no longer with its bound. */
const soon = 30;

/** Requests of one account pass here one after the other, so that two at once do not both take its last gas. */
export async function requireBudget(
  tx: Transaction,
  call: { chainId: number; accountId: string; gasBound: number; forFunded?: boolean },
  { gasPerHour, gasPerHourOfAll }: RelayBudget,
): Promise<void> {
  const { chainId, accountId, gasBound } = call;
  await lockBudget(tx).execute({ name: `relay budget ${accountId}` });
  // A statement of its own, after the lock: it sees what those before have written.
  const { rows } = await selectUsed(tx).execute({ chainId, accountId, gasBound, gasPerHour });
  const [found] = rows;
  if (!found) return;
  if (found.used + gasBound > gasPerHour) {
    const whenFree = Math.max(1, Math.ceil(found.retry_after ?? 3600));
    throw new BudgetSpentError(
      found.ended + gasBound > gasPerHour ? whenFree : Math.min(soon, whenFree),
      "account",
    );
  }
  if (gasPerHourOfAll === undefined) return;
  // Accounts do not wait for each other here: a few at once may pass the ceiling together.
  const { funded, unfunded } = found;
  if (funded + unfunded + gasBound > gasPerHourOfAll) throw new BudgetSpentError(60, "all");
  if (!call.forFunded && unfunded + gasBound > gasPerHourOfAll * partOfUnfunded) {
    throw new BudgetSpentError(60, "unfunded");
  }
}

const lockBudget = buildOnce<never>(
  () => sql`select pg_advisory_xact_lock(hashtextextended(${sql.placeholder("name")}::text, 0))`,
  "lock_relay_budget",
);

type Gas = { funded: number; unfunded: number };

/** What an account has used of its hour, and when there is room again; and the gas of all accounts. */
const selectUsed = buildOnce<Gas & { used: number; ended: number; retry_after: number | null }>(
  () => sql`
    with recent as (
      select
        queued_at,
        gas_charged + gas_charged_before as gas,
        status in ('mined', 'failed') as ended,
        sum(gas_charged + gas_charged_before) over () as used,
        sum(gas_charged + gas_charged_before) over (order by queued_at, id) as freed
      from earnest.relay
      where account_id = ${sql.placeholder("accountId")} and queued_at > now() - ${budgetWindow}),
    own as (
      select
        coalesce(max(used), 0)::float as used,
        coalesce(sum(gas) filter (where ended), 0)::float as ended,
        extract(epoch from min(queued_at)
          filter (where used - freed + ${sql.placeholder("gasBound")}::int <= ${sql.placeholder("gasPerHour")}::bigint)
          + ${budgetWindow} - now())::float as retry_after
      from recent)
    select own.*, of_all.* from own, (${gasOfHour(sql`${sql.placeholder("chainId")}::int`)}) as of_all`,
  "relay_budget",
);

function gasOfHour(chainId: SQLWrapper): SQL {
  return sql`
    select
      coalesce(sum(gas_charged + gas_charged_before) filter (where for_funded), 0)::float as funded,
      coalesce(sum(gas_charged + gas_charged_before) filter (where not for_funded), 0)::float as unfunded
    from earnest.relay
    where chain_id = ${chainId} and account_id is not null and queued_at > now() - ${budgetWindow}`;
}

/** The gas of what accounts asked for on a chain within the last hour, for orders that were funded and for others. */
export async function readGasOfHour(db: Database | Transaction, chainId: number): Promise<Gas> {
  const { rows } = await db.execute<Gas>(gasOfHour(sql`${chainId}`));
  return rows[0] ?? { funded: 0, unfunded: 0 };
}
