import { type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { PublicClient } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain, Config } from "../../config/config.ts";
import { readIndexedBlocks, selectNewestTime } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { expireOrder, type PastBlock, readUnfunded, type UnfundedOrder } from "../../trade/orders/expiry.ts";
import { clientOf } from "../chain-client.ts";

/** Orders asked for in one call to the node. From 86 on, the answer goes beyond what code may be large (EIP-170). */
const page = 80;

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

/** Whether the funding deadline of an order is over that nobody funded, by the clock of the chain that is furthest. */
export const hasUnfunded: SQL = sql`
  (select min(${order.fundBy}) from ${order} where ${order.status} = 'created') < ${selectNewestTime()}`;

async function expireOnChain(
  db: Database,
  chain: Chain,
  newest: bigint,
  newestTime: bigint,
  log?: Logger,
): Promise<number> {
  const blockNumber = newest - BigInt(chain.confirmations) + 1n;
  // The node is asked only if there may be something to do.
  if (blockNumber < 0n || (await readUnfunded(db, chain, newestTime, { limit: 1 })).length === 0) return 0;
  const client = clientOf(chain);
  const block: PastBlock = await client.getBlock({ blockNumber });

  let expired = 0;
  for (let after: UnfundedOrder | undefined; ; ) {
    const found = await readUnfunded(db, chain, block.timestamp, { after, limit: page });
    after = found.at(-1);
    if (!after) return expired;
    const statuses = await readStatuses(client, chain, found, blockNumber);
    for (const [index, { id }] of found.entries()) {
      if (statuses[index] !== 0) {
        log?.warn({ order_id: id, chain_id: chain.chain_id }, "the index lacks an escrow that the chain has");
        continue;
      }
      if (!(await inTransaction(db, (tx) => expireOrder(tx, id, block)))) continue;
      expired += 1;
      log?.info({ order_id: id, block_number: Number(blockNumber) }, "order.expired");
    }
    if (found.length < page) return expired;
  }
}

/** What the contract has of each escrow at a block; 0 where there is none. */
async function readStatuses(
  client: PublicClient,
  chain: Chain,
  orders: UnfundedOrder[],
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
