import pg from "pg";
import { z } from "zod";
import type { Database, Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { networkShare, sharesOf } from "../fair-shares/capacity-shares.ts";

/** The most gas of an account's relays in an hour, and of all accounts' relays on the chain. */
export type RelayBudget = { gasPerHour: number; gasPerHourOfAll?: number | undefined };

/**
 * The used-up budget: of the account, of all accounts, of unfunded orders, or of the account's network for unfunded
 * orders.
 */
export type SpentBudget = "account" | "all" | "unfunded" | "network";

/** Thrown if a gas budget is used up. The transaction is rolled back, so nothing is queued. */
export class BudgetSpentError extends Error {
  override name = "BudgetSpentError";
  /** whole seconds, at least 1, until a retry may succeed */
  readonly retryAfter: number;
  readonly budget: SpentBudget;

  constructor(retryAfter: number, budget: SpentBudget) {
    const owner = budget === "account" ? "The account's" : "All accounts'";
    super(`${owner} gas budget of this hour is used up. Try again in ${retryAfter} seconds.`);
    this.retryAfter = retryAfter;
    this.budget = budget;
  }
}

/** The window of a budget, as in `earnest.lock_relay_gas`. */
export const budgetWindow = sql`interval '1 hour'`;

/** The gas that a refused call counts for: its simulation has a cost too. */
export const gasOfRefusal = 30_000;

/** Seconds after which a sent call counts with its used gas instead of its limit. */
const soon = 30;

/**
 * Refuses a call that this transaction has just queued, if a budget has no gas left. A lock serialises the
 * transactions of one account until they end, so only the commit should follow. Accounts do not wait for each other,
 * so simultaneous calls may slightly exceed the budget of all accounts.
 *
 * @throws BudgetSpentError, with the transaction aborted
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

/** Returns the gas budget of unfunded orders, and the part of it for one network, at least one account's budget. */
export function shareGas(gasPerHourOfAll: number, gasPerHour = 0): { unfunded: number; network: number } {
  const { ofKind: unfunded } = sharesOf(gasPerHourOfAll, false);
  return { unfunded, network: networkShare(unfunded, gasPerHour) };
}

type Gas = { funded: number; unfunded: number };

/** The SQL error of `earnest.require_relay_gas`. */
const spentCode = "EG001";
const spentDetail = z.object({
  budget: z.enum(["account", "all", "unfunded", "network"]),
  /** the account's gas of finished calls, and the seconds until a retry may succeed */
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

/** Reads the gas of accounts' relays on a chain in the last hour, for funded and for unfunded orders. */
export async function readGasOfHour(db: Database | Transaction, chainId: number): Promise<Gas> {
  const { rows } = await db.execute<Gas>(sql`select * from earnest.relay_gas_of_hour(${chainId}::int)`);
  return rows[0] ?? { funded: 0, unfunded: 0 };
}
