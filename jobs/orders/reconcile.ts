import type { Logger } from "pino";
import { typeid } from "typeid-js";
import type { Chain, Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { and, asc, eq, gt, inArray, isNull, lt, notInArray, or, sql } from "../../db/drizzle.ts";
import { chainWatch, divergence, order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { compareSources, type Difference } from "../../protocol/facts/source-comparison.ts";
import { readAllOrderViews } from "../../trade/orders/order-views.ts";
import { batchingClientOf } from "../chain-client.ts";
import { actOnEach } from "../loop.ts";

/** Orders compared in one round. */
const page = 100;
const together = 10;
/** How long ended orders are still compared. */
const watchedFor = sql`interval '7 days'`;
/** How long a divergence waits for its next comparison. */
const compareAgainAfter = sql`interval '10 seconds'`;
/** Observations of a divergence before it is logged. A single one may be a read between two blocks. */
const observationsToLog = 2;
/** Milliseconds between two log lines about one divergence. */
const logEvery = 600_000;

export type ReconcileOptions = {
  log?: Logger;
  /** the time (ms) of the last log line of each divergence; the caller keeps it between rounds */
  loggedAt?: Map<string, number>;
};

/**
 * Compares ledger, index and contract for a page of open and recently ended orders, and again for all diverging orders.
 * Stores a row for each difference that time will not resolve. The page's position is in the database, so that workers
 * share the orders.
 * @returns how many orders were compared, and how many open differences they have
 */
export async function reconcile(
  db: Database,
  { chains }: Pick<Config, "chains">,
  { log, loggedAt = new Map() }: ReconcileOptions = {},
): Promise<{ compared: number; diverging: number }> {
  const result = { compared: 0, diverging: 0 };
  // A chain whose node is down does not stop the comparison of others.
  await actOnEach(chains, compareChain);
  return result;

  async function compareChain(chain: Chain): Promise<void> {
    const ids = [...new Set([...(await readDiverging(db, chain)), ...(await takePage(db, chain))])];
    const client = batchingClientOf(chain);
    for (let at = 0; at < ids.length; at += together) {
      const some = ids.slice(at, at + together);
      const readings = await readAllOrderViews(db, { chain, client }, some);
      const knownDiverging = await readDiffered(db, some);
      for (const { orderId, ...reading } of readings) {
        const lasting = compareSources(reading).filter((difference) => !difference.expected_to_resolve);
        if (lasting.length > 0 || knownDiverging.has(orderId))
          await storeDifferences(orderId, chain, lasting);
        result.compared += 1;
        result.diverging += lasting.length;
      }
    }
  }

  /** Updates an order's rows: adds new differences, counts repeated ones, resolves the rest. */
  async function storeDifferences(orderId: string, chain: Chain, differences: Difference[]): Promise<void> {
    const ofOrder = and(eq(divergence.orderId, orderId), isNull(divergence.resolvedAt));
    for (const { what, ledger, index, contract, explanation } of differences) {
      const readings = { ledger, index, contract, explanation };
      const [row] = await db
        .insert(divergence)
        .values({ id: typeid("dvg").toString(), orderId, chainId: chain.chain_id, what, ...readings })
        .onConflictDoUpdate({
          target: [divergence.orderId, divergence.what],
          targetWhere: isNull(divergence.resolvedAt),
          set: { ...readings, seenAt: sql`now()`, observations: sql`${divergence.observations} + 1` },
        })
        .returning();
      if (row && row.observations >= observationsToLog) report(row);
    }
    const whats = differences.map(({ what }) => what);
    const resolved = await db
      .update(divergence)
      .set({ resolvedAt: sql`now()` })
      .where(and(ofOrder, whats.length > 0 ? notInArray(divergence.what, whats) : undefined))
      .returning();
    for (const { id, what, observations } of resolved) {
      loggedAt.delete(id);
      if (observations >= observationsToLog)
        log?.info({ order_id: orderId, what }, "a divergence was resolved");
    }
  }

  function report(row: typeof divergence.$inferSelect): void {
    if (Date.now() - (loggedAt.get(row.id) ?? 0) < logEvery) return;
    loggedAt.set(row.id, Date.now());
    const { orderId: order_id, chainId: chain_id, what, ledger, index, contract, explanation } = row;
    log?.error(
      { alert: "ledger_diverges", order_id, chain_id, what, ledger, index, contract, explanation },
      "ledger, index and contract disagree on an order",
    );
  }
}

/** Reads which of the orders have an unresolved difference. */
async function readDiffered(db: Database, orderIds: string[]): Promise<Set<string>> {
  const rows = await db
    .select({ id: divergence.orderId })
    .from(divergence)
    .where(and(inArray(divergence.orderId, orderIds), isNull(divergence.resolvedAt)));
  return new Set(rows.map(({ id }) => id));
}

/** Reads orders with an unresolved difference, the longest unchecked first. */
async function readDiverging(db: Database, chain: Chain): Promise<string[]> {
  const rows = await db
    .select({ id: divergence.orderId })
    .from(divergence)
    .where(
      and(
        eq(divergence.chainId, chain.chain_id),
        isNull(divergence.resolvedAt),
        lt(divergence.seenAt, sql`now() - ${compareAgainAfter}`),
      ),
    )
    .groupBy(divergence.orderId)
    .orderBy(sql`min(${divergence.seenAt})`)
    .limit(page);
  return rows.map(({ id }) => id);
}

/** Takes the next page of orders, which no other worker gets in this round. */
async function takePage(db: Database, chain: Chain): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    const ofChain = eq(chainWatch.chainId, chain.chain_id);
    const [watch] = await tx.select().from(chainWatch).where(ofChain).for("update", { skipLocked: true });
    // Another worker holds the row, or the index watch has not created it yet.
    if (!watch) return [];
    const rows = await tx
      .select({ id: order.id })
      .from(order)
      .where(
        and(
          eq(order.chainId, chain.chain_id),
          eq(order.escrowContract, chain.escrow_contract),
          gt(order.id, watch.reconciledUpTo),
          or(
            inArray(order.status, ["created", "funded", "started", "delivered", "disputed"]),
            gt(order.completedAt, sql`now() - ${watchedFor}`),
            and(
              eq(order.status, "expired"),
              sql`${order.fundBy} > extract(epoch from now() - ${watchedFor})`,
            ),
          ),
        ),
      )
      .orderBy(asc(order.id))
      .limit(page);
    const ended = rows.length < page;
    await tx
      .update(chainWatch)
      .set({
        reconciledUpTo: ended ? "" : (rows.at(-1)?.id ?? ""),
        ...(ended ? { reconciledAt: sql`now()` } : {}),
      })
      .where(ofChain);
    return rows.map(({ id }) => id);
  });
}
