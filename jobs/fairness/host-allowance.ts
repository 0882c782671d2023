import { type SQL, sql } from "drizzle-orm";

/** What a host did not use it may use later, up to so many seconds' worth. */
export const hostBurst = 2;

/** How many requests a rate allows a second, and for how many seconds what was not used may be used later. */
type Rate = { perSecond: number; burst: number };

/** The requests that a rate leaves room for now; below 0 where more was sent. */
export const readAllowance = (busyUntil: SQL, { perSecond, burst }: Rate) => sql`
  floor(${perSecond}::float8 * extract(epoch from
    now() - greatest(coalesce(${busyUntil}, '-infinity'), now() - make_interval(secs => ${burst}::float8))))::int`;

/** Until when so many requests are paid for by whoever sent nothing before, and by whoever paid until a time already. */
export const payFor = (requests: SQL, { perSecond, burst }: Rate) => sql`
  now() - make_interval(secs => ${burst}::float8) + make_interval(secs => ${requests}::float8 / ${perSecond}::float8)`;
export const payOn = (busyUntil: SQL, { burst }: Rate) => sql`
  greatest(coalesce(${busyUntil}, '-infinity'), now() - make_interval(secs => ${burst}::float8))
    + (excluded.busy_until - (now() - make_interval(secs => ${burst}::float8)))`;
