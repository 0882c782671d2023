import { type SQL, sql } from "drizzle-orm";

/** What a host did not use it may use later, up to so many seconds' worth. */
export const hostBurst = 2;

/** The requests that a rate leaves room for now; below 0 where more was sent. */
export const readAllowance = (paidUntil: ReturnType<typeof sql>, perSecond: number | SQL, burst: number) =>
  sql`floor(${perSecond}::float8 * extract(epoch from
    now() - greatest(coalesce(${paidUntil}, '-infinity'), now() - make_interval(secs => ${burst}))))::int`;
