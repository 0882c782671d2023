import { getAddress } from "viem";
import type { Chain } from "../../config/config.ts";
import { type EscrowRow, escrow } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, asc, eq, gte, inArray, isNotNull, isNull, lte, notExists, or, sql } from "../../db/drizzle.ts";
import { escrowOfOrder, lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { dueTime, order, relay } from "../../db/schema.ts";
import { findDueCall } from "../../protocol/facts/due-settlement.ts";
import { unixOf } from "../../protocol/settlement/actions.ts";
import { plainCall } from "../../protocol/settlement/calls.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import { pauseAfterFailure, queueRelay } from "../relay/relay-queue.ts";
import { leastRelayed } from "../services/payment-token.ts";
import { partsOf } from "./signed-acts.ts";

/** Orders per query. */
const page = 100;

/**
 * Yields the orders of a chain whose release, refund or settlement may be open to anyone and has no pending relay.
 * `queueDue` decides.
 *
 * @param now the chain's time as indexed, in unix seconds
 */
export async function* readDueOrders(db: Database, chain: Chain, now: bigint): AsyncGenerator<string> {
  for (const select of [selectOpen, selectDisputed]) {
    let after: PageEnd | undefined;
    for (;;) {
      const found = await select(db, chain, now, after);
      for (const { id } of found) yield id;
      if (found.length < page) break;
      after = found.at(-1);
    }
  }
}

/**
 * Queues the release, refund or settlement of an order that the contract opens to anyone after a time. The call
 * counts against no account's gas budget, and needs the chain's minimum amount. No provider is paid on a record that
 * matches no delivery.
 *
 * @param now the chain's time as indexed, in unix seconds
 * @returns the called function; null if nothing is due or the call is already queued
 */
export async function queueDue(tx: Transaction, chain: Chain, orderId: string, now: bigint) {
  if (!(await lockOrder(tx, orderId))) return null;
  // Read under the lock: another worker or a party may have acted meanwhile.
  const [found]: { row: OrderRow; escrow: EscrowRow }[] = await tx
    .select({ row: order, escrow })
    .from(order)
    .innerJoin(escrow, escrowOfOrder)
    .where(and(eq(order.id, orderId), ...isServed(tx, chain)));
  const releaseDueAt = found?.row.releaseDueAt ?? null;
  const due =
    found &&
    findDueCall({
      escrow: found.escrow,
      now,
      staged: partsOf(found.row).staged,
      releaseDueAt: releaseDueAt && unixOf(releaseDueAt),
    });
  if (!found || !due) return null;
  const { row } = found;
  const call = plainCall({ escrowContract: getAddress(row.escrowContract), terms: termsOf(row) }, due);
  const { status } = await queueRelay(tx, {
    // Each stage is paid once.
    key: `${row.escrowId}:due:${due}${due === "releasePart" ? `:${row.deliveredStage}` : ""}`,
    chainId: row.chainId,
    orderId,
    to: call.to,
    data: call.data,
    gasBound: gasBounds.due,
  });
  // A mined call is not queued again while the index has not reached its block.
  return status === "queued" ? due : null;
}

/** The position of the last row of a page. */
type PageEnd = { at: string; id: string };

/**
 * Selects a page of open orders that are past their acceptance window or delivery deadline and have no queued call.
 * The times are the contract's, as the ledger has them. The order is that of the index `order_due`: the longest due
 * first.
 */
export function selectOpen(db: Database, chain: Chain, now: bigint, after?: PageEnd) {
  const dueAt = dueTime(order);
  return db
    .select({ id: order.id, at: sql<string>`${dueAt}::text` })
    .from(order)
    .innerJoin(escrow, escrowOfOrder)
    .where(
      and(
        sql`${order.status} in ('funded', 'started', 'delivered')`,
        sql`${dueAt} <= to_timestamp(${now.toString()}::bigint)`,
        after && sql`(${dueAt}, ${order.id}) > (${after.at}::timestamptz, ${after.id})`,
        ...isServed(db, chain),
        eq(escrow.status, "funded"),
      ),
    )
    .orderBy(asc(dueAt), asc(order.id))
    .limit(page);
}

/** Selects a page of due disputes by the escrow's times, in the order of the index `order_open`. Disputes are few. */
export function selectDisputed(db: Database, chain: Chain, now: bigint, after?: PageEnd) {
  return db
    .select({ id: order.id, at: sql<string>`${order.fundBy}::text` })
    .from(order)
    .innerJoin(escrow, escrowOfOrder)
    .where(
      and(
        eq(order.status, "disputed"),
        after && sql`(${order.fundBy}, ${order.id}) > (${after.at}::bigint, ${after.id})`,
        ...isServed(db, chain),
        or(
          and(
            eq(escrow.status, "disputed"),
            lte(escrow.decideBy, now),
            or(
              and(isNull(escrow.autoReleaseAt), lte(escrow.earnedAmount, escrow.paidAmount)),
              isNotNull(order.releaseDueAt),
            ),
          ),
          and(eq(escrow.status, "decided"), lte(escrow.settleableAt, now)),
        ),
      ),
    )
    .orderBy(asc(order.fundBy), asc(order.id))
    .limit(page);
}

/** The most decimals of a configured token. */
const mostDecimals = 36;

/** Returns the least relayed amount of tokens with 0, 1, 2 and more decimals, as an array of PostgreSQL. */
function leastByDecimals(chain: Chain): string {
  const least = Array.from({ length: mostDecimals + 1 }, (_, decimals) => leastRelayed(chain, { decimals }));
  return `{${least.join()}}`;
}

/** Returns the conditions on which the service sends the due call of an order. */
function isServed(db: Database | Transaction, chain: Chain) {
  return [
    eq(order.chainId, chain.chain_id),
    eq(order.escrowContract, chain.escrow_contract),
    gte(order.amount, sql`(${leastByDecimals(chain)}::numeric[])[${order.tokenDecimals} + 1]`),
    notExists(
      db
        .select({ one: sql`1` })
        .from(relay)
        .where(
          and(
            eq(relay.orderId, order.id),
            or(
              inArray(relay.status, ["queued", "signed"]),
              and(
                sql`${relay.key} like ${order.escrowId} || ':due:%'`,
                eq(relay.status, "failed"),
                sql`${relay.updatedAt} > now() - ${pauseAfterFailure}`,
              ),
            ),
          ),
        ),
    ),
  ];
}
