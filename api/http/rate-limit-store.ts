import { LRUCache } from "lru-cache";
import { preparedName } from "../../db/client.ts";
import { networkShare } from "../../trade/fair-shares/capacity-shares.ts";
import type { Context } from "../context.ts";

/** The default window of limits, in seconds. */
export const windowSeconds = 60;

/** A limit. The name of its bucket says what is counted, and whose. */
export type Limit = {
  bucket: string;
  perWindow: number;
  /** the seconds of the window */
  window?: number;
  /** the part that this request takes, capped at the whole limit; 1 by default */
  cost?: number;
};

/** The share of one kind of clients in a total limit: its part, the network of the client, and the client's own limit. */
export type Sharing = { kind: string; part: number; network: string | null; own: number };

/** The limits that a kind of clients has in a total: first that of the client's network, if known, then that of the kind. */
export function shareLimit<One extends Limit>(inAll: One, { kind, part, network, own }: Sharing): One[] {
  const perWindow = Math.ceil(inAll.perWindow * part);
  const all = { ...inAll, bucket: `${inAll.bucket} ${kind}`, perWindow };
  if (network === null) return [all];
  // One client alone cannot use up the limit of its network.
  const ofNetwork = networkShare(perWindow, 2 * own);
  return [{ ...all, bucket: `${all.bucket} ${network}`, perWindow: ofNetwork }, all];
}

/** The result of taking one request from a limit. */
export type LimitResult = {
  isAllowed: boolean;
  /** the number of further requests that would be allowed at once */
  remaining: number;
  /** seconds until the bucket is full */
  fullIn: number;
  /** seconds until the next request is allowed; 0 if it is allowed now */
  retryAfter: number;
};

/** Milliseconds to wait for the shared counter, and for which it is not tried again after a failure. */
const sharedTimeout = 1000;
const sharedPause = 5000;

/** The most buckets that this process remembers. */
const mostBuckets = 20_000;

/** Milliseconds within which a repeated request doubles the client's reservation. */
const quickMilliseconds = 1000;
/** The most that is reserved: a share of the limit, and a share of its remainder. */
const mostOfLimit = 1 / 20;
const mostOfRemainder = 1 / 4;

/** The state of a bucket in this process, in milliseconds of a monotonic clock. */
type BucketState = {
  /** the time at which the bucket is full again, counting only used requests */
  full: number;
  /** the same time in the shared counter; the difference is reserved, and is given out without a query */
  reserved: number;
  /** the number of requests that were last taken at once, and the time */
  count: number;
  takenAt: number;
};

/**
 * Counts requests of all replicas in PostgreSQL, by the generic cell rate algorithm. A bucket fills evenly, and its state is
 * one time: the moment at which it is full again.
 *
 * A fast client has a few requests reserved in this process, so that most of its requests need no query. Unused reservations
 * return as the bucket fills. So no client exceeds its limit. A client that alternates between replicas gets slightly less.
 *
 * Each process remembers the last state of a bucket. Other processes can only take from the bucket too, so a client whom
 * this state refuses is refused without a query. While the database does not answer, each process counts alone.
 */
export function createRateLimitStore({ db, log }: Pick<Context, "db" | "log">) {
  const states = new LRUCache<string, BucketState>({ max: mostBuckets });
  let retryAt = 0;

  return {
    /** Takes one request from each limit that has one left. If one is known to be used up, nothing is taken. */
    async take(limits: Limit[]): Promise<LimitResult[]> {
      const now = performance.now();
      const current = limits.map((limit) => peek(limit, now));
      if (current.some(({ isAllowed }) => !isAllowed)) return current;
      const taken = limits.map((limit) => takeReserved(limit, now));
      const requested = limits.filter((_, at) => !taken[at]);
      if (requested.length === 0) return taken as LimitResult[];
      const answers = await takeRemote(requested);
      return taken.map((item) => item ?? (answers.shift() as LimitResult));
    },
  };

  async function takeRemote(limits: Limit[]): Promise<LimitResult[]> {
    if (performance.now() < retryAt) return limits.map(takeLocally);
    try {
      return await within(sharedTimeout, takeShared(limits));
    } catch (error) {
      retryAt = performance.now() + sharedPause;
      log.error(
        { err: error, alert: "rate_limits_alone" },
        "shared rate limits unavailable: each process counts alone",
      );
      return limits.map(takeLocally);
    }
  }

  /** Takes requests with a reservation, and without one from limits whose remainder is too small for it. */
  async function takeShared(limits: Limit[]): Promise<LimitResult[]> {
    const now = performance.now();
    const counts = limits.map((limit) => countToTake(limit, now));
    const taken = await takeInDatabase(limits, counts);
    const short = limits.filter((_, at) => !taken[at]?.isAllowed && (counts[at] ?? 1) > 1);
    if (short.length === 0) return taken;
    const again = await takeInDatabase(
      short,
      short.map(() => 1),
    );
    return taken.map((item, at) => again[short.indexOf(limits[at] as Limit)] ?? item);
  }

  async function takeInDatabase(limits: Limit[], counts: number[]): Promise<LimitResult[]> {
    // A fixed order prevents deadlocks between requests.
    const requested = limits
      .map((limit, at) => ({ limit, count: counts[at] ?? 1 }))
      .sort((a, b) => (a.limit.bucket < b.limit.bucket ? -1 : 1));
    const { rows } = await db.$client.query<{ bucket: string; full_in: number; is_taken: boolean }>({
      name: preparedName(db, "take_rate_limit"),
      text: takeStatement,
      values: [
        requested.map(({ limit }) => limit.bucket),
        requested.map(({ limit, count }) => stepOf(limit) * count),
        requested.map(({ limit }) => windowOf(limit)),
      ],
    });
    const now = performance.now();
    return limits.map((limit, at) => {
      const { full_in = 0, is_taken = true } = rows.find(({ bucket }) => bucket === limit.bucket) ?? {};
      const count = counts[at] ?? 1;
      const reserved = now + full_in * 1000;
      const before = states.get(limit.bucket);
      // Concurrent requests may have reserved too.
      const unused = before ? Math.max(0, before.reserved - Math.max(before.full, now)) : 0;
      const reservedAhead = unused + (is_taken ? (count - 1) * stepOf(limit) * 1000 : 0);
      const full = Math.max(now, reserved - reservedAhead);
      states.set(limit.bucket, { full, reserved, count, takenAt: now });
      return describe(limit, (full - now) / 1000, is_taken);
    });
  }

  /** The number of requests to take at once: 1 for a client that sends few. */
  function countToTake(limit: Limit, now: number): number {
    const state = states.get(limit.bucket);
    if (!state || now - state.takenAt > quickMilliseconds) return 1;
    const left = (windowOf(limit) * 1000 - Math.max(0, state.full - now)) / (stepOf(limit) * 1000);
    const most = Math.min((limit.perWindow / (limit.cost ?? 1)) * mostOfLimit, left * mostOfRemainder);
    return Math.max(1, Math.floor(Math.min(state.count * 2, most)));
  }

  /** Takes one request from the reservation; null if the reservation is used up. */
  function takeReserved(limit: Limit, now: number): LimitResult | null {
    const state = states.get(limit.bucket);
    if (!state) return null;
    const full = Math.max(state.full, now) + stepOf(limit) * 1000;
    // Floating-point sums lose up to a microsecond.
    if (full > state.reserved + 0.001) return null;
    states.set(limit.bucket, { ...state, full });
    return describe(limit, (full - now) / 1000, true);
  }

  /** Says whether one more request would be allowed, without taking it. */
  function peek(limit: Limit, now: number): LimitResult {
    const fullIn = Math.max(0, (states.get(limit.bucket)?.full ?? 0) - now) / 1000;
    return describe(limit, fullIn, fullIn + stepOf(limit) <= windowOf(limit));
  }

  function takeLocally(limit: Limit): LimitResult {
    const now = performance.now();
    const full = Math.max(states.get(limit.bucket)?.full ?? 0, now) + stepOf(limit) * 1000;
    states.set(limit.bucket, { full, reserved: full, count: 1, takenAt: now });
    return describe(limit, (full - now) / 1000, true);
  }
}

/**
 * Parameters: $1 buckets, $2 the seconds after which each request is restored, $3 the windows. A bucket without enough
 * remainder is not changed, and its current state is returned.
 */
const takeStatement = `
  with asked as (
    select * from unnest($1::text[], $2::float8[], $3::float8[]) with ordinality as asked (bucket, step, span, place)
  ), taken as (
    insert into earnest.rate_limit as held (bucket, full_at)
    select bucket, now() + make_interval(secs => step) from asked order by place
    on conflict (bucket) do update set full_at = greatest(held.full_at, now()) + (excluded.full_at - now())
      where greatest(held.full_at, now()) + (excluded.full_at - now()) <= now() + make_interval(secs => (select span from asked where asked.bucket = excluded.bucket))
    returning bucket, full_at
  )
  select
    asked.bucket,
    taken.bucket is not null as is_taken,
    greatest(0, extract(epoch from coalesce(taken.full_at, standing.full_at, now()) - now()))::float8 as full_in
  from asked
  left join taken using (bucket)
  left join earnest.rate_limit as standing on standing.bucket = asked.bucket and taken.bucket is null`;

function windowOf({ window = windowSeconds }: Limit): number {
  return window;
}

function stepOf(limit: Limit): number {
  const { perWindow, cost = 1 } = limit;
  return (windowOf(limit) / perWindow) * Math.min(cost, perWindow);
}

function describe(limit: Limit, seconds: number, isAllowed: boolean): LimitResult {
  const step = stepOf(limit);
  // PostgreSQL counts in microseconds. This process's sums have a smaller error, which `Math.ceil` would make a second.
  const fullIn = Math.round(seconds * 1e6) / 1e6;
  return {
    isAllowed,
    // The small term absorbs the loss of rounding times to microseconds.
    remaining: Math.max(
      0,
      Math.floor(((windowOf(limit) - fullIn) / windowOf(limit)) * limit.perWindow + 0.001),
    ),
    fullIn,
    retryAfter: Math.max(0, fullIn + step - windowOf(limit)),
  };
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${milliseconds} ms.`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
