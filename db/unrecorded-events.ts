import { type ChainEvent, type ChainFact, chainFactOf, factEvents } from "../protocol/facts/chain-facts.ts";
import { keptParts } from "../protocol/facts/kept-parts.ts";
import { escrowEvent } from "./chain-index.ts";
import { type Database, prepareOnce, type Transaction } from "./client.ts";
import { and, asc, eq, inArray, isNotNull, notExists, type SQL, sql } from "./drizzle.ts";
import type { OrderRow } from "./order-rows.ts";
import { fact, order } from "./schema.ts";

/** Returns a condition that the ledger has no fact of a row of `escrow_event`. */
function isUnrecorded(db: Database | Transaction) {
  return notExists(db.select({ one: sql`1` }).from(fact).where(eq(fact.key, escrowEvent.id)));
}

/**
 * Reads the events of an order's escrow that the ledger has no fact of, as facts, in the order of the chain.
 *
 * @param upTo the newest block to read; undefined for all blocks
 */
export async function readUnrecorded(
  db: Database | Transaction,
  row: OrderRow,
  upTo?: bigint,
): Promise<ChainFact[]> {
  return chainFactsOf(await readUnrecordedEvents(db, row, upTo), row);
}

/** Reads the events of an escrow that the ledger has no fact of, as the index has them. */
export function readUnrecordedEvents(
  db: Database | Transaction,
  { chainId, escrowId, escrowContract }: Pick<OrderRow, "chainId" | "escrowId" | "escrowContract">,
  upTo?: bigint,
) {
  return selectUnrecorded(db).execute({
    chainId,
    escrowId,
    escrowContract,
    upTo: upTo === undefined ? null : upTo.toString(),
  });
}

export function chainFactsOf(events: readonly ChainEvent[], row: OrderRow): ChainFact[] {
  return events.map((event) => chainFactOf(event, row)).filter((found) => found !== null);
}

const selectUnrecorded = prepareOnce("read_unrecorded", (db) =>
  db
    .select()
    .from(escrowEvent)
    .where(
      and(
        eq(escrowEvent.chainId, sql.placeholder("chainId")),
        eq(escrowEvent.escrowId, sql.placeholder("escrowId")),
        eq(escrowEvent.contract, sql.placeholder("escrowContract")),
        isToBeRecorded(db),
      ),
    )
    .orderBy(asc(escrowEvent.blockNumber), asc(escrowEvent.logIndex)),
);

/** Returns a condition that a row of `escrow_event` can be a fact: payments of parts beyond a number cannot. */
export function isKept(event: SQL): SQL {
  return sql`(${event}.name <> 'PartReleased' or (${event}.args->>'number')::int <= ${sql.raw(String(keptParts))})`;
}

/** Returns a condition that an event up to a block needs a fact and has none. */
function isToBeRecorded(db: Database | Transaction) {
  return and(
    inArray(escrowEvent.name, [...factEvents]),
    sql`(${sql.placeholder("upTo")}::numeric is null or ${escrowEvent.blockNumber} <= ${sql.placeholder("upTo")}::numeric)`,
    isKept(sql`${escrowEvent}`),
    isUnrecorded(db),
  );
}

/**
 * Locks an order that has unrecorded events up to a block. An order without them is not locked, because each lock is a
 * write and delays the commit.
 *
 * @param options.waitsForLock whether to wait if another transaction has the lock
 */
export async function lockUnrecorded(
  tx: Transaction,
  { orderId, upTo, waitsForLock }: { orderId: string; upTo: bigint; waitsForLock: boolean },
): Promise<OrderRow | undefined> {
  const select = waitsForLock ? selectToLock : selectFreeToLock;
  const [row] = await select(tx).execute({ orderId, upTo: upTo.toString() });
  return row;
}

const withUnrecorded = (db: Database | Transaction) =>
  db
    .select()
    .from(order)
    .where(
      and(
        eq(order.id, sql.placeholder("orderId")),
        // PostgreSQL does not turn a subquery for one row into a join, so it uses the index, however many events there are.
        isNotNull(
          sql`(${db
            .select({ one: sql`1` })
            .from(escrowEvent)
            .where(
              and(
                eq(escrowEvent.chainId, order.chainId),
                eq(escrowEvent.escrowId, order.escrowId),
                eq(escrowEvent.contract, order.escrowContract),
                isToBeRecorded(db),
              ),
            )
            .limit(1)})`,
        ),
      ),
    );
const selectToLock = prepareOnce("lock_unrecorded", (db) => withUnrecorded(db).for("update"));
const selectFreeToLock = prepareOnce("lock_unrecorded_free", (db) =>
  withUnrecorded(db).for("update", { skipLocked: true }),
);
