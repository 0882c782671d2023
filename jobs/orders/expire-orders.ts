import type { Logger } from "pino";
import type { PublicClient } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain, Config } from "../../config/config.ts";
import { readIndexedBlocks, selectNewestTime } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import {
  expireOrder,
  type PastBlock,
  readUnfunded,
  type UnfundedOrder,
} from "../../trade/orders/unfunded-expiry.ts";
import { clientOf } from "../chain-client.ts";

/** Orders in one call to the node. From 70 on, the answer exceeds the size limit of code (EIP-170). */
const page = 64;

/**
 * Records `order.expired` for orders that were not funded within their window, one transaction each. The contract
 * creates no escrow after `fundBy`. Once a confirmed block is later, no escrow can appear: that part of the chain is
 * settled. The index and the contract must both have no escrow. The index alone proves little, because the indexer
 * drops and rewrites its newest rows on every start. The job may be killed at any instant, and several may run at once.
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
      // A failing node does not hold up the orders of other chains.
      log?.error({ err: error, chain_id: chain.chain_id }, "a chain's orders could not be expired");
    }
  }
  return expired;
}

/** Whether an unfunded order is past its funding deadline, by the clock of the most advanced chain. */
export const hasUnfunded: SQL = sql`
  (select min(${order.fundBy}) from ${order} where ${order.status} = 'created') < ${selectNewestTime()}`;

async function expireOnChain(
  db: Database,
  chain: Chain,
  newest: bigint,
  newestTime: bigint,
  log?: Logger,
): Promise<number> {
  const blockNumber = confirmedBlock(newest, chain);
  // The node is called only if there may be an order to expire.
  if (blockNumber < 0n || (await readUnfunded(db, chain, newestTime, { limit: 1 })).length === 0) return 0;
  const client = clientOf(chain);
  const block: PastBlock = await client.getBlock({ blockNumber });

  let expired = 0;
  for (let after: UnfundedOrder | undefined; ; ) {
    const orders = await readUnfunded(db, chain, block.timestamp, { after, limit: page });
    after = orders.at(-1);
    if (!after) return expired;
    const statuses = await readStatuses(client, chain, orders, blockNumber);
    for (const [index, { id }] of orders.entries()) {
      if (statuses[index] !== 0) {
        log?.warn(
          { order_id: id, chain_id: chain.chain_id },
          "the index lacks an escrow that is on the chain",
        );
        continue;
      }
      if (!(await inTransaction(db, (tx) => expireOrder(tx, id, block)))) continue;
      expired += 1;
      log?.info({ order_id: id, block_number: Number(blockNumber) }, "order.expired");
    }
    if (orders.length < page) return expired;
  }
}

/** Reads the contract's status of each escrow at a block; 0 if there is none. */
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
