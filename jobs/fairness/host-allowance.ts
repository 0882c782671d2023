import { type SQL, sql } from "../../db/drizzle.ts";

/** Seconds of unused allowance that a host may use later. */
export const hostBurst = 2;

/** The requests a second, and the seconds for which unused requests may be used later. */
type Rate = { perSecond: number; burst: number };

/** Returns SQL for the requests that a rate allows now; below 0 if more were sent. */
export const readAllowance = (busyUntil: SQL, { perSecond, burst }: Rate) => sql`
  floor(${perSecond}::float8 * extract(epoch from
    now() - greatest(coalesce(${busyUntil}, '-infinity'), now() - make_interval(secs => ${burst}::float8))))::int`;

/**
 * Returns SQL for the time until which the requests use up the allowance: for a first use, and after earlier requests.
 */
export const payFor = (requests: SQL, { perSecond, burst }: Rate) => sql`
  now() - make_interval(secs => ${burst}::float8) + make_interval(secs => ${requests}::float8 / ${perSecond}::float8)`;
export const payOn = (busyUntil: SQL, { burst }: Rate) => sql`
  greatest(coalesce(${busyUntil}, '-infinity'), now() - make_interval(secs => ${burst}::float8))
    + (excluded.busy_until - (now() - make_interval(secs => ${burst}::float8)))`;
