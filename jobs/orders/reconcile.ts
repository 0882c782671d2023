import { and, asc, eq, gt, inArray, isNull, lt, notInArray, or, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { typeid } from "typeid-js";
import type { Chain, Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { chainWatch, divergence, order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { compareWitnesses, type Difference } from "../../protocol/facts/order-comparison.ts";
import { readAllWitnesses } from "../../trade/orders/order-comparison.ts";
import { batchingClientOf } from "../chain-client.ts";
import { actOnEach } from "../loop.ts";

/** Orders compared in one round, and how many of them are read together: each may hold large documents. */
const page = 100;
const together = 10;
/** How long ended orders are still compared. */
const watchedFor = sql`interval '7 days'`;
/** How long a divergence rests until it is looked at again. */
const lookAgainAfter = sql`interval '10 seconds'`;
/** From how many observations on it is logged: one may be a reading between two blocks. */
const sightingsToLog = 2;
/** Milliseconds between two lines of the log about the same divergence. */
const logEvery = 600_000;

export type ReconcileOptions = {
  log?: Logger;
  /** by divergence, when (ms) the log last had a line of it; kept by the caller from round to round */
  loggedAt?: Map<string, number>;
};

/**
 * Compares ledger, index and contract for a page of the open and the lately ended orders, and again for all that were
 * found to differ, and keeps a row for each difference that time will not mend. The place of the page is in the
 * database, so that several workers share the orders.
 *
 * @returns how many orders were compared, and how many rows of differences are open for them
 */
export async function reconcile(
  db: Database,
  { chains }: Pick<Config, "chains">,
  { log, loggedAt = new Map() }: ReconcileOptions = {},
): Promise<{ compared: number; diverging: number }> {
  const result = { compared: 0, diverging: 0 };
  // A chain whose node is out keeps no other from being compared.
  await actOnEach(chains, compareChain);
  return result;

  async function compareChain(chain: Chain): Promise<void> {
    const ids = [...new Set([...(await readDiverging(db, chain)), ...(await takePage(db, chain))])];
    const client = batchingClientOf(chain);
    for (let at = 0; at < ids.length; at += together) {
      const some = ids.slice(at, at + together);
      const readings = await readAllWitnesses(db, { chain, client }, some);
      const differed = await readDiffered(db, some);
      for (const { orderId, ...reading } of readings) {
        const lasting = compareWitnesses(reading).filter((found) => !found.expected_to_resolve);
        if (lasting.length > 0 || differed.has(orderId)) await keepDifferences(orderId, chain, lasting);
        result.compared += 1;
        result.diverging += lasting.length;
      }
    }
  }

  /** Brings an order's rows to what was found: new ones, those seen again, those that are gone. */
  async function keepDifferences(orderId: string, chain: Chain, found: Difference[]): Promise<void> {
    const ofOrder = and(eq(divergence.orderId, orderId), isNull(divergence.resolvedAt));
    for (const { what, ledger, index, contract, explanation } of found) {
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
      if (row && row.observations >= sightingsToLog) report(row);
    }
    const whats = found.map(({ what }) => what);
    const resolved = await db
      .update(divergence)
      .set({ resolvedAt: sql`now()` })
      .where(and(ofOrder, whats.length > 0 ? notInArray(divergence.what, whats) : undefined))
      .returning();
    for (const { id, what, observations } of resolved) {
      loggedAt.delete(id);
      if (observations >= sightingsToLog) log?.info({ order_id: orderId, what }, "a divergence is resolved");
    }
  }

  function report(row: typeof divergence.$inferSelect): void {
    if (Date.now() - (loggedAt.get(row.id) ?? 0) < logEvery) return;
    loggedAt.set(row.id, Date.now());
    const { orderId: order_id, chainId: chain_id, what, ledger, index, contract, explanation } = row;
    log?.error(
      { alert: "ledger_diverges", order_id, chain_id, what, ledger, index, contract, explanation },
      "ledger, index and contract do not agree on an order",
    );
  }
}

/** Which of these orders have a difference that is not resolved. */
async function readDiffered(db: Database, orderIds: string[]): Promise<Set<string>> {
  const rows = await db
    .select({ id: divergence.orderId })
    .from(divergence)
    .where(and(inArray(divergence.orderId, orderIds), isNull(divergence.resolvedAt)));
  return new Set(rows.map(({ id }) => id));
}

/** Orders with a difference that is not resolved, the longest unseen first. */
async function readDiverging(db: Database, chain: Chain): Promise<string[]> {
  const rows = await db
    .select({ id: divergence.orderId })
    .from(divergence)
    .where(
      and(
        eq(divergence.chainId, chain.chain_id),
        isNull(divergence.resolvedAt),
        lt(divergence.seenAt, sql`now() - ${lookAgainAfter}`),
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
    // Another worker is at it, or nobody has looked at the index yet.
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
