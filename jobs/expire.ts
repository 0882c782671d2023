import { and, asc, eq, lt, notExists, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { createPublicClient, http, type PublicClient } from "viem";
import { escrowAbi } from "../abis/escrow.ts";
import type { Chain, Config } from "../config.ts";
import { escrow, readIndexedBlocks } from "../db/chain.ts";
import type { Database, Transaction } from "../db/client.ts";
import { escrowOfOrder, lockOrder, readFacts, recordFacts } from "../db/ledger.ts";
import { order } from "../db/schema.ts";
import { foldFacts, refuseStep } from "../settlement/lifecycle.ts";

/** Orders asked for in one call to the node. From 86 on, the answer goes beyond what code may be large (EIP-170). */
const page = 80;

/** A block at which a funding deadline was over. Time is unix seconds. */
type Block = { number: bigint; timestamp: bigint };
type Candidate = { id: string; fundBy: number; escrowId: `0x${string}` };

/**
 * Records `order.expired` for the orders that nobody funded within their window: one transaction for each.
 *
 * The contract creates no escrow after `fundBy`. So once a block that counts is later than that, none can come any
 * more: not below it, since that part of the chain is settled, and not above. That there is none is what the index says
 * and the contract too: the indexer drops and rewrites its newest rows on every start, so that a row is missing there
 * proves little.
 *
 * It may be killed at any instant, and several may run at once.
 *
 * @returns how many orders expired
 */
export async function expireOrders(
  db: Database,
  { chains }: Pick<Config, "chains">,
  { log }: { log?: Logger } = {},
): Promise<number> {
  const indexed = await readIndexedBlocks(db);
  let expired = 0;
  for (const chain of chains) {
    const newest = indexed.get(chain.chain_id);
    if (!newest) continue;
    try {
      expired += await expireOnChain(db, chain, newest.block, newest.timestamp, log);
    } catch (error) {
      // The other chains' orders do not wait for this one's node.
      log?.error({ err: error, chain_id: chain.chain_id }, "orders cannot expire at the moment");
    }
  }
  return expired;
}

async function expireOnChain(
  db: Database,
  chain: Chain,
  newest: bigint,
  newestTime: bigint,
  log?: Logger,
): Promise<number> {
  const blockNumber = newest - BigInt(chain.confirmations) + 1n;
  // The node is asked only if there may be something to do.
  if (blockNumber < 0n || (await findUnfunded(db, chain, newestTime, undefined, 1)).length === 0) return 0;
  const client = createPublicClient({ transport: http(chain.rpc_url) });
  const block: Block = await client.getBlock({ blockNumber });

  let expired = 0;
  for (let after: Candidate | undefined; ; ) {
    const found = await findUnfunded(db, chain, block.timestamp, after, page);
    after = found.at(-1);
    if (!after) return expired;
    const statuses = await readStatuses(client, chain, found, blockNumber);
    for (const [index, { id }] of found.entries()) {
      if (statuses[index] !== 0) {
        log?.warn({ order_id: id, chain_id: chain.chain_id }, "the index lacks an escrow that the chain has");
        continue;
      }
      if (!(await db.transaction((tx) => expireOrder(tx, id, block)))) continue;
      expired += 1;
      log?.info({ order_id: id, block_number: Number(blockNumber) }, "order.expired");
    }
    if (found.length < page) return expired;
  }
}

/** Orders whose funding deadline is before a time and of which the index has no escrow, the longest over first. */
async function findUnfunded(
  db: Database,
  chain: Chain,
  time: bigint,
  after: Candidate | undefined,
  limit: number,
): Promise<Candidate[]> {
  return db
    .select({ id: order.id, fundBy: order.fundBy, escrowId: order.escrowId })
    .from(order)
    .where(
      and(
        eq(order.status, "created"),
        lt(order.fundBy, Number(time)),
        after && sql`(${order.fundBy}, ${order.id}) > (${after.fundBy}, ${after.id})`,
        eq(order.chainId, chain.chain_id),
        eq(order.escrowContract, chain.escrow_contract),
        hasNoEscrow(db),
      ),
    )
    .orderBy(asc(order.fundBy), asc(order.id))
    .limit(limit);
}

function hasNoEscrow(db: Database | Transaction) {
  return notExists(db.select({ one: sql`1` }).from(escrow).where(escrowOfOrder));
}

/** What the contract has of each escrow at a block; 0 where there is none. */
async function readStatuses(
  client: PublicClient,
  chain: Chain,
  orders: Candidate[],
  blockNumber: bigint,
): Promise<number[]> {
  const states = await client.multicall({
    contracts: orders.map(({ escrowId }) => ({
      abi: escrowAbi,
      address: chain.escrow_contract,
      functionName: "getEscrow" as const,
      args: [escrowId] as const,
    })),
    allowFailure: false,
    deployless: true,
    batchSize: 0,
    blockNumber,
  });
  return states.map(({ status }) => status);
}

async function expireOrder(tx: Transaction, orderId: string, block: Block): Promise<boolean> {
  const row = await lockOrder(tx, orderId);
  if (!row || refuseStep(foldFacts(await readFacts(tx, orderId)), "order.expired")) return false;
  // Again under the lock: the indexer may have come by meanwhile.
  const [unfunded] = await tx
    .select({ id: order.id })
    .from(order)
    .where(and(eq(order.id, orderId), hasNoEscrow(tx)));
  if (!unfunded) return false;
  const { recorded } = await recordFacts(tx, row, [
    {
      type: "order.expired",
      actor: "service",
      key: `${orderId}:expired`,
      occurredAt: new Date(),
      data: {
        funding_deadline: new Date(row.fundBy * 1000).toISOString(),
        unfunded_at_block: Number(block.number),
        block_time: new Date(Number(block.timestamp) * 1000).toISOString(),
      },
    },
  ]);
  return recorded.length > 0;
}
