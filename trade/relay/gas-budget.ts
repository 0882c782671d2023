import { sql } from "drizzle-orm";
import pg from "pg";
import { z } from "zod";
import type { Database, Transaction } from "../../db/client.ts";
import { networkShare, sharesOf } from "../totals/shares.ts";

/** How much gas an account's relays may take within an hour, and those of all accounts together on the chain. */
export type RelayBudget = { gasPerHour: number; gasPerHourOfAll?: number | undefined };

/**
 * A budget that is used up for the hour: the account's, that of all accounts, that of unfunded orders, or the account's
 * network's share of the last.
 */
export type SpentBudget = "account" | "all" | "unfunded" | "network";

/** Thrown when an account, or all together, have used the gas of an hour: the transaction is rolled back, and nothing queued. */
export class BudgetSpentError extends Error {
  override name = "BudgetSpentError";
  /** whole seconds, from 1, until there may be room again */
  readonly retryAfter: number;
  readonly budget: SpentBudget;

  constructor(retryAfter: number, budget: SpentBudget) {
    const owner = budget === "account" ? "The account's" : "All accounts'";
    super(`${owner} gas of this hour is used up; there may be room in ${retryAfter} seconds.`);
    this.retryAfter = retryAfter;
    this.budget = budget;
  }
}

/** The time over which a budget counts, as in `earnest.lock_relay_gas`. */
export const budgetWindow = sql`interval '1 hour'`;

/** Gas that a call counts for which was refused before it was sent: trying it costs us as well. */
export const gasOfRefusal = 30_000;

/** Seconds after which a sent call counts with its gas used instead of its bound. */
const soon = 30;

/**
 * Refuses a call that was just queued in this transaction, if a budget has no room for it. Transactions of one account take
 * turns here until they end, so that two cannot both take the last gas. Only the commit should follow. Accounts do not wait
 * for each other, so a few simultaneous calls may exceed the budget of all accounts.
 *
 * @throws BudgetSpentError, and the transaction has failed
 */
export async function requireBudget(
  tx: Transaction,
  call: { chainId: number; accountId: string; gasBound: number; forFunded?: boolean },
  { gasPerHour, gasPerHourOfAll }: RelayBudget,
): Promise<void> {
  const { chainId, accountId, forFunded = false } = call;
  const ofAll = gasPerHourOfAll ?? null;
  const { unfunded, network } =
    gasPerHourOfAll === undefined ? unlimited : shareGas(gasPerHourOfAll, gasPerHour);
  try {
    await tx.execute(sql`
      select earnest.require_relay_gas(${accountId}::text, ${chainId}::int, ${forFunded}::boolean,
        ${gasPerHour}::bigint, ${ofAll}::bigint, ${unfunded}::bigint, ${network}::bigint)`);
  } catch (error) {
    throw isSpent(error) ? readSpent(error.detail, call.gasBound, gasPerHour) : error;
  }
}

const unlimited = { unfunded: null, network: null };

/** The gas of calls for orders without money, and the part of it that one network has: at least what one account has. */
export function shareGas(gasPerHourOfAll: number, gasPerHour = 0): { unfunded: number; network: number } {
  const { ofKind: unfunded } = sharesOf(gasPerHourOfAll, false);
  return { unfunded, network: networkShare(unfunded, gasPerHour) };
}

type Gas = { funded: number; unfunded: number };

/** The SQL error of `earnest.require_relay_gas`. */
const spentCode = "EG001";
const spentDetail = z.object({
  budget: z.enum(["account", "all", "unfunded", "network"]),
  /** the account's gas of calls that ended, and in how many seconds there is room again */
  ended: z.number(),
  retry_after: z.number().nullable(),
});

function isSpent(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === spentCode;
}

function readSpent(detail: string | undefined, gasBound: number, gasPerHour: number): BudgetSpentError {
  const { budget, ended, retry_after } = spentDetail.parse(JSON.parse(detail ?? ""));
  if (budget !== "account") return new BudgetSpentError(60, budget);
  const whenFree = Math.max(1, Math.ceil(retry_after ?? 3600));
  return new BudgetSpentError(ended + gasBound > gasPerHour ? whenFree : Math.min(soon, whenFree), budget);
}

/** The gas of what accounts asked for on a chain within the last hour, for orders that were funded and for others. */
export async function readGasOfHour(db: Database | Transaction, chainId: number): Promise<Gas> {
  const { rows } = await db.execute<Gas>(sql`select * from earnest.relay_gas_of_hour(${chainId}::int)`);
  return rows[0] ?? { funded: 0, unfunded: 0 };
}
