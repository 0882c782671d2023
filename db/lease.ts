import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { lease } from "./schema.ts";

/** The right to do what one process at a time does. It ends by itself unless it is renewed, which is done here. */
export type Lease = {
  name: string;
  /** greater than each earlier holder's */
  fence: bigint;
  /** aborted when it is over: taken by another, or not renewed in time */
  signal: AbortSignal;
  /** Gives it back, so that the next one need not wait for its end. */
  release(): Promise<void>;
};

type LeaseOptions = {
  /** who takes it, for people who look at the table */
  holder?: string;
  /** milliseconds for which it holds without being renewed */
  term?: number;
};

/** Milliseconds within which the next one takes over from one that died or hangs. */
const leaseTerm = 5000;
/** Milliseconds between two tries to give one back. */
const releaseEvery = 50;
/** Milliseconds for which a transaction that holds a fence may hear nothing from its process. */
const longestSilence = 5000;

const thisProcess = `${hostname()} ${process.pid}`;

/**
 * Takes a lease unless another holder has it. Only the database's clock counts, and it may jump: a lease that would end
 * later than any does, is one of before a jump.
 *
 * @returns null while another has it
 */
export async function takeLease(
  db: Database,
  name: string,
  { holder = thisProcess, term = leaseTerm }: LeaseOptions = {},
): Promise<Lease | null> {
  const asked = performance.now();
  const isHeld = sql`held.until between now() and now() + ${2 * term} * interval '1 millisecond'`;
  // Who finds it held neither writes nor locks anything.
  const { rows } = await db.execute<{ fence: string }>(sql`
    insert into ${lease} as held (name, holder, fence, until)
    select ${name}, ${holder}, 1, now() + ${term} * interval '1 millisecond'
    where not exists (select from ${lease} as held where held.name = ${name} and ${isHeld})
    on conflict (name) do update set holder = excluded.holder, fence = held.fence + 1, until = excluded.until
    where not (${isHeld})
    returning fence::text`);
  const [taken] = rows;
  return taken ? keepLease(db, { name, fence: BigInt(taken.fence) }, { asked, term }) : null;
}

/** Gives a lease back. Nothing happens if another holder has the lease. */
async function freeLease(db: Database, { name, fence }: Pick<Lease, "name" | "fence">): Promise<void> {
  await db.execute(sql`
    update ${lease} set until = '-infinity' where name = ${name} and fence = ${fence}`);
}

/**
 * As a condition of a statement that writes: the lease was not taken by another, and is not until this transaction ends. A
 * holder that was frozen and thaws writes nothing. One that is frozen within the transaction is cut, so that it keeps
 * nobody from the lease.
 */
export function isFenced({ name, fence }: Pick<Lease, "name" | "fence">): SQL {
  return sql`(
    select set_config('idle_in_transaction_session_timeout', ${`${longestSilence}`}, true) from ${lease}
    where name = ${name} and fence = ${fence} for share) is not null`;
}

/**
 * Renews a lease until it is over. Its time is counted from before the database was asked, by a clock that nobody sets: here
 * it always ends before it does in the database.
 */
function keepLease(
  db: Database,
  { name, fence }: Pick<Lease, "name" | "fence">,
  { asked, term }: { asked: number; term: number },
): Lease {
  const over = new AbortController();
  let renewal: NodeJS.Timeout | undefined;
  let ending: NodeJS.Timeout | undefined;
  let until = 0;
  let returned: Promise<void> | undefined;

  function end(): void {
    clearTimeout(renewal);
    clearTimeout(ending);
    over.abort();
  }

  function holdFrom(moment: number): void {
    clearTimeout(ending);
    until = moment + term;
    ending = setTimeout(end, Math.max(0, until - performance.now())).unref();
  }

  async function renew(): Promise<void> {
    const moment = performance.now();
    const kept = await db
      .execute(sql`
        update ${lease} set until = now() + ${term} * interval '1 millisecond'
        where name = ${name} and fence = ${fence} returning name`)
      .then(({ rows }) => rows.length > 0)
      .catch(() => null);
    if (over.signal.aborted) return;
    if (kept === false) return end();
    if (kept) holdFrom(moment);
    renewLater(kept ? term / 3 : term / 10);
  }

  function renewLater(after: number): void {
    renewal = setTimeout(renew, after).unref();
  }

  /** Whoever lost a connection with its work asks on others that are lost too. What does not arrive, the lease's time ends. */
  async function giveBack(): Promise<void> {
    do {
      const isGiven = await freeLease(db, { name, fence }).then(
        () => true,
        () => false,
      );
      if (isGiven) return;
      await sleep(releaseEvery);
    } while (performance.now() < until);
  }

  holdFrom(asked);
  renewLater(term / 3);
  return {
    name,
    fence,
    signal: over.signal,
    release: () => {
      end();
      returned ??= giveBack();
      return returned;
    },
  };
}
