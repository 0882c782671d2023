import type { PgTable } from "drizzle-orm/pg-core";
import type { Transaction } from "../db/client.ts";
import { type SQL, sql } from "../db/drizzle.ts";
import { Refusal } from "./refusal.ts";

/** The most rows of each kind for one account. Accounts are free, so without a cap one account could fill the disk. */
export const caps = {
  agents: 200,
  services: 1000,
  keys: 200,
  // Every list of wallets and every comparison of two parties reads all of an account.
  wallets: 50,
  subscriptions: 500,
  quotesADay: 500,
  // Each claim makes the service send requests to a host that the caller names.
  domainsADay: 30,
  // Each request appears in a public list.
  openRequests: 50,
  requestsADay: 100,
  reviewsADay: 200,
  reportsADay: 20,
  erasureRequestsADay: 10,
};

/**
 * Throws if an account has reached the cap of a kind. An advisory lock until the end of the transaction serialises
 * the requests of one account.
 *
 * @throws Refusal `conflict`
 */
export async function requireBelowCap(
  tx: Transaction,
  accountId: string,
  [table, whose]: [PgTable, SQL | undefined],
  most: number,
  what: string,
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${what} ${accountId}`}, 0))`);
  if ((await tx.$count(table, whose)) < most) return;
  throw new Refusal("conflict", `An account has at most ${most} ${what}.`);
}
