import { ConfigError } from "../../config/config.ts";
import { selectIndex } from "../../db/chain-index.ts";
import { type Database, openDatabase, statementSeconds, type Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { chainAnchor, chainWatch, indexAudit } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";

/** Ponder counts a lock as held for this long after its last heartbeat. */
const lockHeldFor = 25_000;

/**
 * Drops everything that the indexer wrote: its schemas with the views on them, and its cache of the nodes' responses.
 * The next start indexes the chains again. The ledger stays, because an event has the same key in the new index.
 *
 * Use it after a chain has reverted blocks that the indexer treats as final. A restart keeps such blocks.
 *
 * @returns the dropped schemas
 * @throws ConfigError while an indexer runs
 */
export async function dropIndex(databaseUrl: string): Promise<string[]> {
  const db = openDatabase(databaseUrl, { max: 1, statementSeconds: statementSeconds.migration });
  try {
    return await inTransaction(db, async (tx) => {
      const indexes = await findIndexes(tx);
      for (const schema of indexes) {
        if (await isLocked(tx, schema)) {
          throw new ConfigError(
            `An indexer runs on the schema ${schema}, or was killed less than ${lockHeldFor / 1000} seconds ago: stop it, and try again.`,
          );
        }
      }
      const dropped = [...indexes, cacheSchema];
      for (const schema of dropped) await dropSchema(tx, schema);
      // The new index finds the final blocks itself.
      await tx.delete(chainAnchor);
      await tx.delete(chainWatch);
      return dropped;
    });
  } finally {
    await db.$client.end();
  }
}

/** The schema in which Ponder caches the nodes' responses, for all its schemas. */
const cacheSchema = "ponder_sync";

/**
 * Chooses the schema that a deployment indexes into: its newest schema. If the audit found missing events, the next schema is
 * chosen and the chains are read again. The views show the current schema until the next one has caught up.
 *
 * @param deployment the name of its first schema; later schemas have a number appended
 * @returns `isWaiting` if a new index is requested while another indexer runs, which needs the cached responses
 */
export async function chooseSchema(
  db: Database,
  deployment: string,
): Promise<{ schema: string; isNew: boolean; isWaiting: boolean }> {
  return inTransaction(db, async (tx) => {
    const indexes = await findIndexes(tx);
    const schema = ofDeployment(indexes, deployment).at(-1) ?? deployment;
    if (!(await isRebuildRequested(tx, schema))) return { schema, isNew: false, isWaiting: false };
    for (const index of indexes)
      if (await isLocked(tx, index)) return { schema, isNew: false, isWaiting: true };
    await dropSchema(tx, cacheSchema);
    return { schema: `${deployment}_${numberOf(schema, deployment) + 1}`, isNew: true, isWaiting: false };
  });
}

/** Whether the audit found that the index in a schema lacks events, and requested a new one. */
export async function isRebuildRequested(db: Database | Transaction, schema: string): Promise<boolean> {
  const { rows } = await db.execute<{ requested: boolean }>(sql`
    select exists (
      select from ${indexAudit}
      where ${indexAudit.rebuildRequestedAt} is not null
        and ${indexAudit.index} = to_regclass(${`${schema}.escrow_event`})::oid::text) as requested`);
  return rows[0]?.requested === true;
}

/** Drops the earlier schemas of a deployment, once no view reads them. */
export async function dropUnusedSchemas(db: Database, deployment: string, current: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const schema of ofDeployment(await findIndexes(tx), deployment)) {
      if (schema === current || (await isLocked(tx, schema))) continue;
      const { rows } = await tx.execute<{ left: boolean }>(
        sql`select to_regclass(${`${schema}.escrow_event`})::oid::text <> ${selectIndex()} as left`,
      );
      if (rows[0]?.left) await dropSchema(tx, schema);
    }
  });
}

/** The newest schema of a deployment. */
export async function findSchema(db: Database, deployment: string): Promise<string> {
  return ofDeployment(await findIndexes(db), deployment).at(-1) ?? deployment;
}

/** Selects the schemas that a deployment wrote, the newest last. */
function ofDeployment(schemas: readonly string[], deployment: string): string[] {
  return schemas
    .filter((schema) => schema === deployment || schema.startsWith(`${deployment}_`))
    .sort((a, b) => numberOf(a, deployment) - numberOf(b, deployment));
}

const numberOf = (schema: string, deployment: string) => Number(schema.slice(deployment.length + 1)) || 1;

async function dropSchema(tx: Transaction, schema: string): Promise<void> {
  await tx.execute(sql`drop schema if exists ${sql.identifier(schema)} cascade`);
}

/** The schemas that hold an index. */
async function findIndexes(tx: Database | Transaction): Promise<string[]> {
  const { rows } = await tx.execute<{ schema: string }>(sql`
    select table_schema as schema from information_schema.tables
    where table_name = '_ponder_meta' and table_type = 'BASE TABLE' and table_schema like 'ponder\\_%'
    order by 1`);
  return rows.map(({ schema }) => schema);
}

/** Whether an indexer runs on a schema, or was killed within the lifetime of its lock. */
async function isLocked(tx: Transaction, schema: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    select 1 from ${sql.identifier(schema)}._ponder_meta where (value ->> 'is_locked')::int = 1
      and (value ->> 'heartbeat_at')::bigint > extract(epoch from now()) * 1000 - ${lockHeldFor}`);
  return rows.length > 0;
}
