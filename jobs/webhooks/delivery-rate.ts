import { type SQL, sql } from "drizzle-orm";
import { usualDeliveries } from "../../config/limits.ts";
import type { Transaction } from "../../db/client.ts";

/** How much is sent, by all workers together. */
export type Pace = {
  /** deliveries a second to a host, whoever owns its endpoints */
  hostPerSecond: number;
  /** deliveries a second of an account, wherever its endpoints are */
  accountPerSecond: number;
  /** seconds from one try to the next of an endpoint, or a host, that never acknowledged anything */
  trialSeconds: number;
};

export const usualPace: Pace = { ...usualDeliveries, trialSeconds: 2 };

/** What an account did not use it may use later, up to so many seconds' worth. */
export const accountBurst = 5;
/** A try counts as so many deliveries of its account, which has one a second. */
export const trialCost = 20;
/** A host that others made known takes so many tries in the time in which any other takes one. */
export const knownTrials = 10;
/** The longer a receiver fails the rarer it is tried, up to so many times its first pause. */
const slowdowns = { endpoint: 30, host: 5 };

/** When the next try may be, of a receiver that has failed since a time. */
export const nextTrial = (of: keyof typeof slowdowns, { trialSeconds }: Pace) => sql`
  now() + make_interval(secs => least(${trialSeconds * slowdowns[of]}::float8, greatest(
    ${trialSeconds}::float8, extract(epoch from now() - coalesce(failing_since, now()))::float8 / 10)))`;

/** Lets nobody else claim until the transaction ends: two that saw the same allowance would both use it. */
export async function lockClaims(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('earnest.webhook_claim', 0))`);
}

/** Whether a delivery, `one`, is due, and nobody is sending it. */
export const isFree: SQL = sql`
  one.status = 'pending' and one.next_attempt_at <= now() and (one.leased_until is null or one.leased_until <= now())`;

/** Whether there is any such. */
export const hasDueDelivery: SQL = sql`exists (select from earnest.webhook_delivery one where ${isFree})`;
