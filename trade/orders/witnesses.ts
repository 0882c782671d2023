import { and, eq, inArray, sql } from "drizzle-orm";
import { BaseError, BlockNotFoundError, type PublicClient } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain } from "../../config.ts";
import { escrow, escrowEvent, readIndexedBlocks, viewsSchema } from "../../db/chain.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { type OrderRow, readFacts } from "../../db/ledger.ts";
import { order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { chainFactOf, factEvents } from "../../facts/chain-facts.ts";
import { foldFacts, standingFacts } from "../../facts/lifecycle.ts";
import {
  type EscrowView,
  escrowOfFacts,
  isSame,
  type StandingFact,
  type Witnesses,
} from "../../facts/witnesses.ts";
import { digestOf, escrowIdOf, termsOf } from "../../settlement/terms.ts";
import { escrowStatuses } from "../../settlement/vocabulary.ts";
import { isNodeAway } from "../chain-answers.ts";
import { readDepositBalance } from "../payments/deposits.ts";

/** The three that are compared, with the block that each was read at. */
export type Reading = Witnesses & {
  headBlock: bigint;
  /** base units of the order's token at its deposit address */
  depositBalance: bigint;
};

/**
 * Reads what the ledger, the index and the contract say of an order.
 *
 * @returns null where there is no such order, or its chain is not indexed
 * @throws what the node's client throws where it cannot be reached
 */
export async function readWitnesses(
  db: Database,
  { chain, client }: { chain: Chain; client: PublicClient },
  orderId: string,
): Promise<Reading | null> {
  // One moment of the database, so that a fact that is just being recorded is no difference.
  const stored = await inTransaction(
    db,
    (tx) => readStored(tx, chain, orderId),
    "isolation level repeatable read read only",
  );
  if (!stored) return null;
  const { row, facts, confirmedBlock, indexedBlock, ...rest } = stored;
  const headBlock = await client.getBlockNumber({ cacheTime: 0 });
  // The ledger may be ahead of an index that starts anew, and never of the chain.
  const recorded = facts.map(({ blockNumber }) => blockNumber);
  const ledgerBlock = earlier(headBlock, recorded.reduce(later, later(confirmedBlock, 0n)));
  const [head, depositBalance, left] = await Promise.all([
    // Whatever block that is by then: a node may keep the state of its newest one alone.
    readEscrow(client, row),
    readDepositBalance(client, row),
    findLeft(client, facts, rest.index.events),
  ]);
  const agrees = isSame(head, rest.ledger.escrow) && isSame(head, rest.index.escrow);
  const [confirmed, indexed] = agrees
    ? [null, null]
    : await Promise.all(
        [ledgerBlock, indexedBlock].map((block) => readEscrow(client, row, block).catch(unlessAway)),
      );
  return {
    ...rest,
    ...{ headBlock, indexedBlock, depositBalance, left },
    confirmedBlock: ledgerBlock,
    contract: { confirmed: confirmed ?? null, indexed: indexed ?? null, head },
  };
}

/** Comes to the index's relations in Ponder's own order: its locks at a start, or in a reorganisation, meet ours there. */
async function readStored(tx: Transaction, chain: Chain, orderId: string) {
  const [row] = await tx.select().from(order).where(eq(order.id, orderId));
  if (!row) return null;
  const here = (table: typeof escrow | typeof escrowEvent) =>
    and(
      eq(table.chainId, row.chainId),
      eq(table.escrowId, row.escrowId),
      eq(table.contract, row.escrowContract),
    );
  const [escrowRow] = await tx.select().from(escrow).where(here(escrow));
  const events = await tx
    .select()
    .from(escrowEvent)
    .where(and(here(escrowEvent), inArray(escrowEvent.name, [...factEvents])));
  const { rows } = await tx.execute<{ ready: boolean | null }>(
    sql`select bool_and((value ->> 'is_ready')::int = 1) as ready from ${sql.identifier(viewsSchema)}._ponder_meta`,
  );
  const position = (await readIndexedBlocks(tx)).get(chain.chain_id);
  if (!position) return null;
  const all = await readFacts(tx, orderId);
  const facts = standingFacts(all).filter((fact) => fact.chainId !== null) as unknown as StandingFact[];
  return {
    row,
    facts,
    confirmedBlock: position.block - BigInt(chain.confirmations) + 1n,
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
      events: events.map((event) => chainFactOf(event, row)).filter((event) => event !== null),
    },
  };
}

function findBrokenTerms(row: OrderRow): string | null {
  if (digestOf(row.agreement) !== row.orderHash)
    return "The stored agreement is not the one whose digest the escrow commits to: it was changed.";
  if (escrowIdOf(row.chainId, row.escrowContract, termsOf(row)) !== row.escrowId)
    return "The stored terms do not make the escrow's id: one of them was changed.";
  return null;
}

/** @param blockNumber the newest block's state unless given */
async function readEscrow(client: PublicClient, row: OrderRow, blockNumber?: bigint): Promise<EscrowView> {
  const { status, deliveryCount } = await client.readContract({
    abi: escrowAbi,
    address: row.escrowContract,
    functionName: "getEscrow",
    args: [row.escrowId],
    ...(blockNumber === undefined ? {} : { blockNumber }),
  });
  const name = escrowStatuses[status];
  if (!name) throw new Error(`The contract gives ${row.escrowId} the status ${status}, which is none.`);
  return { status: name, deliveryCount };
}

/** Facts that the index has no event of, and whose block is not the chain's any more. */
async function findLeft(
  client: PublicClient,
  facts: readonly StandingFact[],
  events: readonly { chain: { blockHash: string; logIndex: number } }[],
): Promise<Set<string>> {
  const places = new Set(events.map(({ chain }) => `${chain.blockHash}:${chain.logIndex}`));
  const without = facts.filter(({ blockHash, logIndex }) => !places.has(`${blockHash}:${logIndex}`));
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

/** A node that is there and has no state of that block (it lags behind another, or keeps none so old) says nothing. */
function unlessAway(error: unknown): null {
  if (!(error instanceof BaseError) || isNodeAway(error)) throw error;
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
