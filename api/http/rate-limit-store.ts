import { LRUCache } from "lru-cache";
import { preparedName } from "../../db/client.ts";
import { networkShare } from "../../trade/totals/shares.ts";
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

/** A kind of clients in a limit of all: their part of the limit, the network of one client, and what one client has alone. */
export type Sharing = { kind: string; part: number; network: string | null; own: number };

/** The limits of one kind of clients in a limit of all: first that of the client's network, if known, then that of the kind. */
export function shareLimit<One extends Limit>(inAll: One, { kind, part, network, own }: Sharing): One[] {
  const perWindow = Math.ceil(inAll.perWindow * part);
  const all = { ...inAll, bucket: `${inAll.bucket} ${kind}`, perWindow };
  if (network === null) return [all];
  // One client alone never uses up the limit of its network.
  const ofNetwork = networkShare(perWindow, 2 * own);
  return [{ ...all, bucket: `${all.bucket} ${network}`, perWindow: ofNetwork }, all];
}

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

/** Whoever asks again within so many milliseconds is reserved twice as much the next time. */
const quick = 1000;
/** What is reserved at most: this share of a limit, and of what is left of it. */
const mostOfLimit = 1 / 20;
const mostOfRest = 1 / 4;

/** What this process knows of a bucket; times in milliseconds of this process, by a clock that nobody sets. */
type Known = {
  /** when it is full again, as far as is known */
  full: number;
  /** when it is by the shared count: what lies between was taken there ahead, and is given from here without asking */
  reserved: number;
  /** how many requests like the last were taken at once, and when */
  count: number;
  askedAt: number;
};

/**
 * Counts requests for all replicas, in PostgreSQL, by the generic cell rate algorithm: a bucket of so many requests that
 * fills up evenly, kept as the one time at which it is full again.
 *
 * A client that asks fast has a few requests taken ahead, so that most are let through without asking the database. What is
 * taken ahead and not used comes back as the bucket fills up: no client is let through more often than its limit says,
 * and one that asks several replicas by turns at most so much less often.
 *
 * What this process saw last of a bucket is remembered: others only take from it too, so whom that refuses is refused
 * without asking. While the database does not answer, each process counts by what it remembers.
 */
export function createRateLimitStore({ db, log }: Pick<Context, "db" | "log">) {
  const remembered = new LRUCache<string, Known>({ max: mostRemembered });
  let askAgainAt = 0;

  return {
    /** Takes one request from each of these that has one left. Where one is known to have none, nothing is taken. */
    async take(limits: Limit[]): Promise<Taken[]> {
      const now = performance.now();
      const known = limits.map((limit) => look(limit, now));
      if (known.some(({ allowed }) => !allowed)) return known;
      const taken = limits.map((limit) => takeReserved(limit, now));
      const asked = limits.filter((_, at) => !taken[at]);
      if (asked.length === 0) return taken as Taken[];
      const answers = await ask(asked);
      return taken.map((one) => one ?? (answers.shift() as Taken));
    },
  };

  async function ask(limits: Limit[]): Promise<Taken[]> {
    if (performance.now() < askAgainAt) return limits.map(takeHere);
    try {
      return await within(patience, takeShared(limits));
    } catch (error) {
      askAgainAt = performance.now() + rest;
      log.error({ err: error, alert: "rate_limits_alone" }, "requests are counted by each process alone");
      return limits.map(takeHere);
    }
  }

  /** With as many more as each client is likely to ask for; only the one where so many are not left. */
  async function takeShared(limits: Limit[]): Promise<Taken[]> {
    const now = performance.now();
    const counts = limits.map((limit) => countToTake(limit, now));
    const taken = await takeInDatabase(limits, counts);
    const short = limits.filter((_, at) => !taken[at]?.allowed && (counts[at] ?? 1) > 1);
    if (short.length === 0) return taken;
    const again = await takeInDatabase(
      short,
      short.map(() => 1),
    );
    return taken.map((one, at) => again[short.indexOf(limits[at] as Limit)] ?? one);
  }

  async function takeInDatabase(limits: Limit[], counts: number[]): Promise<Taken[]> {
    // Always in one order, so that two requests never wait for each other.
    const asked = limits
      .map((limit, at) => ({ limit, count: counts[at] ?? 1 }))
      .sort((a, b) => (a.limit.bucket < b.limit.bucket ? -1 : 1));
    const { rows } = await db.$client.query<{ bucket: string; full_in: number; taken: boolean }>({
      name: preparedName(db, "take_rate_limit"),
      text: takeStatement,
      values: [
        asked.map(({ limit }) => limit.bucket),
        asked.map(({ limit, count }) => stepOf(limit) * count),
        asked.map(({ limit }) => windowOf(limit)),
      ],
    });
    const now = performance.now();
    return limits.map((limit, at) => {
      const { full_in = 0, taken = true } = rows.find(({ bucket }) => bucket === limit.bucket) ?? {};
      const count = counts[at] ?? 1;
      const reserved = now + full_in * 1000;
      const before = remembered.get(limit.bucket);
      // Requests at the same time may have taken ahead too.
      const unused = before ? Math.max(0, before.reserved - Math.max(before.full, now)) : 0;
      const ahead = unused + (taken ? (count - 1) * stepOf(limit) * 1000 : 0);
      const full = Math.max(now, reserved - ahead);
      remembered.set(limit.bucket, { full, reserved, count, askedAt: now });
      return describe(limit, (full - now) / 1000, taken);
    });
  }

  /** How many requests like this one to take at once: one, of a client that does not ask often. */
  function countToTake(limit: Limit, now: number): number {
    const known = remembered.get(limit.bucket);
    if (!known || now - known.askedAt > quick) return 1;
    const left = (windowOf(limit) * 1000 - Math.max(0, known.full - now)) / (stepOf(limit) * 1000);
    const most = Math.min((limit.perWindow / (limit.cost ?? 1)) * mostOfLimit, left * mostOfRest);
    return Math.max(1, Math.floor(Math.min(known.count * 2, most)));
  }

  /** Takes one from what was taken ahead; null where that is used up. */
  function takeReserved(limit: Limit, now: number): Taken | null {
    const known = remembered.get(limit.bucket);
    if (!known) return null;
    const full = Math.max(known.full, now) + stepOf(limit) * 1000;
    // A microsecond is lost in adding up.
    if (full > known.reserved + 0.001) return null;
    remembered.set(limit.bucket, { ...known, full });
    return describe(limit, (full - now) / 1000, true);
  }

  /** Whether one more would be let through, without taking it. */
  function look(limit: Limit, now: number): Taken {
    const fullIn = Math.max(0, (remembered.get(limit.bucket)?.full ?? 0) - now) / 1000;
    return describe(limit, fullIn, fullIn + stepOf(limit) <= windowOf(limit));
  }

  function takeHere(limit: Limit): Taken {
    const now = performance.now();
    const full = Math.max(remembered.get(limit.bucket)?.full ?? 0, now) + stepOf(limit) * 1000;
    remembered.set(limit.bucket, { full, reserved: full, count: 1, askedAt: now });
    return describe(limit, (full - now) / 1000, true);
  }
}

/**
 * $1 buckets, $2 seconds that what is asked of each takes to come back, $3 their windows. A bucket that has none left is not
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

function describe(limit: Limit, seconds: number, allowed: boolean): Taken {
  const step = stepOf(limit);
  // PostgreSQL counts in microseconds. The sums of this process have an error far below one, which `Math.ceil` makes a second.
  const fullIn = Math.round(seconds * 1e6) / 1e6;
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
