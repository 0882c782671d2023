import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Transaction } from "../db/client.ts";
import { Refusal } from "./refusal.ts";

/** Limits of one account, so that no free account fills the disk. */
export const caps = {
  agents: 200,
  services: 1000,
  keys: 200,
  subscriptions: 500,
  quotesADay: 500,
  // Each is looked for at a host of a stranger.
  domainsADay: 30,
  // Each is told to many.
  openRequests: 50,
  requestsADay: 100,
  reviewsADay: 200,
  reportsADay: 20,
};

/**
 * Refuses one more of what an account has enough of. Requests of one account pass here one after the other, each until
 * its transaction ends: of two at once, not both are the last that fits.
 *
 * @throws Refusal `conflict`
 */
export async function requireFewer(
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
