import { createPublicClient, http } from "viem";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import type { ChainProgress, ProgressSample } from "./stall.ts";

/** Milliseconds to wait for an answer of a node, and of Ponder's own server. */
const answerTimeoutMs = { node: 5000, page: 2000 };

/**
 * @param schema the schema that Ponder writes
 * @returns a function that samples the progress of this machine's indexer
 */
export function createProgressSampler(
  config: Config,
  db: Database,
  schema: string,
): () => Promise<ProgressSample> {
  const base = `http://127.0.0.1:${config.port}`;
  const nodes = config.chains.map(({ chain_id, rpc_url }) => ({
    id: chain_id,
    client: createPublicClient({
      transport: http(rpc_url, { timeout: answerTimeoutMs.node, retryCount: 0 }),
    }),
  }));
  const readHeads = () =>
    Promise.all(
      nodes.map(async ({ id, client }) => ({
        id,
        head: await client.getBlockNumber({ cacheTime: 0 }).catch(() => null),
      })),
    );
  return async () => {
    const [page, index, heads] = await Promise.all([
      readPage(`${base}/health`),
      readIndex(db, schema).catch(() => null),
      readHeads(),
    ]);
    const isReady = index?.isReady ?? false;
    // Before Ponder has caught up, its counters are of all chains.
    const work = isReady ? "" : await readWork(`${base}/metrics`);
    const chains = heads.map(({ id, head }): [number, ChainProgress] => {
      const block = index?.blocks.get(id) ?? -1n;
      return [
        id,
        {
          position: isReady ? String(block) : work,
          isAtHead: index && head !== null ? isReady && block >= head : null,
        },
      ];
    });
    return { answers: page !== null, isReady, chains: new Map(chains) };
  };
}

type Index = { isReady: boolean; blocks: Map<number, bigint> };

/**
 * Reads the newest indexed block of each chain. There are none before Ponder has made the schema.
 *
 * @param since Unix time in milliseconds. Runs of Ponder that sent their last heartbeat earlier do not count as ready
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
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs.page) });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}
