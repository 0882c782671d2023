import { viewsSchema } from "../db/chain-index.ts";
import { sql } from "../db/drizzle.ts";
import { readAnchorAge } from "../db/log-anchors.ts";
import { readIncompleteIndexes } from "./chain/watched-chains.ts";
import type { Context } from "./context.ts";
import { shareReads } from "./http/shared-reads.ts";
import { readLogState } from "./tlog/log-state.ts";

/** Milliseconds for which an answer is cached. These pages have no rate limit. */
const cacheMilliseconds = 500;

const views = sql.identifier(viewsSchema);

/**
 * Makes the pages that load balancers request:
 *
 * - `/health`: the process runs.
 * - `/ready`: the chains have been indexed. A process that shuts down is not ready. A process with a late index is ready:
 *   reads and orders need no newer block. Jobs that need one wait.
 * - `/status`: the newest indexed block of each chain, the age of the log, and its newest anchor.
 *
 * Requests for these pages are neither logged nor counted.
 */
export function createHealthPages(
  { db, config: { defaultChain } }: Context,
  shutdown: AbortSignal,
): Map<string, () => Response | Promise<Response>> {
  const isReady = shareReads(async () => {
    // Ponder makes the views when the backfill is done. They stay when an indexer restarts.
    const { rows } = await db.execute<{ is_ready: boolean }>(
      sql`select exists (select from ${views}._ponder_checkpoint) as is_ready`,
    );
    return rows[0]?.is_ready === true;
  }, cacheMilliseconds);
  const readBlocks = shareReads(async () => {
    type Row = { name: string; id: number; number: number; timestamp: number };
    const { rows } = await db.execute<Row>(sql`
      select chain_name as name, chain_id::int as id, substr(latest_checkpoint, 27, 16)::int as number,
        substr(latest_checkpoint, 1, 10)::int as timestamp
      from ${views}._ponder_checkpoint order by chain_id`);
    const lacking = await readIncompleteIndexes(db);
    return {
      ...Object.fromEntries(
        rows.map(({ name, id, ...block }) => [
          name,
          { id, block, incomplete: lacking.some(({ chainId }) => chainId === id) },
        ]),
      ),
      log: await readLog(),
    };
  }, cacheMilliseconds);
  async function readLog() {
    const contract = defaultChain?.anchors?.contract;
    const [state, anchor] = await Promise.all([
      readLogState(db),
      contract ? readAnchorAge(db, { chainId: defaultChain.chain_id, contract }) : null,
    ]);
    if (!state) return null;
    const { size, age_seconds, halted } = state;
    return {
      entries: size,
      age_seconds,
      halted,
      anchor: anchor && { entries: anchor.entries, age_seconds: anchor.seconds },
    };
  }
  // A new response for each request: the server adds a length to its headers.
  const answer = (status: number, body: string, type = "text/plain; charset=utf-8") =>
    new Response(body, {
      status,
      headers: { "Content-Type": type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
    });
  const unknown = () => answer(503, "The index of the chain cannot be read now. Try again.");
  return new Map<string, () => Response | Promise<Response>>([
    ["/health", () => answer(200, "")],
    [
      "/ready",
      async () => {
        if (shutdown.aborted) return answer(503, "This process is shutting down.");
        const ready = await isReady().catch(() => false);
        return ready ? answer(200, "") : unknown();
      },
    ],
    [
      "/status",
      async () => {
        const blocks = await readBlocks().catch(() => null);
        return blocks ? answer(200, JSON.stringify(blocks), "application/json") : unknown();
      },
    ],
  ]);
}
