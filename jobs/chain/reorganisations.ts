import type { Logger } from "pino";
import type { Hash } from "viem";
import type { Chain, Config } from "../../config/config.ts";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import { escrowEvent, isIndexMissing, readReadyBlock, viewsSchema } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, type SQL, sql } from "../../db/drizzle.ts";
import { lockOrder, type NewFact, recordFacts } from "../../db/ledger.ts";
import { fact, order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { chainFactOf } from "../../protocol/facts/chain-facts.ts";
import { unconfirmedBlocks } from "../../protocol/facts/confirmations.ts";
import { reopenPayment } from "../../trade/payments/payments.ts";
import { reopenRelay } from "../../trade/relay/relay-queue.ts";
import { clientOf } from "../chain-client.ts";
import { anyOf } from "../due-jobs.ts";
import { issueReceipts, revokeReceipt } from "../receipts/receipts.ts";
import { publishReceiptStatus } from "../receipts/status-list.ts";
import { isRecent } from "./index-watch.ts";

/** Blocks that most rounds check, and milliseconds between two rounds that check all blocks. */
const usualDepth = 1000n;
const fullCheckEvery = 3_600_000;

export type ReorganisationOptions = {
  log?: Logger;
  /** the time (ms) since which a fact is missing from the index without a break; the caller keeps it between rounds */
  missing: Map<string, number>;
  /** milliseconds for which a fact must be missing before it is reverted */
  missingMs?: number;
  /** the number of newest blocks to check; all blocks by default */
  depth?: bigint;
};

/**
 * Corrects the ledger after a reorganisation. A fact whose block left the chain gets a `fact.reverted`, and its receipt
 * is revoked. If the block of a reverted fact returns, the fact is recorded again.
 *
 * The indexer drops and rewrites its newest rows on every start, so a missing row proves little. A fact is reverted
 * only if three conditions hold. The indexer is ready and past its block. The row stays missing for `missingMs`. The
 * node has another block at that height.
 */
export async function followReorganisations(
  db: Database,
  config: Pick<Config, "chains" | "publicUrl">,
  signer: ReceiptSigner,
  options: ReorganisationOptions,
): Promise<{ reverted: number; returned: number }> {
  const { log, missing, missingMs = 5000, depth } = options;
  const result = { reverted: 0, returned: 0 };
  const stillMissing = new Set<string>();

  for (const chain of config.chains) {
    for (const lost of await findLostFacts(db, chain, depth)) {
      stillMissing.add(lost.id);
      const since = missing.get(lost.id) ?? Date.now();
      missing.set(lost.id, since);
      if (Date.now() - since < missingMs) continue;
      const blockHash = await readBlockHash(chain, lost.blockNumber).catch(() => null);
      if (blockHash === null) {
        log?.warn(
          { fact_id: lost.id, chain_id: chain.chain_id },
          "the node did not answer whether a block left the chain",
        );
        continue;
      }
      if (blockHash === lost.blockHash) {
        log?.warn(
          { fact_id: lost.id, block_hash: lost.blockHash },
          "the index lacks an event that is on the chain",
        );
        continue;
      }
      if (await inTransaction(db, (tx) => revertFact(tx, lost, signer))) {
        result.reverted += 1;
        log?.warn({ order_id: lost.orderId, fact_id: lost.id, block_hash: lost.blockHash }, "fact.reverted");
      }
      missing.delete(lost.id);
    }
    for (const eventId of await findReturnedEvents(db, chain)) {
      result.returned += await inTransaction(db, (tx) => recordAgain(tx, eventId));
    }
  }
  for (const factId of missing.keys()) if (!stillMissing.has(factId)) missing.delete(factId);
  return result;

  async function recordAgain(tx: Transaction, eventId: string): Promise<number> {
    const [event] = await tx.select().from(escrowEvent).where(eq(escrowEvent.id, eventId));
    if (!event) return 0;
    const [found] = await tx
      .select({ id: order.id })
      .from(order)
      .where(and(eq(order.chainId, event.chainId), eq(order.escrowId, event.escrowId)));
    const row = found && (await lockOrder(tx, found.id));
    const again = row && chainFactOf(event, row);
    if (!again) return 0;
    // This check runs under the lock, since another worker may have recorded the fact.
    const { rows: earlier } = await tx.execute<{ is_effective: boolean }>(sql`
      select not exists (${revertOf("s")}) as is_effective from earnest.fact s
      where s.order_id = ${row.id} and s.block_hash = ${event.blockHash} and s.log_index = ${event.logIndex}`);
    if (earlier.some(({ is_effective }) => is_effective)) return 0;
    const result = await recordFacts(tx, row, [{ ...again, key: `${eventId}#${earlier.length + 1}` }]);
    await issueReceipts(tx, row, result, signer, config.publicUrl);
    return result.recorded.length;
  }
}

type LostFact = {
  id: string;
  key: string;
  type: string;
  orderId: string;
  blockNumber: bigint;
  blockHash: Hash;
  transactionHash: Hash;
};

/**
 * Finds unreverted facts of this deployment's escrow contract without a row in the index, although the index is past
 * their block.
 */
async function findLostFacts(db: Database, chain: Chain, depth: bigint | undefined): Promise<LostFact[]> {
  const to = await readReadyBlock(db, chain.chain_id);
  if (to === undefined) return [];
  // Two numbers show the planner that few blocks are concerned.
  const from = depth === undefined ? 0n : to - depth;
  const { rows } = await db.execute<Omit<LostFact, "blockNumber"> & { blockNumber: string }>(sql`
    select f.id, f.key, f.type, f.order_id as "orderId", f.block_number::text as "blockNumber",
           f.block_hash as "blockHash", f.transaction_hash as "transactionHash"
    from earnest.fact f
    join earnest."order" o on o.id = f.order_id
    where f.chain_id = ${chain.chain_id}
      and f.block_number between ${from.toString()}::bigint and ${to.toString()}::bigint
      and o.escrow_contract = ${chain.escrow_contract.toLowerCase()}
      and not exists (
        select 1 from ${escrowEvent} e
        where e.chain_id = f.chain_id and e.block_number = f.block_number::numeric
          and e.block_hash = f.block_hash and e.log_index = f.log_index)
      and not exists (${revertOf("f")})`);
  return rows.map((row) => ({ ...row, blockNumber: BigInt(row.blockNumber) }));
}

/** Finds indexed events whose facts were all reverted: the chain returned to a block that it had left. */
async function findReturnedEvents(db: Database, chain: Chain): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select distinct e.id
    from earnest.fact r
    join earnest.fact f on f.order_id = r.order_id and f.id = r.data ->> 'fact_id'
    join ${escrowEvent} e
      on e.chain_id = f.chain_id and e.block_number = f.block_number
     and e.block_hash = f.block_hash and e.log_index = f.log_index
    where r.type = 'fact.reverted' and f.chain_id = ${chain.chain_id}
      and e.block_number <= (
        select substr(latest_checkpoint, 27, 16)::bigint - ${unconfirmedBlocks(chain)}::bigint
        from ${sql.identifier(viewsSchema)}._ponder_checkpoint where chain_id = ${chain.chain_id})
      and not exists (
        select 1 from earnest.fact s
        where s.order_id = f.order_id and s.block_hash = f.block_hash and s.log_index = f.log_index
          and not exists (${revertOf("s")}))`);
  return rows.map((row) => row.id);
}

function revertOf(alias: "f" | "s") {
  const name = sql.identifier(alias);
  return sql`
    select 1 from earnest.fact x
    where x.order_id = ${name}.order_id and x.type = 'fact.reverted' and x.data ->> 'fact_id' = ${name}.id`;
}

async function revertFact(tx: Transaction, lost: LostFact, signer: ReceiptSigner): Promise<boolean> {
  const row = await lockOrder(tx, lost.orderId);
  if (!row) return false;
  const reverted: NewFact = {
    type: "fact.reverted",
    actor: "chain",
    key: `${lost.key}:reverted`,
    data: { fact_id: lost.id, fact_type: lost.type },
    occurredAt: new Date(),
  };
  const { recorded } = await recordFacts(tx, row, [reverted]);
  if (lost.type === "order.funded") await reopenPayment(tx, row.id);
  await reopenRelay(tx, row.id, lost.transactionHash);
  await revokeReceipt(tx, lost.id);
  await publishReceiptStatus(tx, signer);
  return recorded.length > 0;
}

/** Reads the hash of the chain's block at a height from the node. */
async function readBlockHash(chain: Chain, blockNumber: bigint): Promise<Hash> {
  return (await clientOf(chain).getBlock({ blockNumber })).hash;
}

/** Whether there are facts in the newest blocks, or reverted facts that may come back. */
export function mayReorganise({ chains }: Pick<Config, "chains">): SQL {
  const newest = ({ chain_id }: Chain) =>
    sql`(select max(${fact.blockNumber}) from ${fact} where ${fact.chainId} = ${chain_id})`;
  return anyOf([
    ...chains.map((chain) => isRecent(newest(chain), chain, usualDepth)),
    sql`(select min(${fact.orderId}) from ${fact} where ${fact.type} = 'fact.reverted') is not null`,
  ]);
}

/**
 * Returns a function that follows reorganisations, keeps its state between rounds, and checks all blocks once an hour.
 */
export function createReorganisationRounds(
  db: Database,
  config: Pick<Config, "chains" | "publicUrl">,
  signer: ReceiptSigner,
  log: Logger,
): () => Promise<void> {
  const missing = new Map<string, number>();
  let lastFullCheckAt = 0;
  return async () => {
    const isFullCheck = Date.now() - lastFullCheckAt >= fullCheckEvery;
    const startedAt = Date.now();
    const depth = isFullCheck ? undefined : usualDepth;
    try {
      await followReorganisations(db, config, signer, { log, missing, depth });
      if (isFullCheck && missing.size === 0) lastFullCheckAt = startedAt;
    } catch (error) {
      // A dropped index is built again, and then any fact may prove to be of a block that left the chain.
      if (isIndexMissing(error)) lastFullCheckAt = 0;
      throw error;
    }
  };
}
