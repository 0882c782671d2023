import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, isNull, lt, or, type SQL, sql } from "../../db/drizzle.ts";
import { logHead } from "../../db/schema.ts";

/** Seconds for which a worker holds the log without renewing the lease. */
const leaseSeconds = 10;
/** Seconds before its end at which a lease is renewed. */
const renewedBefore = 6;

/** The end of a lease that is taken or renewed now. */
export const leaseEnd = sql`now() + make_interval(secs => ${leaseSeconds})`;

/** The right to write: a worker, and its fencing number. */
export type LogLease = { holder: string; fence: number };

export type Head = NonNullable<Awaited<ReturnType<typeof readLogHead>>>;

/** Reads the log's row, with values that need the database's clock; undefined before the first start. */
export async function readLogHead(db: Database) {
  const [head] = await db
    .select({
      row: logHead,
      leaseLeft: sql<number | null>`extract(epoch from ${logHead.heldUntil} - now())::float`,
      waited: sql<number | null>`extract(epoch from now() - ${logHead.waitingSince})::float`,
    })
    .from(logHead);
  return head && { ...head.row, ...head };
}

/**
 * Takes the lease of the log, or renews it. Times are the database's alone. If a lease ends later than a new one would,
 * the database's clock was set back since, and the lease counts as ended.
 *
 * @param me.mine the lease that this worker held last
 * @returns null while another worker holds the log
 */
export async function holdLog(
  db: Database,
  { row, leaseLeft }: Pick<Head, "row" | "leaseLeft">,
  me: { holder: string; mine: LogLease | null; policy: string },
): Promise<LogLease | null> {
  const { holder, mine, policy } = me;
  const isMine = mine !== null && row.holder === holder && row.fence === mine.fence;
  const left = leaseLeft ?? 0;
  if (isMine && left > renewedBefore && left <= leaseSeconds) return mine;
  const heldUntil = leaseEnd;
  if (isMine) {
    const renewed = await writeHead(db, mine, { heldUntil });
    return renewed ? mine : null;
  }
  if (row.holder !== null && left > 0 && left <= leaseSeconds) return null;
  const [taken] = await db
    .update(logHead)
    .set({ holder, fence: sql`${logHead.fence} + 1`, heldUntil, policy })
    .where(
      or(isNull(logHead.holder), lt(logHead.heldUntil, sql`now()`), sql`${logHead.heldUntil} > ${leaseEnd}`),
    )
    .returning({ fence: logHead.fence });
  return taken ? { holder, fence: taken.fence } : null;
}

/** Releases the log for the next worker at once. */
export async function releaseLog(db: Database, lease: LogLease): Promise<void> {
  await writeHead(db, lease, { holder: null, heldUntil: null });
}

type HeadChange = { [K in keyof typeof logHead.$inferInsert]?: (typeof logHead.$inferInsert)[K] | SQL };

/** Changes the log's row, unless another worker has taken the log. Returns whether it was changed. */
export async function writeHead(
  db: Database | Transaction,
  { holder, fence }: LogLease,
  change: HeadChange,
  ...conditions: SQL[]
): Promise<boolean> {
  const changed = await db
    .update(logHead)
    .set(change)
    .where(and(eq(logHead.holder, holder), eq(logHead.fence, fence), ...conditions))
    .returning({ id: logHead.id });
  return changed.length > 0;
}

/** A checkpoint that this worker may show to others: the memory file has it. */
export type Known = { size: number; checkpoint: string };
