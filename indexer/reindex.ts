import { type SQL, sql } from "drizzle-orm";
import { ConfigError } from "../config.ts";
import { selectIndex } from "../db/chain.ts";
import { type Database, openDatabase, statementSeconds, type Transaction } from "../db/client.ts";
import { chainAnchor, chainWatch, indexAudit } from "../db/schema.ts";
import { inTransaction } from "../db/transaction.ts";

/** Ponder counts a lock as held for this long after its last heartbeat. */
const lockHeldFor = 25_000;

/**
 * Drops all that the indexer ever wrote: its schemas with the views on them, and what it keeps of the nodes' answers.
 * The next start reads the chains anew. The ledger stays: an event that is recorded has the same key again.
 *
 * It is the way out when a chain has left blocks that were final for the indexer, which a mere restart keeps.
 *
 * @returns the schemas that were dropped
 * @throws ConfigError while an indexer runs, whose rows these are
 */
export async function dropIndex(databaseUrl: string): Promise<string[]> {
  return withDatabase(databaseUrl, (db) =>
    inTransaction(db, async (tx) => {
      const indexes = await findIndexes(tx);
      for (const schema of indexes) {
        if (await isLocked(tx, schema)) {
          throw new ConfigError(
            `An indexer runs on the schema ${schema}, or was killed less than ${lockHeldFor / 1000} seconds ago: stop it, and try again.`,
          );
        }
      }
      const dropped = [...indexes, "ponder_sync"];
      for (const schema of dropped)
        await tx.execute(sql`drop schema if exists ${sql.identifier(schema)} cascade`);
      // What was final before is to be learnt anew.
      await tx.delete(chainAnchor);
      await tx.delete(chainWatch);
      return dropped;
    }),
  );
}

/** What a retired index is called after its schema, until the views have left it. */
const retiredName = (schema: string) => `${schema}_left`;
/** Milliseconds between two looks whether the index is to begin anew. */
const lookEvery = 5000;

/** Whether the audit found that the index in a schema lacks events, and asked for a new one. */
const selectAsked = (schema: string): SQL<boolean> => sql`
  exists (
    select from ${indexAudit}
    where ${indexAudit.rebuildAskedAt} is not null
      and ${indexAudit.index} = to_regclass(${`${schema}.escrow_event`})::oid::text)`;

/**
 * Puts an index aside that lacks events, so that the next one is read anew from the chains. Until that one has caught up,
 * the views show the one put aside. It is called with the indexer's lease.
 *
 * @returns `shared` where an indexer of another version runs, which needs what both share: it stays as it is then
 */
export async function retireIndex(
  databaseUrl: string,
  schema: string,
): Promise<"retired" | "not asked" | "shared"> {
  return withDatabase(databaseUrl, (db) =>
    inTransaction(db, async (tx) => {
      const { rows } = await tx.execute<{ asked: boolean }>(
        sql`select to_regclass('earnest.index_audit') is not null and to_regclass(${`${schema}._ponder_meta`}) is not null as asked`,
      );
      if (!rows[0]?.asked) return "not asked";
      const { rows: found } = await tx.execute<{ asked: boolean }>(
        sql`select ${selectAsked(schema)} as asked`,
      );
      if (!found[0]?.asked) return "not asked";
      const others = (await findIndexes(tx)).filter((other) => other !== schema);
      for (const other of others) if (await isLocked(tx, other)) return "shared";
      const retired = retiredName(schema);
      await tx.execute(sql`drop schema if exists ${sql.identifier(retired)} cascade`);
      await tx.execute(sql`
        update ${sql.identifier(schema)}._ponder_meta set value = jsonb_set(value, '{is_locked}', to_jsonb(0))`);
      await tx.execute(sql`alter schema ${sql.identifier(schema)} rename to ${sql.identifier(retired)}`);
      await tx.execute(sql`drop schema if exists ponder_sync cascade`);
      return "retired";
    }),
  );
}

/**
 * Looks again and again whether the index is to begin anew, and drops the one put aside once the views have left it. What
 * fails is tried at the next look.
 *
 * @param db for the looks, as a connection for each would cost more than all else that the indexer does at rest
 * @param begin is told once, when the audit has asked
 */
export function watchForRebuild(
  { databaseUrl, db }: { databaseUrl: string; db: Database },
  schema: string,
  begin: () => void,
): void {
  const retired = retiredName(schema);
  const look = async () => {
    try {
      const { rows } = await db.execute<{ asked: boolean; left: boolean }>(sql`
        select ${selectAsked(schema)} as asked,
               to_regclass(${`${retired}.escrow_event`})::oid::text <> ${selectIndex()} as left`);
      if (rows[0]?.left)
        await withDatabase(databaseUrl, (own) =>
          own.execute(sql`drop schema ${sql.identifier(retired)} cascade`),
        );
      if (rows[0]?.asked) return begin();
    } catch {
      // At the next look.
    }
    setTimeout(look, lookEvery).unref();
  };
  setTimeout(look, lookEvery).unref();
}

async function withDatabase<Result>(
  databaseUrl: string,
  work: (db: ReturnType<typeof openDatabase>) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase(databaseUrl, { max: 1, statementSeconds: statementSeconds.migration });
  try {
    return await work(db);
  } finally {
    await db.$client.end();
  }
}

/** The schemas that hold an index. */
async function findIndexes(tx: Transaction): Promise<string[]> {
  const { rows } = await tx.execute<{ schema: string }>(sql`
    select table_schema as schema from information_schema.tables
    where table_name = '_ponder_meta' and table_type = 'BASE TABLE' and table_schema like 'ponder\\_%'
    order by 1`);
  return rows.map(({ schema }) => schema);
}

/** Whether an indexer runs on a schema, or was killed lately. */
async function isLocked(tx: Transaction, schema: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    select 1 from ${sql.identifier(schema)}._ponder_meta where (value ->> 'is_locked')::int = 1
      and (value ->> 'heartbeat_at')::bigint > extract(epoch from now()) * 1000 - ${lockHeldFor}`);
  return rows.length > 0;
}
