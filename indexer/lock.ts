import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** Milliseconds for which Ponder itself waits for the heartbeat of another indexer to grow old. */
const ponderWaits = 25_000;
const pause = 100;

type LockOptions = {
  databaseUrl: string;
  schema: string;
  /** milliseconds for which a lock that is taken, or a database out of reach, is asked again */
  patience?: number;
};

/** Thrown where the lock cannot be had. */
export class IndexerLockError extends Error {
  override name = "IndexerLockError";
}

/**
 * Takes the lock of one deployment's schema, which ends with this process, and takes away the lock in Ponder's own
 * table where its holder is dead: Ponder alone would wait until the holder's last heartbeat is 25 seconds old.
 *
 * A holder that lives is seen twice over: by this lock, and by the connections of its pools.
 *
 * @param lost is told when another indexer has taken the lock while our connection was cut
 * @throws IndexerLockError while another indexer lives, or the database is out of reach
 */
export async function takeIndexerLock(options: LockOptions, lost: () => void): Promise<void> {
  const client = await lockPatiently(options);
  await clearDeadLock(client, options.schema);
  keep(client, options, lost);
}

async function lockPatiently(options: LockOptions): Promise<pg.Client> {
  const { schema, patience = ponderWaits } = options;
  for (const begin = Date.now(); ; await sleep(pause)) {
    const found = await tryLock(options).catch((error: Error) => error);
    if (found instanceof pg.Client) return found;
    if (Date.now() - begin < patience) continue;
    throw new IndexerLockError(
      found === "taken"
        ? `Another indexer of this version works on the schema ${schema}: one is enough.`
        : `The database cannot be reached: ${found.message}`,
    );
  }
}

/** The connection that holds the lock, or "taken". */
async function tryLock({ databaseUrl, schema }: LockOptions): Promise<pg.Client | "taken"> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: `${schema}_lock`,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      "select pg_try_advisory_lock(hashtextextended('earnest indexer ' || $1, 0)) as locked",
      [schema],
    );
    if (rows[0]?.locked) return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  await client.end();
  return "taken";
}

async function clearDeadLock(client: pg.Client, schema: string): Promise<void> {
  const meta = `${pg.escapeIdentifier(schema)}._ponder_meta`;
  const { rows } = await client.query("select to_regclass($1) is not null as there", [meta]);
  if (!rows[0]?.there) return;
  // A server may take a moment to see that the connections of a killed process are gone.
  for (const begin = Date.now(); Date.now() - begin < ponderWaits; await sleep(pause)) {
    const { rows: living } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = any($1)`,
      [["internal", "user", "readonly"].map((pool) => `${schema}_${pool}`)],
    );
    if (living.length > 0) continue;
    await client.query(`update ${meta} set value = jsonb_set(value, '{is_locked}', to_jsonb(0))`);
    return;
  }
}

/** A lock whose connection is cut is taken again at once, unless somebody else was quicker. */
function keep(client: pg.Client, options: LockOptions, lost: () => void): void {
  client.once("end", async () => {
    for (;;) {
      const found = await tryLock(options).catch(() => null);
      if (found === "taken") return lost();
      if (found) return keep(found, options, lost);
      await sleep(pause);
    }
  });
}
