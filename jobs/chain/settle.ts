import { type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Chain, Config } from "../../config/config.ts";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import { escrowEvent, isWithoutIndex, liveChannel, viewsSchema } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { recordFacts } from "../../db/ledger.ts";
import type { FactRow, OrderRow } from "../../db/order-rows.ts";
import { fact, order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { chainFactsOf, lockUnsettled, readUnrecordedEvents } from "../../db/unrecorded-events.ts";
import { factEvents } from "../../protocol/facts/chain-facts.ts";
import { createPause } from "../loop.ts";
import { issueReceipts } from "../receipts/receipts.ts";

/** Milliseconds between two looks at everything the index has, not its newest blocks only. */
const allEvery = 60_000;
/** Milliseconds between two looks while something waits for its confirmations, or to be tried again. */
const againAfter = 1000;
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
  /** whether the index has events that do not count yet */
  isWaiting: boolean;
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
  const settled: Settled = { facts: 0, failed: 0, confirmed: new Map(), isWaiting: false };

  for (const chain of config.chains) {
    const seen = new Set(
      [...failures].filter(([, failure]) => failure.until > Date.now()).map(([orderId]) => orderId),
    );
    // Orders that somebody else had: mostly another worker, which settles them. What it leaves is waited for, last of all.
    const passed = new Set<string>();
    for (;;) {
      const found = await findOrders(db, chain, from?.get(chain.chain_id) ?? 0n, [...seen]);
      if (!found) break;
      const { confirmed, orders, isWaiting } = found;
      settled.isWaiting ||= isWaiting;
      settled.confirmed.set(chain.chain_id, confirmed);
      const queue = [
        ...startSomewhere(
          orders.filter(({ id }) => !passed.has(id)),
          passed.size > 0,
        ),
        ...orders.filter(({ id }) => passed.has(id)),
      ].values();
      const turn = { confirmed, seen, passed, missed: 0 };
      await Promise.all(Array.from({ length: lanes }, () => runLane(queue, turn)));
      if (orders.length < page && orders.every(({ id }) => seen.has(id))) break;
    }
  }
  return settled;

  async function runLane(
    queue: Iterator<FoundOrder>,
    turn: { confirmed: bigint; seen: Set<string>; passed: Set<string>; missed: number },
  ): Promise<void> {
    const { confirmed, seen, passed } = turn;
    // Where many are missed another worker is under way: who looks anew spares a transaction for each of its orders.
    while (turn.missed < lanes) {
      const next = queue.next();
      if (next.done) return;
      const orderId = next.value.id;
      const waits = passed.has(orderId);
      seen.add(orderId);
      try {
        const recorded = await settleOrder(next.value, confirmed, waits);
        if (!recorded) {
          if (waits) continue;
          seen.delete(orderId);
          passed.add(orderId);
          turn.missed += 1;
          continue;
        }
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

  /** Returns null where somebody else has the order, or it has been settled meanwhile. */
  async function settleOrder(found: FoundOrder, upTo: bigint, waits: boolean): Promise<FactRow[] | null> {
    return inTransaction(db, async (tx) => {
      // All is read under the lock: another worker may have recorded it since it was found, or a reorganisation taken it away.
      const row = await lockUnsettled(tx, { orderId: found.id, upTo, waits });
      if (!row) return null;
      const events = await readUnrecordedEvents(tx, found, upTo);
      const result = await recordFacts(tx, row, chainFactsOf(events, row));
      await issueReceipts(tx, row, result, signer, config.publicUrl);
      return result.recorded;
    });
  }
}

/** The longest waiting first; beside another worker from some place in between, so that both do not walk side by side. */
function startSomewhere(orders: FoundOrder[], isBeside: boolean): FoundOrder[] {
  const start = isBeside ? Math.floor(Math.random() * orders.length) : 0;
  return [...orders.slice(start), ...orders.slice(0, start)];
}

/** An order that has something to settle, and its escrow. */
type FoundOrder = Pick<OrderRow, "id" | "chainId" | "escrowId" | "escrowContract">;

/**
 * The orders that have a confirmed event without a fact, the ones that wait longest first, the newest block that counts,
 * and whether there are events after it: of one moment, so that what is found is there when it is read.
 *
 * @returns null where the chain is not indexed
 */
async function findOrders(
  db: Database,
  chain: Chain,
  from: bigint,
  without: string[],
): Promise<{ confirmed: bigint; orders: FoundOrder[]; isWaiting: boolean } | null> {
  const chainId = chain.chain_id;
  const confirmed = sql`(
    select substr(latest_checkpoint, 27, 16)::bigint - ${chain.confirmations}::int + 1 as block
    from ${sql.identifier(viewsSchema)}._ponder_checkpoint where chain_id = ${chainId})`;
  // PostgreSQL locks what is behind the views of FROM in its order, before that of WITH: events before the checkpoint, as
  // Ponder locks them.
  const { rows } = await db.execute<{ block: string; orders: FoundOrder[]; waits: boolean }>(sql`
    with waiting as (
      select found.id, found.chain_id as "chainId", found.escrow_id as "escrowId",
        found.escrow_contract as "escrowContract", min(event.block_number) as first
      from ${escrowEvent} event
      join ${order} found
        on found.chain_id = event.chain_id and found.escrow_id = event.escrow_id and found.escrow_contract = event.contract
      where event.chain_id = ${chainId}
        and event.block_number >= ${from.toString()}::numeric and event.block_number <= ${confirmed}
        and event.name = any(${sql.param([...factEvents])}::text[])
        and not exists (select from ${fact} known where known.key = event.id)
        and found.id <> all(${sql.param(without)}::text[])
      group by found.id
      order by first
      limit ${page})
    select confirmed.block::text, array(select to_json(waiting) from waiting order by first) as orders,
      coalesce(newest.block > confirmed.block, false) as waits
    from (select max(block_number) as block from ${escrowEvent} where chain_id = ${chainId}) as newest,
      ${confirmed} as confirmed`);
  const [row] = rows;
  return row ? { confirmed: BigInt(row.block), orders: row.orders, isWaiting: row.waits } : null;
}

/** Which event of each chain is the index's newest. */
export function selectNewestEvents({ chains }: Pick<Config, "chains">): SQL {
  const newest = chains.map(
    ({ chain_id }) => sql`(
      select block_number || ' ' || block_hash || ' ' || log_index from ${escrowEvent}
      where chain_id = ${chain_id} order by block_number desc limit 1)`,
  );
  return sql`concat_ws(' ', ${sql.join(newest, sql`, `)})`;
}

/**
 * Makes rounds of it that look at what is new since the one before, and at all that the index has once a minute. They
 * come again and again while anything waits; else they are to be woken.
 */
export function createSettlingRounds(
  db: Database,
  config: Pick<Config, "chains" | "publicUrl">,
  signer: ReceiptSigner,
  log: Logger,
) {
  const failures = new Map<string, { attempts: number; until: number }>();
  const pause = createPause();
  let from: Map<number, bigint> | undefined;
  let lookedAtAll = 0;
  let isAbsent = false;
  let isWaiting = false;

  async function run(): Promise<void> {
    const all = !from || Date.now() - lookedAtAll >= allEvery;
    const startedAt = Date.now();
    try {
      const settled = await settle(db, config, signer, { log, failures, from: all ? undefined : from });
      from = new Map([...settled.confirmed].map(([chainId, block]) => [chainId, block - overlap]));
      isWaiting = settled.isWaiting;
      isAbsent = false;
    } catch (error) {
      from = undefined;
      if (isWithoutIndex(error)) {
        if (!isAbsent) log.info("The index is not there yet; the settler waits for `npm run indexer`.");
        isAbsent = true;
      }
      throw error;
    }
    if (all) lookedAtAll = startedAt;
    if (isWaiting || failures.size > 0) setTimeout(pause.cutShort, againAfter).unref();
  }

  return {
    run,
    pause,
    runsAnywayAfter: allEvery,
    news: selectNewestEvents(config),
    readsIndex: true,
    wokenBy: liveChannel,
    /** Ponder tells of each block with the tables that it changed: without any, only what waits for its block is nearer. */
    isWokenBy: (payload: string | null) => isWaiting || payload !== noTables,
  };
}

/** What Ponder tells of a block that changed no table. */
const noTables = "[]";
