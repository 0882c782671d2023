import { usualDeliveries } from "../../config/limits.ts";
import type { Transaction } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";

/** The rate of deliveries, by all workers together. */
export type Pace = {
  /** deliveries a second to a host, of all accounts together */
  hostPerSecond: number;
  /** deliveries a second of an account, to all hosts together */
  accountPerSecond: number;
  /** seconds between two attempts at an endpoint, or a host, that never acknowledged a delivery */
  trialSeconds: number;
};

export const usualPace: Pace = { ...usualDeliveries, trialSeconds: 2 };

/** Seconds of unused allowance that an account may use later. */
export const accountBurst = 5;
/** The deliveries of its account that a trial counts as; a trial has one a second. */
export const trialCost = 20;
/** Trials at a proven host in the time in which any other host gets one. */
export const provenTrials = 10;

/** Locks all leases until the transaction ends: two concurrent leases could use the same allowance. */
export async function lockLeases(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('earnest.webhook_lease', 0))`);
}

/** The condition that a delivery, `one`, is due and not being sent. */
export const isFree: SQL = sql`
  one.status = 'pending' and one.next_attempt_at <= now() and (one.leased_until is null or one.leased_until <= now())`;

/** Whether a delivery is due. */
export const hasDueDelivery: SQL = sql`exists (select from earnest.webhook_delivery one where ${isFree})`;
