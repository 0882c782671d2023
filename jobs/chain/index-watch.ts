import { and, desc, eq, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { BlockNotFoundError, type Hash, type PublicClient } from "viem";
import type { Chain, Config } from "../../config/config.ts";
import { escrowEvent, readIndexedBlocks } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { chainAnchor, chainWatch } from "../../db/schema.ts";
import { clientOf } from "../chain-client.ts";
import { actOnEach } from "../loop.ts";

/** Blocks by which the index may be behind the chain's head. */
const mostBehind = 100n;
/** How long it may stand still while the chain goes on. */
const mostStill = sql`interval '60 seconds'`;
/** Milliseconds between two lines of the log about the same. */
const logEvery = 60_000;

type Found = { state: "ok" } | { state: "behind" | "off_chain"; reason: string };

export type WatchOptions = {
  log?: Logger;
  /** by chain, when (ms) the log last had a line of it; kept by the caller from round to round */
  loggedAt?: Map<number, number>;
};

/**
 * Looks whether the index of each chain still follows the chain, and writes it down for `GET /chain/status` and the
 * metrics.
 *
 * The indexer takes back only blocks that it does not hold for final. Where the chain leaves a final one, it stops, and
 * after a restart goes on with rows of both chains: only the hash of a final block, remembered from when it became
 * final, tells it.
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
    const { left, anchored } = await findLeftBlock(db, client, chain, position.finalized);
    if (!left && anchored !== position.finalized) await anchor(db, client, chain, position.finalized);
    const stands = { headBlock: head, indexedBlock: position.block };
    const written = await writePosition(db, chain, stands);
    const found: Found = left ? { state: "off_chain", reason: left } : measure(stands, written);
    await writeState(db, chain, found, written);
    if (found.state === "ok") {
      loggedAt.delete(chain.chain_id);
    } else if (Date.now() - (loggedAt.get(chain.chain_id) ?? 0) >= logEvery) {
      loggedAt.set(chain.chain_id, Date.now());
      const about = { alert: `index_${found.state}`, chain_id: chain.chain_id, reason: found.reason };
      if (found.state === "off_chain")
        log?.error(
          about,
          "the index holds blocks that the chain has left: stop it and `npm run indexer -- --reindex`",
        );
      else log?.warn(about, "the index is behind the chain");
    }
  }
}

/** As a value of SQL: whether a block is among the newest of a chain, by where its index was some seconds ago. */
export function isRecent(block: SQL, { chain_id }: Pick<Chain, "chain_id">, depth: bigint): SQL {
  return sql`${block} > (
    select ${chainWatch.indexedBlock} from ${chainWatch} where ${chainWatch.chainId} = ${chain_id}) - ${Number(depth)}`;
}

/** Says which block is final for the index and not the chain's any more, null where there is none; and the newest remembered. */
async function findLeftBlock(
  db: Database,
  client: PublicClient,
  { chain_id }: Chain,
  finalized: bigint,
): Promise<{ left: string | null; anchored: bigint | undefined }> {
  const [[anchored], [event]] = await Promise.all([
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
  for (const known of [anchored, event]) {
    if (!known) continue;
    const hash = await readHash(client, known.blockNumber);
    // A node that has no such block lags behind, or its chain has yet to grow.
    if (hash !== null && hash !== known.blockHash) {
      const left = `Block ${known.blockNumber} was final for the index as ${known.blockHash}; the chain has ${hash} there.`;
      return { left, anchored: anchored?.blockNumber };
    }
  }
  return { left: null, anchored: anchored?.blockNumber };
}

/** Remembers the newest final block. One is enough: its hash stands for all before it. */
async function anchor(
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

/** Writes down where index and chain stand. Returns what is written of the index's state, and since when it stands still. */
async function writePosition(
  db: Database,
  { chain_id }: Chain,
  stands: { headBlock: bigint; indexedBlock: bigint },
): Promise<Written> {
  const values = { chainId: chain_id, indexState: "ok" as const, ...stands };
  const [written] = await db
    .insert(chainWatch)
    .values(values)
    .onConflictDoUpdate({
      target: chainWatch.chainId,
      set: {
        ...stands,
        checkedAt: sql`now()`,
        // An index that has all there is does not stand still.
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

function measure(
  { headBlock, indexedBlock }: { headBlock: bigint; indexedBlock: bigint },
  { isStill, movedAt }: Written,
): Found {
  const gap = headBlock - indexedBlock;
  if (gap > mostBehind)
    return {
      state: "behind",
      reason: `The index is at block ${indexedBlock} and the chain at ${headBlock}, ${gap} further.`,
    };
  if (!isStill) return { state: "ok" };
  return {
    state: "behind",
    reason: `The index has stood at block ${indexedBlock} since ${movedAt.toISOString()}, and the chain is at ${headBlock}.`,
  };
}

async function writeState(db: Database, { chain_id }: Chain, found: Found, written: Written): Promise<void> {
  const reason = found.state === "ok" ? null : found.reason;
  if (found.state === written.state && reason === written.reason) return;
  const since = found.state === written.state ? {} : { since: sql`now()` };
  await db
    .update(chainWatch)
    .set({ indexState: found.state, reason, ...since })
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
