import { and, eq, gte, inArray, lte, min, notInArray } from "drizzle-orm";
import type { Logger } from "pino";
import type { Chain, Config } from "../../config.ts";
import { escrowEvent, isWithoutIndex, readIndexedBlocks } from "../../db/chain.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { type FactRow, isUnrecorded, lockOrder, readUnrecorded, recordFacts } from "../../db/ledger.ts";
import { order } from "../../db/schema.ts";
import { factEvents } from "../../facts/chain-facts.ts";
import type { ReceiptSigner } from "../../signer.ts";
import { issueReceipts } from "../receipts/receipts.ts";

/** Milliseconds between two looks at everything the index has, not its newest blocks only. */
const allEvery = 60_000;
/** How far before the last round's newest block a round looks again. */
const overlap = 128n;

/** How many orders are read at once, and how many of them are settled side by side. */
const page = 200;
const lanes = 4;

export type SettleOptions = {
  log?: Logger;
  /**
   * By chain, a block before which this round does not look. It only spares work: rounds without it come again and
   * again, since blocks can be indexed late, twice or in another order.
   */
  from?: ReadonlyMap<number, bigint>;
  /** Orders that failed before, and until when (ms) they rest; kept by the caller from round to round. */
  failures?: Map<string, { attempts: number; until: number }>;
};

export type Settled = {
  facts: number;
  failed: number;
  /** by chain, the newest block that counts */
  confirmed: Map<number, bigint>;
};

/**
 * Moves confirmed events of the chain into the ledger, with the receipts and outgoing events that follow from them:
 * one transaction for each order. What is to be done is whatever has no fact yet, so it may be killed at any instant,
 * and several may run at once.
 */
export async function settle(
  db: Database,
  config: Pick<Config, "chains" | "publicUrl">,
  signer: ReceiptSigner,
  options: SettleOptions = {},
): Promise<Settled> {
  const { log, from, failures = new Map() } = options;
  const indexed = await readIndexedBlocks(db);
  const settled: Settled = { facts: 0, failed: 0, confirmed: new Map() };

  for (const chain of config.chains) {
    const newest = indexed.get(chain.chain_id)?.block;
    if (newest === undefined) continue;
    const confirmed = newest - BigInt(chain.confirmations) + 1n;
    settled.confirmed.set(chain.chain_id, confirmed);
    const window = { chain, from: from?.get(chain.chain_id) ?? 0n, to: confirmed };
    const seen = new Set(
      [...failures].filter(([, failure]) => failure.until > Date.now()).map(([orderId]) => orderId),
    );
    for (;;) {
      const orderIds = await findOrders(db, window, [...seen]);
      if (orderIds.length === 0) break;
      for (const orderId of orderIds) seen.add(orderId);
      const queue = orderIds.values();
      await Promise.all(Array.from({ length: lanes }, () => runLane(queue, window)));
    }
  }
  return settled;

  async function runLane(queue: Iterator<string>, window: Window): Promise<void> {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const orderId = next.value;
      try {
        const recorded = await db.transaction((tx) => settleOrder(tx, orderId, window));
        settled.facts += recorded.length;
        failures.delete(orderId);
        for (const { type, id, blockNumber } of recorded) {
          log?.info({ order_id: orderId, fact_id: id, block_number: Number(blockNumber) }, type);
        }
      } catch (error) {
        settled.failed += 1;
        const attempts = (failures.get(orderId)?.attempts ?? 0) + 1;
        failures.set(orderId, { attempts, until: Date.now() + Math.min(1000 * 2 ** attempts, 300_000) });
        log?.error({ err: error, order_id: orderId, attempts }, "an order's chain events cannot be settled");
      }
    }
  }

  async function settleOrder(tx: Transaction, orderId: string, window: Window): Promise<FactRow[]> {
    const row = await lockOrder(tx, orderId);
    if (!row) return [];
    // Read again under the lock: another worker may have recorded them, or a reorganisation taken them away.
    const facts = await readUnrecorded(tx, row, window.to);
    const { recorded } = await recordFacts(tx, row, facts);
    await issueReceipts(tx, row, recorded, signer, config.publicUrl);
    return recorded;
  }
}

type Window = { chain: Chain; from: bigint; to: bigint };

/** The orders that have a confirmed event without a fact, the ones that wait longest first. */
async function findOrders(db: Database, { chain, from, to }: Window, without: string[]): Promise<string[]> {
  const rows = await db
    .select({ id: order.id })
    .from(escrowEvent)
    .innerJoin(
      order,
      and(
        eq(order.chainId, escrowEvent.chainId),
        eq(order.escrowId, escrowEvent.escrowId),
        eq(order.escrowContract, escrowEvent.contract),
      ),
    )
    .where(
      and(
        eq(escrowEvent.chainId, chain.chain_id),
        gte(escrowEvent.blockNumber, from),
        lte(escrowEvent.blockNumber, to),
        inArray(escrowEvent.name, [...factEvents]),
        isUnrecorded(db),
        without.length > 0 ? notInArray(order.id, without) : undefined,
      ),
    )
    .groupBy(order.id)
    .orderBy(min(escrowEvent.blockNumber))
    .limit(page);
  return rows.map((row) => row.id);
}

/** Makes rounds of it that look at what is new since the one before, and at all that the index has once a minute. */
export function createSettlingRounds(
  db: Database,
  config: Pick<Config, "chains" | "publicUrl">,
  signer: ReceiptSigner,
  log: Logger,
): () => Promise<void> {
  const failures = new Map<string, { attempts: number; until: number }>();
  let from: Map<number, bigint> | undefined;
  let lookedAtAll = 0;
  let isWaiting = false;
  return async () => {
    const all = !from || Date.now() - lookedAtAll >= allEvery;
    const startedAt = Date.now();
    try {
      const { confirmed } = await settle(db, config, signer, { log, failures, from: all ? undefined : from });
      from = new Map([...confirmed].map(([chainId, block]) => [chainId, block - overlap]));
      isWaiting = false;
    } catch (error) {
      from = undefined;
      if (isWithoutIndex(error)) {
        if (!isWaiting) log.info("The index is not there yet; the settler waits for `npm run indexer`.");
        isWaiting = true;
      }
      throw error;
    }
    if (all) lookedAtAll = startedAt;
  };
}
