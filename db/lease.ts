import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "./client.ts";
import { type SQL, sql } from "./drizzle.ts";
import { lease } from "./schema.ts";

/** The right to work that one process does at a time. It expires unless `takeLease` renews it. */
export type Lease = {
  name: string;
  /** number that grows with each holder */
  fence: bigint;
  /** aborted when the lease ends: another holder took it, or it was not renewed in time */
  signal: AbortSignal;
  /** Frees the lease, so that the next holder need not wait for its end. */
  release(): Promise<void>;
};

type LeaseOptions = {
  /** name of the holder, for people who read the table */
  holder?: string;
  /** milliseconds until the lease ends without a renewal */
  term?: number;
};

/** Milliseconds until another process takes over from a holder that crashed or hangs. */
const leaseTerm = 5000;
/** Milliseconds between two attempts to free a lease. */
const releaseEvery = 50;
/** Milliseconds that a fenced transaction may be idle. */
const longestSilence = 5000;

const thisProcess = `${hostname()} ${process.pid}`;

/**
 * Takes a lease unless another holder has it. Only the database's clock counts. If that clock jumps back, a lease
 * seems to last longer than a term can, and counts as free.
 *
 * @returns null while another holder has the lease
 */
export async function takeLease(
  db: Database,
  name: string,
  { holder = thisProcess, term = leaseTerm }: LeaseOptions = {},
): Promise<Lease | null> {
  const requestedAt = performance.now();
  const isHeld = sql`held.until between now() and now() + ${2 * term} * interval '1 millisecond'`;
  // An attempt on a held lease writes and locks nothing.
  const { rows } = await db.execute<{ fence: string }>(sql`
    insert into ${lease} as held (name, holder, fence, until)
    select ${name}, ${holder}, 1, now() + ${term} * interval '1 millisecond'
    where not exists (select from ${lease} as held where held.name = ${name} and ${isHeld})
    on conflict (name) do update set holder = excluded.holder, fence = held.fence + 1, until = excluded.until
    where not (${isHeld})
    returning fence::text`);
  const [taken] = rows;
  return taken ? renewLease(db, { name, fence: BigInt(taken.fence) }, { requestedAt, term }) : null;
}

/** Frees a lease, unless another holder has it. */
async function freeLease(db: Database, { name, fence }: Pick<Lease, "name" | "fence">): Promise<void> {
  await db.execute(sql`
    update ${lease} set until = '-infinity' where name = ${name} and fence = ${fence}`);
}

/**
 * Returns a condition for writing statements: no other holder has taken the lease, nor can take it before this transaction
 * ends. A holder that was suspended therefore writes nothing. If a holder is suspended within the transaction, PostgreSQL
 * ends its connection, so that the lease becomes free.
 */
export function isFenced({ name, fence }: Pick<Lease, "name" | "fence">): SQL {
  return sql`(
    select set_config('idle_in_transaction_session_timeout', ${`${longestSilence}`}, true) from ${lease}
    where name = ${name} and fence = ${fence} for share) is not null`;
}

/**
 * Renews a lease until it ends. Its time counts from before the request to the database, by a monotonic clock, so the
 * lease ends here before it ends in the database.
 */
function renewLease(
  db: Database,
  { name, fence }: Pick<Lease, "name" | "fence">,
  { requestedAt, term }: { requestedAt: number; term: number },
): Lease {
  const ended = new AbortController();
  let renewal: NodeJS.Timeout | undefined;
  let expiry: NodeJS.Timeout | undefined;
  let until = 0;
  let released: Promise<void> | undefined;

  function end(): void {
    clearTimeout(renewal);
    clearTimeout(expiry);
    ended.abort();
  }

  function holdFrom(moment: number): void {
    clearTimeout(expiry);
    until = moment + term;
    expiry = setTimeout(end, Math.max(0, until - performance.now())).unref();
  }

  async function renew(): Promise<void> {
    const moment = performance.now();
    const isRenewed = await db
      .execute(sql`
        update ${lease} set until = now() + ${term} * interval '1 millisecond'
        where name = ${name} and fence = ${fence} returning name`)
      .then(({ rows }) => rows.length > 0)
      .catch(() => null);
    if (ended.signal.aborted) return;
    if (isRenewed === false) return end();
    if (isRenewed) holdFrom(moment);
    renewLater(isRenewed ? term / 3 : term / 10);
  }

  function renewLater(after: number): void {
    renewal = setTimeout(renew, after).unref();
  }

  /** Frees the lease, with retries: a lost connection may mean that others are lost too. Without success the lease expires. */
  async function freeWithRetries(): Promise<void> {
    do {
      const isFree = await freeLease(db, { name, fence }).then(
        () => true,
        () => false,
      );
      if (isFree) return;
      await sleep(releaseEvery);
    } while (performance.now() < until);
  }

  holdFrom(requestedAt);
  renewLater(term / 3);
  return {
    name,
    fence,
    signal: ended.signal,
    release: () => {
      end();
      released ??= freeWithRetries();
      return released;
    },
  };
}
