import type { Logger } from "pino";
import { BlockNotFoundError, type Hash, type PublicClient } from "viem";
import type { Chain, Config } from "../../config/config.ts";
import { escrowEvent, readIndexedBlocks } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { and, desc, eq, lt, lte, type SQL, sql } from "../../db/drizzle.ts";
import { chainAnchor, chainWatch } from "../../db/schema.ts";
import { clientOf } from "../chain-client.ts";
import { actOnEach } from "../loop.ts";

/** Blocks by which the index may lag behind the chain's head. */
const mostBehind = 100n;
/** How long the index may make no progress while the chain grows. */
const mostStill = sql`interval '60 seconds'`;
/** Milliseconds between two log lines about one fault. */
const logEvery = 60_000;

type IndexState = { state: "ok" } | { state: "behind" | "off_chain"; reason: string };

export type WatchOptions = {
  log?: Logger;
  /** the time (ms) of the last log line of each chain; the caller keeps it between rounds */
  loggedAt?: Map<number, number>;
};

/**
 * Checks whether each chain's index follows the chain, and stores the result for `GET /chain/status` and the metrics.
 *
 * The indexer reverts only blocks that are not final for it. If a final block leaves the chain, the indexer stops.
 * After a restart it continues with rows of both chains. Only the stored hash of a final block reveals that.
 */
export async function watchIndex(
  db: Database,
  { chains }: Pick<Config, "chains">,
  { log, loggedAt = new Map() }: WatchOptions = {},
): Promise<void> {
  const positions = await readIndexedBlocks(db);
  await actOnEach(chains, async (chain) => {
    const position = positions.get(chain.chain_id);
    if (position) await watchChain(chain, position);
  });

  async function watchChain(chain: Chain, position: { block: bigint; finalized: bigint }): Promise<void> {
    const client = clientOf(chain);
    const head = await client.getBlockNumber();
    const { mismatch, storedBlock } = await findMismatch(db, client, chain, position.finalized);
    if (!mismatch && storedBlock !== position.finalized)
      await storeFinalBlock(db, client, chain, position.finalized);
    const blocks = { headBlock: head, indexedBlock: position.block };
    const written = await writePosition(db, chain, blocks);
    const state: IndexState = mismatch ? { state: "off_chain", reason: mismatch } : stateOf(blocks, written);
    await writeState(db, chain, state, written);
    if (state.state === "ok") {
      loggedAt.delete(chain.chain_id);
    } else if (Date.now() - (loggedAt.get(chain.chain_id) ?? 0) >= logEvery) {
      loggedAt.set(chain.chain_id, Date.now());
      const about = { alert: `index_${state.state}`, chain_id: chain.chain_id, reason: state.reason };
      if (state.state === "off_chain")
        log?.error(
          about,
          "the index has blocks that left the chain: stop the indexer and run `npm run indexer -- --reindex`",
        );
      else log?.warn(about, "the index is behind the chain");
    }
  }
}

/** Returns the SQL condition that a block is among a chain's newest, by the position of its index some seconds ago. */
export function isRecent(block: SQL, { chain_id }: Pick<Chain, "chain_id">, depth: bigint): SQL {
  return sql`${block} > (
    select ${chainWatch.indexedBlock} from ${chainWatch} where ${chainWatch.chainId} = ${chain_id}) - ${Number(depth)}`;
}

/**
 * Describes a block that is final for the index but not on the chain; null if there is none. Also returns the newest
 * stored block.
 */
async function findMismatch(
  db: Database,
  client: PublicClient,
  { chain_id }: Chain,
  finalized: bigint,
): Promise<{ mismatch: string | null; storedBlock: bigint | undefined }> {
  const [[storedBlock], [event]] = await Promise.all([
    db
      .select()
      .from(chainAnchor)
      .where(and(eq(chainAnchor.chainId, chain_id), lte(chainAnchor.blockNumber, finalized)))
      .orderBy(desc(chainAnchor.blockNumber))
      .limit(1),
    db
      .select({ blockNumber: escrowEvent.blockNumber, blockHash: escrowEvent.blockHash })
      .from(escrowEvent)
      .where(and(eq(escrowEvent.chainId, chain_id), lte(escrowEvent.blockNumber, finalized)))
      .orderBy(desc(escrowEvent.blockNumber))
      .limit(1),
  ]);
  for (const known of [storedBlock, event]) {
    if (!known) continue;
    const hash = await readHash(client, known.blockNumber);
    // A node without that block lags behind, or its chain has yet to grow.
    if (hash !== null && hash !== known.blockHash) {
      const mismatch = `Block ${known.blockNumber} was final for the index as ${known.blockHash}; the chain has ${hash} there.`;
      return { mismatch, storedBlock: storedBlock?.blockNumber };
    }
  }
  return { mismatch: null, storedBlock: storedBlock?.blockNumber };
}

/** Stores the newest final block. One is enough, because its hash covers all blocks before it. */
async function storeFinalBlock(
  db: Database,
  client: PublicClient,
  { chain_id }: Chain,
  blockNumber: bigint,
): Promise<void> {
  const ofChain = eq(chainAnchor.chainId, chain_id);
  const blockHash = await readHash(client, blockNumber);
  if (blockHash === null) return;
  await db.insert(chainAnchor).values({ chainId: chain_id, blockNumber, blockHash }).onConflictDoNothing();
  await db.delete(chainAnchor).where(and(ofChain, lt(chainAnchor.blockNumber, blockNumber)));
}

type Written = { state: string; reason: string | null; movedAt: Date; isStill: boolean };

/** Stores the positions of index and chain. Returns the stored state, and the time of the index's last progress. */
async function writePosition(
  db: Database,
  { chain_id }: Chain,
  position: { headBlock: bigint; indexedBlock: bigint },
): Promise<Written> {
  const values = { chainId: chain_id, indexState: "ok" as const, ...position };
  const [written] = await db
    .insert(chainWatch)
    .values(values)
    .onConflictDoUpdate({
      target: chainWatch.chainId,
      set: {
        ...position,
        checkedAt: sql`now()`,
        // An index at the chain's head needs no progress.
        movedAt: sql`case when ${chainWatch.indexedBlock} <> excluded.indexed_block
          or excluded.indexed_block >= excluded.head_block then now() else ${chainWatch.movedAt} end`,
      },
    })
    .returning({
      state: chainWatch.indexState,
      reason: chainWatch.reason,
      movedAt: chainWatch.movedAt,
      isStill: sql<boolean>`${chainWatch.movedAt} < now() - ${mostStill}`,
    });
  return written as Written;
}

function stateOf(
  { headBlock, indexedBlock }: { headBlock: bigint; indexedBlock: bigint },
  { isStill, movedAt }: Written,
): IndexState {
  const gap = headBlock - indexedBlock;
  if (gap > mostBehind)
    return {
      state: "behind",
      reason: `The index is at block ${indexedBlock} and the chain at ${headBlock}, ${gap} blocks ahead.`,
    };
  if (!isStill) return { state: "ok" };
  return {
    state: "behind",
    reason: `The index has been at block ${indexedBlock} since ${movedAt.toISOString()}, and the chain is at ${headBlock}.`,
  };
}

async function writeState(
  db: Database,
  { chain_id }: Chain,
  state: IndexState,
  written: Written,
): Promise<void> {
  const reason = state.state === "ok" ? null : state.reason;
  if (state.state === written.state && reason === written.reason) return;
  const since = state.state === written.state ? {} : { since: sql`now()` };
  await db
    .update(chainWatch)
    .set({ indexState: state.state, reason, ...since })
    .where(eq(chainWatch.chainId, chain_id));
}

async function readHash(client: PublicClient, blockNumber: bigint): Promise<Hash | null> {
  try {
    return (await client.getBlock({ blockNumber })).hash;
  } catch (error) {
    if (error instanceof BlockNotFoundError) return null;
    throw error;
  }
}
