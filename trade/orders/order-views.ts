import { BaseError, BlockNotFoundError, type PublicClient } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain } from "../../config/config.ts";
import { escrow, escrowEvent, readIndexedBlocks, viewsSchema } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, inArray, sql } from "../../db/drizzle.ts";
import { readFactsOf } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { chainFactOf, factEvents } from "../../protocol/facts/chain-facts.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import { effectiveFacts, foldFacts } from "../../protocol/facts/lifecycle.ts";
import {
  type EffectiveFact,
  type EscrowView,
  escrowOfFacts,
  isSameEscrow,
  type OrderViews,
} from "../../protocol/facts/source-comparison.ts";
import { digestOf, escrowIdOf, termsOf } from "../../protocol/settlement/terms.ts";
import { escrowStatuses } from "../../protocol/settlement/vocabulary.ts";
import { isNodeUnreachable } from "../node-breaker.ts";

/** The views of an order with the chain's newest block. */
export type ComparedOrder = OrderViews & {
  headBlock: bigint;
};

type Served = { chain: Chain; client: PublicClient };

/**
 * Reads an order from the ledger, the index and the contract.
 *
 * @returns null if the order does not exist, or its chain is not indexed
 * @throws viem's error if the node does not answer
 */
export async function readOrderViews(
  db: Database,
  served: Served,
  orderId: string,
): Promise<ComparedOrder | null> {
  const [compared] = await readAllOrderViews(db, served, [orderId]);
  return compared ?? null;
}

/** Reads several orders of one chain as `readOrderViews` does, in one query. Omits orders that do not exist. */
export async function readAllOrderViews(
  db: Database,
  { chain, client }: Served,
  orderIds: readonly string[],
): Promise<(ComparedOrder & { orderId: string })[]> {
  // One snapshot: otherwise a fact that is being committed would look like a difference.
  const stored = await inTransaction(
    db,
    (tx) => readStored(tx, chain, orderIds),
    "isolation level repeatable read read only",
  );
  if (stored.length === 0) return [];
  const headBlock = await client.getBlockNumber({ cacheTime: 0 });
  return Promise.all(stored.map((one) => readContract(client, one, headBlock)));
}

async function readContract(client: PublicClient, stored: Stored, headBlock: bigint) {
  const { row, facts, confirmedBlock, indexedBlock, ...rest } = stored;
  // The ledger may be ahead of a restarted index, but never ahead of the chain.
  const recorded = facts.map(({ blockNumber }) => blockNumber);
  const ledgerBlock = earlier(headBlock, recorded.reduce(later, later(confirmedBlock, 0n)));
  const [head, left] = await Promise.all([
    // At `latest`, because a pruned node may keep only the newest state.
    readEscrow(client, row),
    findOrphaned(client, facts, rest.index.events),
  ]);
  const agrees = isSameEscrow(head, rest.ledger.escrow) && isSameEscrow(head, rest.index.escrow);
  const [confirmed, indexed] = agrees
    ? [null, null]
    : await Promise.all(
        [ledgerBlock, indexedBlock].map((block) =>
          readEscrow(client, row, block).catch(nullUnlessUnreachable),
        ),
      );
  return {
    ...rest,
    orderId: row.id,
    headBlock,
    indexedBlock,
    left,
    confirmedBlock: ledgerBlock,
    contract: { confirmed: confirmed ?? null, indexed: indexed ?? null, head },
  };
}

type Stored = Awaited<ReturnType<typeof readStored>>[number];

/** Reads the index's tables in Ponder's locking order, so that a start of Ponder or a reorganisation cannot deadlock. */
async function readStored(tx: Transaction, chain: Chain, orderIds: readonly string[]) {
  const orders = await tx
    .select()
    .from(order)
    .where(and(inArray(order.id, [...orderIds]), eq(order.chainId, chain.chain_id)));
  if (orders.length === 0) return [];
  const here = (table: typeof escrow | typeof escrowEvent) =>
    and(
      eq(table.chainId, chain.chain_id),
      inArray(
        table.escrowId,
        orders.map(({ escrowId }) => escrowId),
      ),
    );
  const escrows = await tx.select().from(escrow).where(here(escrow));
  const allEvents = await tx
    .select()
    .from(escrowEvent)
    .where(and(here(escrowEvent), inArray(escrowEvent.name, [...factEvents])));
  const { rows } = await tx.execute<{ ready: boolean | null }>(
    sql`select bool_and((value ->> 'is_ready')::int = 1) as ready from ${sql.identifier(viewsSchema)}._ponder_meta`,
  );
  const position = (await readIndexedBlocks(tx)).get(chain.chain_id);
  if (!position) return [];
  const factsOf = Map.groupBy(await readFactsOf(tx, orderIds), ({ orderId }) => orderId);
  return orders.map((row) => {
    const isOfRow = (one: { escrowId: string; contract: string }) =>
      one.escrowId === row.escrowId && one.contract === row.escrowContract;
    const escrowRow = escrows.find(isOfRow);
    const all = factsOf.get(row.id) ?? [];
    const facts = effectiveFacts(all).filter((fact) => fact.chainId !== null) as unknown as EffectiveFact[];
    return {
      row,
      facts,
      confirmedBlock: confirmedBlock(position.block, chain),
      indexedBlock: position.block,
      indexedAt: position.timestamp,
      ledger: {
        status: row.status,
        folded: foldFacts(all).status,
        escrow: escrowOfFacts(facts),
        facts,
        brokenTerms: findBrokenTerms(row),
      },
      index: {
        ready: rows[0]?.ready === true,
        escrow: {
          status: escrowRow?.status ?? ("none" as const),
          deliveryCount: escrowRow?.deliveryCount ?? 0,
        },
        events: allEvents
          .filter(isOfRow)
          .map((event) => chainFactOf(event, row))
          .filter((event) => event !== null),
      },
    };
  });
}

function findBrokenTerms(row: OrderRow): string | null {
  // An erasure leaves the hash alone. The terms below have it, and make the escrow's id.
  if (row.erasedAt === null && digestOf(row.agreement) !== row.orderHash)
    return "The stored agreement was changed: its digest is not the one that the escrow commits to.";
  if (escrowIdOf(row.chainId, row.escrowContract, termsOf(row)) !== row.escrowId)
    return "The stored terms were changed: they do not hash to the escrow's id.";
  return null;
}

/** @param blockNumber the newest block by default */
async function readEscrow(client: PublicClient, row: OrderRow, blockNumber?: bigint): Promise<EscrowView> {
  const { status, deliveryCount } = await client.readContract({
    abi: escrowAbi,
    address: row.escrowContract,
    functionName: "getEscrow",
    args: [row.escrowId],
    ...(blockNumber === undefined ? {} : { blockNumber }),
  });
  const name = escrowStatuses[status];
  if (!name)
    throw new Error(`The contract returns the unknown status ${status} for the escrow ${row.escrowId}.`);
  return { status: name, deliveryCount };
}

/** Finds the facts without an indexed event whose block a reorganisation has removed. */
async function findOrphaned(
  client: PublicClient,
  facts: readonly EffectiveFact[],
  events: readonly { chain: { blockHash: string; logIndex: number } }[],
): Promise<Set<string>> {
  const positions = new Set(events.map(({ chain }) => `${chain.blockHash}:${chain.logIndex}`));
  const without = facts.filter(({ blockHash, logIndex }) => !positions.has(`${blockHash}:${logIndex}`));
  const left = await Promise.all(
    without.map(async ({ id, blockNumber, blockHash }) => {
      const block = await client.getBlock({ blockNumber }).catch((error: unknown) => {
        if (error instanceof BlockNotFoundError) return null;
        throw error;
      });
      return block !== null && block.hash !== blockHash ? [id] : [];
    }),
  );
  return new Set(left.flat());
}

/** Returns null for a node that lacks the state of a block, because it lags or prunes. Rethrows other errors. */
function nullUnlessUnreachable(error: unknown): null {
  if (!(error instanceof BaseError) || isNodeUnreachable(error)) throw error;
  return null;
}

function earlier(one: bigint, other: bigint): bigint {
  if (one < other) return one;
  return other;
}

function later(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}
