import type { Logger } from "pino";
import type { Chain, Config } from "../../config/config.ts";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import { escrowEvent, isIndexMissing, liveChannel, viewsSchema } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { recordFacts } from "../../db/ledger.ts";
import type { FactRow, OrderRow } from "../../db/order-rows.ts";
import { fact, order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { chainFactsOf, isKept, lockUnrecorded, readUnrecordedEvents } from "../../db/unrecorded-events.ts";
import { factEvents } from "../../protocol/facts/chain-facts.ts";
import { unconfirmedBlocks } from "../../protocol/facts/confirmations.ts";
import { createPause } from "../loop.ts";
import { issueReceipts } from "../receipts/receipts.ts";

/** Milliseconds between two full reads of the index, beyond its newest blocks. */
const fullReadEvery = 60_000;
/** Milliseconds between two rounds while an event waits for its confirmations, or for a retry. */
const againAfter = 1000;
/** Blocks before the last round's newest block that a round reads again. */
const overlap = 128n;

/** Orders read at once, and orders whose events are recorded concurrently. */
const page = 200;
const lanes = 4;

export type RecordOptions = {
  log?: Logger;
  /**
   * The first block of each chain that this round reads. It only saves work: full rounds repeat, because blocks can be
   * indexed late, twice or out of order.
   */
  from?: ReadonlyMap<number, bigint>;
  /** Orders that failed, and the time (ms) until which they pause; the caller keeps them between rounds. */
  failures?: Map<string, { attempts: number; until: number }>;
};

export type RecordedEvents = {
  facts: number;
  failed: number;
  /** the newest confirmed block of each chain */
  confirmed: Map<number, bigint>;
  /** whether the index has unconfirmed events */
  isWaiting: boolean;
};

/**
 * Records confirmed events of the chain in the ledger, with their receipts and outgoing events, in one transaction for
 * each order. The work is every event without a fact. So the process may be killed at any instant, and several may do
 * this work at once.
 */
export async function recordChainEvents(
  db: Database,
  config: Pick<Config, "chains" | "publicUrl">,
  signer: ReceiptSigner,
  options: RecordOptions = {},
): Promise<RecordedEvents> {
  const { log, from, failures = new Map() } = options;
  const result: RecordedEvents = { facts: 0, failed: 0, confirmed: new Map(), isWaiting: false };

  for (const chain of config.chains) {
    const seen = new Set(
      [...failures].filter(([, failure]) => failure.until > Date.now()).map(([orderId]) => orderId),
    );
    // Another worker has locked most of these orders, and records their events. This worker waits for the remaining
    // locks at the end.
    const lockedByOthers = new Set<string>();
    for (;;) {
      const batch = await findOrders(db, chain, from?.get(chain.chain_id) ?? 0n, [...seen]);
      if (!batch) break;
      const { confirmed, orders, isWaiting } = batch;
      result.isWaiting ||= isWaiting;
      result.confirmed.set(chain.chain_id, confirmed);
      const queue = [
        ...rotate(
          orders.filter(({ id }) => !lockedByOthers.has(id)),
          lockedByOthers.size > 0,
        ),
        ...orders.filter(({ id }) => lockedByOthers.has(id)),
      ].values();
      const turn = { confirmed, seen, lockedByOthers, missed: 0 };
      await Promise.all(Array.from({ length: lanes }, () => runLane(queue, turn)));
      if (orders.length < page && orders.every(({ id }) => seen.has(id))) break;
    }
  }
  return result;

  async function runLane(
    queue: Iterator<UnrecordedOrder>,
    turn: { confirmed: bigint; seen: Set<string>; lockedByOthers: Set<string>; missed: number },
  ): Promise<void> {
    const { confirmed, seen, lockedByOthers } = turn;
    // Many locked orders mean that another worker records the same batch. A new search saves a transaction for each
    // of these orders.
    while (turn.missed < lanes) {
      const next = queue.next();
      if (next.done) return;
      const orderId = next.value.id;
      const waitsForLock = lockedByOthers.has(orderId);
      seen.add(orderId);
      try {
        const recorded = await recordOrder(next.value, confirmed, waitsForLock);
        if (!recorded) {
          if (waitsForLock) continue;
          seen.delete(orderId);
          lockedByOthers.add(orderId);
          turn.missed += 1;
          continue;
        }
        result.facts += recorded.length;
        failures.delete(orderId);
        for (const { type, id, blockNumber } of recorded) {
          log?.info({ order_id: orderId, fact_id: id, block_number: Number(blockNumber) }, type);
        }
      } catch (error) {
        result.failed += 1;
        const attempts = (failures.get(orderId)?.attempts ?? 0) + 1;
        failures.set(orderId, { attempts, until: Date.now() + Math.min(1000 * 2 ** attempts, 300_000) });
        log?.error(
          { err: error, order_id: orderId, attempts },
          "an order's chain events could not be recorded",
        );
      }
    }
  }

  /** Records the events of an order. Returns null if its lock is taken, or another worker has recorded the events. */
  async function recordOrder(
    unrecorded: UnrecordedOrder,
    upTo: bigint,
    waitsForLock: boolean,
  ): Promise<FactRow[] | null> {
    return inTransaction(db, async (tx) => {
      // The events are read under the lock: since the search, another worker may have recorded them, or a
      // reorganisation removed them.
      const row = await lockUnrecorded(tx, { orderId: unrecorded.id, upTo, waitsForLock });
      if (!row) return null;
      const events = await readUnrecordedEvents(tx, unrecorded, upTo);
      const result = await recordFacts(tx, row, chainFactsOf(events, row));
      await issueReceipts(tx, row, result, signer, config.publicUrl);
      return result.recorded;
    });
  }
}

/**
 * Keeps the sequence of waiting. If another worker records events too, the sequence starts at a random place, so that the two
 * take different orders.
 */
function rotate(orders: UnrecordedOrder[], isBeside: boolean): UnrecordedOrder[] {
  const start = isBeside ? Math.floor(Math.random() * orders.length) : 0;
  return [...orders.slice(start), ...orders.slice(0, start)];
}

/** An order with unrecorded events, and its escrow. */
type UnrecordedOrder = Pick<OrderRow, "id" | "chainId" | "escrowId" | "escrowContract">;

/**
 * Finds the orders with a confirmed event without a fact, the longest waiting first. Also returns the newest confirmed
 * block, and whether there are later events. All values are of one moment.
 *
 * @returns null if the chain is not indexed
 */
async function findOrders(
  db: Database,
  chain: Chain,
  from: bigint,
  without: string[],
): Promise<{ confirmed: bigint; orders: UnrecordedOrder[]; isWaiting: boolean } | null> {
  const chainId = chain.chain_id;
  const confirmed = sql`(
    select substr(latest_checkpoint, 27, 16)::bigint - ${unconfirmedBlocks(chain)}::bigint as block
    from ${sql.identifier(viewsSchema)}._ponder_checkpoint where chain_id = ${chainId})`;
  // PostgreSQL locks the relations behind the views of FROM in order, and before those of WITH. So events are locked
  // before the checkpoint, as Ponder locks them.
  const { rows } = await db.execute<{ block: string; orders: UnrecordedOrder[]; is_waiting: boolean }>(sql`
    with waiting as (
      select unsettled.id, unsettled.chain_id as "chainId", unsettled.escrow_id as "escrowId",
        unsettled.escrow_contract as "escrowContract", min(event.block_number) as first
      from ${escrowEvent} event
      join ${order} unsettled
        on unsettled.chain_id = event.chain_id and unsettled.escrow_id = event.escrow_id and unsettled.escrow_contract = event.contract
      where event.chain_id = ${chainId}
        and event.block_number >= ${from.toString()}::numeric and event.block_number <= ${confirmed}
        and event.name = any(${sql.param([...factEvents])}::text[]) and ${isKept(sql`event`)}
        and not exists (select from ${fact} known where known.key = event.id)
        and unsettled.id <> all(${sql.param(without)}::text[])
      group by unsettled.id
      order by first
      limit ${page})
    select confirmed.block::text, array(select to_json(waiting) from waiting order by first) as orders,
      coalesce(newest.block > confirmed.block, false) as is_waiting
    from (select max(block_number) as block from ${escrowEvent} where chain_id = ${chainId}) as newest,
      ${confirmed} as confirmed`);
  const [row] = rows;
  return row ? { confirmed: BigInt(row.block), orders: row.orders, isWaiting: row.is_waiting } : null;
}

/** Selects the newest event of each chain's index. */
export function selectNewestEvents({ chains }: Pick<Config, "chains">): SQL {
  const newest = chains.map(
    ({ chain_id }) => sql`(
      select block_number || ' ' || block_hash || ' ' || log_index from ${escrowEvent}
      where chain_id = ${chain_id} order by block_number desc limit 1)`,
  );
  return sql`concat_ws(' ', ${sql.join(newest, sql`, `)})`;
}

/**
 * Makes the job that records events. A round reads the blocks since the last one, and once a minute the whole index. Rounds repeat
 * while anything waits; otherwise a notification wakes the job.
 */
export function createEventRounds(
  db: Database,
  config: Pick<Config, "chains" | "publicUrl">,
  signer: ReceiptSigner,
  log: Logger,
) {
  const failures = new Map<string, { attempts: number; until: number }>();
  const pause = createPause();
  let from: Map<number, bigint> | undefined;
  let lastFullReadAt = 0;
  let isAbsent = false;
  let isWaiting = false;

  async function run(): Promise<void> {
    const isFullRead = !from || Date.now() - lastFullReadAt >= fullReadEvery;
    const startedAt = Date.now();
    try {
      const result = await recordChainEvents(db, config, signer, {
        log,
        failures,
        from: isFullRead ? undefined : from,
      });
      from = new Map([...result.confirmed].map(([chainId, block]) => [chainId, block - overlap]));
      isWaiting = result.isWaiting;
      isAbsent = false;
    } catch (error) {
      from = undefined;
      if (isIndexMissing(error)) {
        if (!isAbsent) log.info("The index does not exist. The worker waits for `npm run indexer`.");
        isAbsent = true;
      }
      throw error;
    }
    if (isFullRead) lastFullReadAt = startedAt;
    if (isWaiting || failures.size > 0) setTimeout(pause.cutShort, againAfter).unref();
  }

  return {
    run,
    pause,
    runsAnywayAfter: fullReadEvery,
    news: selectNewestEvents(config),
    readsIndex: true,
    wokenBy: liveChannel,
    /**
     * Ponder notifies of each block with the tables that it changed. A block that changed none only confirms waiting
     * events.
     */
    isWokenBy: (payload: string | null) => isWaiting || payload !== noTables,
  };
}

/** Ponder's notification of a block that changed no table. */
const noTables = "[]";
