import { sql } from "drizzle-orm";
import { ConfigError } from "../config.ts";
import { openDatabase, statementSeconds } from "../db/client.ts";
import { chainAnchor, chainWatch } from "../db/schema.ts";

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
  const db = openDatabase(databaseUrl, { max: 1, statementSeconds: statementSeconds.migration });
  try {
    return await db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ schema: string }>(sql`
        select table_schema as schema from information_schema.tables
        where table_name = '_ponder_meta' and table_type = 'BASE TABLE' and table_schema like 'ponder\\_%'
        order by 1`);
      for (const { schema } of rows) {
        const meta = sql`${sql.identifier(schema)}._ponder_meta`;
        const { rows: locks } = await tx.execute(sql`
          select 1 from ${meta} where (value ->> 'is_locked')::int = 1
            and (value ->> 'heartbeat_at')::bigint > extract(epoch from now()) * 1000 - ${lockHeldFor}`);
        if (locks.length > 0) {
          throw new ConfigError(
            `An indexer runs on the schema ${schema}, or was killed less than ${lockHeldFor / 1000} seconds ago: stop it, and try again.`,
          );
        }
      }
      const dropped = [...rows.map(({ schema }) => schema), "ponder_sync"];
      for (const schema of dropped)
        await tx.execute(sql`drop schema if exists ${sql.identifier(schema)} cascade`);
      // What was final before is to be learnt anew.
      await tx.delete(chainAnchor);
      await tx.delete(chainWatch);
      return dropped;
    });
  } finally {
    await db.$client.end();
  }
}
