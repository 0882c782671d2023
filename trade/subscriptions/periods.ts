/** The intervals at which a subscription places an order. */
export const billingIntervals = ["day", "week", "month", "year"] as const;
export type BillingInterval = (typeof billingIntervals)[number];

const day = 86_400_000;

/**
 * Returns the start of a subscription's period in UTC. Months and years count from the first start: a subscription of
 * the 31st renews on the last day of a short month.
 *
 * @param period from 0
 */
export function periodStart(startedAt: Date, interval: BillingInterval, period: number): Date {
  if (interval === "day" || interval === "week") {
    return new Date(startedAt.getTime() + period * (interval === "day" ? day : 7 * day));
  }
  const months = period * (interval === "month" ? 1 : 12);
  const start = new Date(startedAt);
  start.setUTCDate(1);
  start.setUTCMonth(start.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0)).getUTCDate();
  start.setUTCDate(Math.min(startedAt.getUTCDate(), lastDay));
  return start;
}

/** Returns the start of the first period after a time. Missed periods are skipped. */
export function nextPeriod(startedAt: Date, interval: BillingInterval, after: Date): Date {
  const shortest = { day, week: 7 * day, month: 28 * day, year: 365 * day }[interval];
  const elapsed = Math.max(0, after.getTime() - startedAt.getTime());
  // A lower bound of the number of periods, from the longest possible year and month.
  const longest = { day, week: 7 * day, month: 31 * day, year: 366 * day }[interval];
  for (let period = Math.floor(elapsed / longest); period <= Math.ceil(elapsed / shortest) + 1; period += 1) {
    const start = periodStart(startedAt, interval, period);
    if (start > after) return start;
  }
  throw new Error("No period begins after this time.");
}
