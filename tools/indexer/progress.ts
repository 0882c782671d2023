import { sql } from "drizzle-orm";
import { createPublicClient, http } from "viem";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";

/** Milliseconds for which Ponder may do nothing of what is to be done: once it has caught up, and before. */
export const usualPatience = { following: 12_000, catchingUp: 45_000 };
/** Milliseconds that an answer of a node may take, and one of Ponder's own server. */
const answerPatience = { node: 5000, page: 2000 };

/** A sample of an indexer's progress. */
export type Sight = {
  /** whether Ponder's server answers */
  answers: boolean;
  /** whether it has caught up once */
  isReady: boolean;
  /** what changes as the work goes on */
  position: string;
  /** whether it has all blocks that there are; null where the database or a node cannot be asked */
  isAtHead: boolean | null;
};

/**
 * Judges by repeated sights whether an indexer stands still. A database or a node that is away is not its fault: it goes
 * on by itself then.
 *
 * @returns takes a sight, and says whether the indexer is to be started anew
 */
export function createProgressWatch(
  { following, catchingUp } = usualPatience,
  now = () => performance.now(),
): (sight: Sight) => boolean {
  let moved = now();
  let before: string | undefined;
  // Before its server answers, the database says whether the run before had caught up.
  let hasCaughtUp = false;
  return ({ answers, isReady, position, isAtHead }) => {
    if (answers && (isAtHead !== false || position !== before)) moved = now();
    before = position;
    if (answers && isReady) hasCaughtUp = true;
    return now() - moved > (hasCaughtUp ? following : catchingUp);
  };
}

/**
 * @param schema the schema that Ponder writes
 * @returns what looks at the indexer of this machine
 */
export function createIndexerSight(config: Config, db: Database, schema: string): () => Promise<Sight> {
  const base = `http://127.0.0.1:${config.port}`;
  const nodes = config.chains.map(({ chain_id, rpc_url }) => ({
    id: chain_id,
    client: createPublicClient({ transport: http(rpc_url, { timeout: answerPatience.node, retryCount: 0 }) }),
  }));
  const readHeads = () =>
    Promise.all(
      nodes.map(async ({ id, client }) => ({ id, block: await client.getBlockNumber({ cacheTime: 0 }) })),
    );
  return async () => {
    const [page, index, heads] = await Promise.all([
      readPage(`${base}/health`),
      readIndex(db, schema).catch(() => null),
      readHeads().catch(() => null),
    ]);
    const isReady = index?.isReady ?? false;
    const blocks = index?.blocks ?? new Map<number, bigint>();
    return {
      answers: page !== null,
      isReady,
      position: isReady ? [...blocks].join() : await readWork(`${base}/metrics`),
      isAtHead:
        index && heads ? isReady && heads.every(({ id, block }) => (blocks.get(id) ?? -1n) >= block) : null,
    };
  };
}

type Index = { isReady: boolean; blocks: Map<number, bigint> };

/**
 * How far the index is. It has no blocks where its schema is not there yet.
 *
 * @param since the Unix time in milliseconds from which on a run of Ponder counts as ready
 */
export async function readIndex(db: Database, schema: string, since = 0): Promise<Index> {
  const of = sql.identifier(schema);
  const { rows: found } = await db.execute(
    sql`select where to_regclass(${`${schema}._ponder_checkpoint`}) is not null`,
  );
  if (found.length === 0) return { isReady: false, blocks: new Map() };
  const { rows } = await db.execute<{ id: number; block: string; ready: boolean }>(sql`
    select chain_id::int as id, substr(latest_checkpoint, 27, 16)::numeric as block,
      exists (
        select from ${of}._ponder_meta
        where (value ->> 'is_ready')::int = 1 and (value ->> 'heartbeat_at')::numeric >= ${since}
      ) as ready
    from ${of}._ponder_checkpoint order by chain_id`);
  return {
    isReady: rows.some(({ ready }) => ready),
    blocks: new Map(rows.map(({ id, block }) => [id, BigInt(block)])),
  };
}

/** Reads the work counters in Ponder's metrics. */
async function readWork(url: string): Promise<string> {
  const text = (await readPage(url)) ?? "";
  return text
    .split("\n")
    .filter((line) => /^ponder_(historical|indexing|sync|rpc_request)_/.test(line))
    .join("\n");
}

async function readPage(url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerPatience.page) });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}
