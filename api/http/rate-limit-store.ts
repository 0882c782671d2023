import type { Context } from "../context.ts";

/** The time over which limits count unless they say another, in seconds. */
export const windowSeconds = 60;

/** How much of whom: `bucket` names both. */
export type Limit = {
  bucket: string;
  perWindow: number;
  /** seconds over which it counts */
  window?: number;
  /** how much this request takes of it, never more than all of it; one unless given */
  cost?: number;
};

/** What came of asking for one more request. */
export type Taken = {
  allowed: boolean;
  /** how many more would be let through at once */
  remaining: number;
  /** seconds until all of them would */
  fullIn: number;
  /** seconds until one more is; 0 where one is now */
  retryAfter: number;
};

/** Milliseconds that a request waits for the shared count, and for how long it is left alone when it does not answer. */
const patience = 1000;
const rest = 5000;

/** Clients remembered in this process. */
const mostRemembered = 20_000;

/**
 * Counts requests for all replicas, in PostgreSQL, by the generic cell rate algorithm: a bucket of so many requests that
 * fills up evenly, kept as the one time at which it is full again.
 *
 * What this process saw last of a bucket is remembered: others only take from it too, so whom that refuses is refused
 * without asking. While the database does not answer, each process counts by what it remembers.
 */
export function createRateLimitStore({ db, log }: Pick<Context, "db" | "log">) {
  /** bucket -> when it is full, in milliseconds since 1970, as far as this process knows */
  const remembered = new Map<string, number>();
  let askAgainAt = 0;

  return {
    /** Takes one request from each of these that has one left. Where one is known to have none, nothing is taken. */
    async take(limits: Limit[]): Promise<Taken[]> {
      const known = limits.map((limit) => look(limit, Date.now()));
      if (known.some(({ allowed }) => !allowed)) return known;
      if (Date.now() < askAgainAt) return limits.map(takeHere);
      try {
        return await within(patience, takeShared(limits));
      } catch (error) {
        askAgainAt = Date.now() + rest;
        log.error({ err: error, alert: "rate_limits_alone" }, "requests are counted by each process alone");
        return limits.map(takeHere);
      }
    },
  };

  async function takeShared(limits: Limit[]): Promise<Taken[]> {
    // Always in one order, so that two requests never wait for each other.
    const sorted = [...limits].sort((a, b) => (a.bucket < b.bucket ? -1 : 1));
    const { rows } = await db.$client.query<{ bucket: string; full_in: number; taken: boolean }>({
      name: "take_rate_limit",
      text: takeStatement,
      values: [sorted.map(({ bucket }) => bucket), sorted.map(stepOf), sorted.map(windowOf)],
    });
    const now = Date.now();
    for (const { bucket, full_in } of rows) remember(bucket, now + full_in * 1000);
    return limits.map((limit) => {
      const row = rows.find(({ bucket }) => bucket === limit.bucket);
      return describe(limit, row?.full_in ?? 0, row?.taken ?? true);
    });
  }

  /** Whether one more would be let through, without taking it. */
  function look(limit: Limit, now: number): Taken {
    const fullIn = Math.max(0, (remembered.get(limit.bucket) ?? 0) - now) / 1000;
    return describe(limit, fullIn, fullIn + stepOf(limit) <= windowOf(limit));
  }

  function takeHere(limit: Limit): Taken {
    const now = Date.now();
    const full = Math.max(remembered.get(limit.bucket) ?? 0, now) + stepOf(limit) * 1000;
    remember(limit.bucket, full);
    return describe(limit, (full - now) / 1000, true);
  }

  function remember(bucket: string, full: number): void {
    remembered.delete(bucket);
    remembered.set(bucket, full);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= mostRemembered) break;
      remembered.delete(oldest);
    }
  }
}

/**
 * $1 buckets, $2 seconds that one request of each takes to come back, $3 their windows. A bucket that has none left is not
 * touched, and told as it stands.
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
    taken.bucket is not null as taken,
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

function describe(limit: Limit, fullIn: number, allowed: boolean): Taken {
  const step = stepOf(limit);
  return {
    allowed,
    // The half absorbs what is lost in rounding times to microseconds.
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
