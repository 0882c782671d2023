import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Logger } from "pino";
import { ConfigError } from "../config.ts";
import { type Database, openDatabase } from "../db/client.ts";
import { type Fenced, poolsOf } from "../db/indexer-connection.ts";
import { freeLease, type Lease, takeLease } from "../db/lease.ts";
import { isMigrated } from "../db/migrate.ts";

/** Milliseconds for which the indexer at work may be silent. */
const term = 6000;
/** Milliseconds between two looks of one that waits. */
const pause = 500;
/** Milliseconds for a database out of reach, and for connections that do not end. */
const patience = 25_000;

/** Thrown where the lease cannot be had. */
export class IndexerLeaseError extends Error {
  override name = "IndexerLeaseError";
}

let held: Fenced | undefined;

/** Under which lease this process indexes; undefined in a program that does not. */
export function heldLease(): Fenced | undefined {
  return held;
}

/**
 * Waits until no other indexer works on a schema, and takes its place: all connections of the one before are cut, and it
 * gets no new ones (`IndexerConnection`). Whether that one died, hangs, or cannot reach the database makes no difference
 * then: it writes nothing any more.
 *
 * One that died is seen by its connections, at once; another by its lease.
 *
 * @param log is told once that this one waits
 * @returns the lease, which goes on until another indexer has taken it and ends with this process, and the connection that
 *   renews it, for what is asked as rarely
 * @throws IndexerLeaseError while the database is out of reach
 */
export async function takeIndexerLease(
  databaseUrl: string,
  { schema, log }: { schema: string; log: Logger },
): Promise<Lease & { db: Database }> {
  const session = randomBytes(8).toString("hex");
  const db = openDatabase(databaseUrl, {
    max: 1,
    applicationName: `${schema}_lease_${session}`,
    statementSeconds: term / 1000,
    answerSeconds: term / 1000,
  });
  const lease = await takePatiently(db, { schema, log, holder: `${hostname()} ${process.pid} ${session}` });
  await cutPredecessor(db, schema);
  held = { ...lease, schema };
  return { ...lease, db };
}

type Taking = { schema: string; log: Logger; holder: string };

async function takePatiently(db: Database, { schema, log, holder }: Taking): Promise<Lease> {
  const name = `indexer ${schema}`;
  let waits = false;
  for (let reached = performance.now(); ; await sleep(pause)) {
    try {
      const lease =
        (await takeLease(db, name, { holder, term, untilTaken: true })) ??
        ((await freeDead(db, { schema, name }))
          ? await takeLease(db, name, { holder, term, untilTaken: true })
          : null);
      if (lease) return lease;
      reached = performance.now();
    } catch (error) {
      if (!(await isMigrated(db).catch(() => true)))
        throw new ConfigError(
          "The database is not up to date with this program: run `npm run migrate` first.",
        );
      if (performance.now() - reached < patience) continue;
      const { message } = error as Error;
      throw new IndexerLeaseError(`The database cannot be reached: ${message}`, { cause: error });
    }
    if (!waits)
      log.info({ schema }, "another indexer of this version is at work: this one waits for its end");
    waits = true;
  }
}

/** Frees the lease of an indexer of which no connection is left. */
async function freeDead(db: Database, { schema, name }: { schema: string; name: string }): Promise<boolean> {
  const { rows } = await db.execute<{ fence: string }>(sql`
    select fence::text from earnest.lease
    where name = ${name} and not exists (
      select from pg_stat_activity
      where datname = current_database()
        and application_name = any(${sql.param([...poolsOf(schema)])}::text[] || (${schema} || '_lease_' || right(holder, 16))))`);
  if (!rows[0]) return false;
  await freeLease(db, { name, fence: BigInt(rows[0].fence) });
  return true;
}

/**
 * Cuts the connections of whoever had the lease before, and waits until the server has ended them. Then Ponder's own lock,
 * which would last until its last heartbeat is 25 seconds old, is taken away.
 */
async function cutPredecessor(db: Database, schema: string): Promise<void> {
  for (const begun = performance.now(); ; await sleep(50)) {
    const { rows } = await db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = any(${sql.param([...poolsOf(schema)])}::text[])`);
    if (rows.length === 0) break;
    if (performance.now() - begun > patience)
      throw new IndexerLeaseError(
        `The connections of the indexer before, on the schema ${schema}, do not end.`,
      );
  }
  const meta = sql`${sql.identifier(schema)}._ponder_meta`;
  const { rows } = await db.execute(sql`select where to_regclass(${`${schema}._ponder_meta`}) is not null`);
  if (rows.length > 0)
    await db.execute(sql`update ${meta} set value = jsonb_set(value, '{is_locked}', to_jsonb(0))`);
}
