import { and, asc, eq, gte, inArray, lte, notExists, or, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { getAddress } from "viem";
import type { Chain, Config } from "../config.ts";
import { type EscrowRow, escrow, readIndexedBlocks } from "../db/chain.ts";
import type { Database, Transaction } from "../db/client.ts";
import { escrowOfOrder, lockOrder, type OrderRow } from "../db/ledger.ts";
import { queueRelay } from "../db/relays.ts";
import { order, relay } from "../db/schema.ts";
import { plainCall } from "../settlement/calls.ts";
import { findDue } from "../settlement/exits.ts";
import { termsOf } from "../settlement/terms.ts";

/** Orders looked at in one query. */
const page = 100;
/** How long a call that failed rests before it is tried again. */
const rest = sql`interval '10 minutes'`;

/**
 * Queues the releases, refunds and settlements that the contract opens to anyone because time has passed, by the clock
 * of the chain as indexed: one relay for each, on nobody's budget, for orders of at least the amount whose gas the
 * service pays.
 *
 * It may be killed at any instant, and several may run at once.
 *
 * @returns how many calls were queued
 */
export async function settleDue(
  db: Database,
  { chains }: Pick<Config, "chains">,
  { log }: { log?: Logger } = {},
): Promise<number> {
  const clock = await readIndexedBlocks(db);
  let queued = 0;
  for (const chain of chains) {
    const now = clock.get(chain.chain_id)?.timestamp;
    if (now === undefined) continue;
    for (const select of [selectOpen, selectDisputed]) {
      let after: Place | undefined;
      for (;;) {
        const found = await select(db, chain, now, after);
        for (const { id } of found) {
          if (await db.transaction((tx) => queueDue(tx, chain, id, now, log))) queued += 1;
        }
        if (found.length < page) break;
        after = found.at(-1);
      }
    }
  }
  return queued;
}

/** Where a page ended. */
type Place = { at: string; id: string };

/**
 * A page of the orders under way whose acceptance window, or delivery deadline, is over and that nothing is on its way
 * for: by the contract's times as the ledger has them, the longest due first, which is how the index `order_due` lies.
 * `findDue` has the last word.
 */
export function selectOpen(db: Database, chain: Chain, now: bigint, after?: Place) {
  const dueAt = sql`coalesce(${order.autoReleaseAt}, ${order.deliveryDeadline})`;
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

/** The same of disputes, whose times are the escrow's alone; they are few, and read as the index `order_open` lies. */
export function selectDisputed(db: Database, chain: Chain, now: bigint, after?: Place) {
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
          and(eq(escrow.status, "disputed"), lte(escrow.decideBy, now)),
          and(eq(escrow.status, "decided"), lte(escrow.settleableAt, now)),
        ),
      ),
    )
    .orderBy(asc(order.fundBy), asc(order.id))
    .limit(page);
}

/** What an order has to be for its due call to be ours to send now. */
function isServed(db: Database | Transaction, chain: Chain) {
  return [
    eq(order.chainId, chain.chain_id),
    eq(order.escrowContract, chain.escrow_contract),
    gte(order.amount, chain.min_relay_amount),
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
                sql`${relay.intent} like ${order.escrowId} || ':due:%'`,
                eq(relay.status, "failed"),
                sql`${relay.updatedAt} > now() - ${rest}`,
              ),
            ),
          ),
        ),
    ),
  ];
}

async function queueDue(
  tx: Transaction,
  chain: Chain,
  orderId: string,
  now: bigint,
  log?: Logger,
): Promise<boolean> {
  if (!(await lockOrder(tx, orderId))) return false;
  // Again under the lock: another worker, or a party, may have come by meanwhile.
  const [found]: { row: OrderRow; escrow: EscrowRow }[] = await tx
    .select({ row: order, escrow })
    .from(order)
    .innerJoin(escrow, escrowOfOrder)
    .where(and(eq(order.id, orderId), ...isServed(tx, chain)));
  const due = found && findDue({ escrow: found.escrow, now });
  if (!found || !due) return false;
  const { row } = found;
  const call = plainCall({ escrowContract: getAddress(row.escrowContract), terms: termsOf(row) }, due);
  const { status } = await queueRelay(tx, {
    intent: `${row.escrowId}:due:${due}`,
    chainId: row.chainId,
    orderId,
    to: call.to,
    data: call.data,
  });
  // One that was mined is there still while the index has not come to its block.
  if (status !== "queued") return false;
  log?.info({ order_id: orderId, function: due }, "time has opened this to anyone: it is sent");
  return true;
}
