import { and, asc, eq, inArray, lte, notExists, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address, Hex } from "viem";
import { type ChainFact, chainFactOf, factEvents } from "../settlement/chain-facts.ts";
import { orderEventData } from "../settlement/events.ts";
import {
  type Actor,
  concernsArbiter,
  type FactType,
  foldFacts,
  isAnnounced,
  type OrderState,
} from "../settlement/lifecycle.ts";
import { presentFact } from "../settlement/trail.ts";
import { escrow, escrowEvent } from "./chain.ts";
import type { Database, Transaction } from "./client.ts";
import { insertEvents, type NewEvent } from "./events.ts";
import { fact, type JsonObject, order, wallet } from "./schema.ts";

export type OrderRow = typeof order.$inferSelect;
export type FactRow = typeof fact.$inferSelect;

/** A fact to be recorded. `key` makes it happen once, whoever tries again. */
export type NewFact = {
  type: FactType;
  actor: Actor;
  key: string;
  data?: JsonObject;
  occurredAt: Date;
  chain?: {
    chainId: number;
    blockNumber: bigint;
    blockHash: Hex;
    transactionHash: Hex;
    logIndex: number;
  };
};

/** An order's escrow in the index, for joins. */
export const escrowOfOrder = and(
  eq(escrow.chainId, order.chainId),
  eq(escrow.escrowId, order.escrowId),
  eq(escrow.contract, order.escrowContract),
);

/** Reads an order and keeps others from changing it until the transaction ends. */
export async function lockOrder(tx: Transaction, orderId: string): Promise<OrderRow | undefined> {
  const [row] = await tx.select().from(order).where(eq(order.id, orderId)).for("update");
  return row;
}

/** An order's facts in the order of the ledger. */
export function readFacts(db: Database | Transaction, orderId: string) {
  return db.select().from(fact).where(eq(fact.orderId, orderId)).orderBy(asc(fact.seq)) as Promise<
    FoldableFact[]
  >;
}
type FoldableFact = FactRow & { type: FactType; actor: Actor };

/** Holds for a row of `escrow_event` that the ledger has no fact of. */
export function isUnrecorded(db: Database | Transaction) {
  return notExists(db.select({ one: sql`1` }).from(fact).where(eq(fact.key, escrowEvent.id)));
}

/**
 * What the index has of an order's escrow and the ledger has not, in the order of the chain.
 *
 * @param upTo the newest block to look at; all of them when left out
 */
export async function readUnrecorded(
  db: Database | Transaction,
  row: OrderRow,
  upTo?: bigint,
): Promise<ChainFact[]> {
  const events = await db
    .select()
    .from(escrowEvent)
    .where(
      and(
        eq(escrowEvent.chainId, row.chainId),
        eq(escrowEvent.escrowId, row.escrowId),
        eq(escrowEvent.contract, row.escrowContract),
        inArray(escrowEvent.name, [...factEvents]),
        upTo === undefined ? undefined : lte(escrowEvent.blockNumber, upTo),
        isUnrecorded(db),
      ),
    )
    .orderBy(asc(escrowEvent.blockNumber), asc(escrowEvent.logIndex));
  return events.map((found) => chainFactOf(found, row)).filter((found) => found !== null);
}

/**
 * Records facts of one order together with everything that hangs on them: the order's folded state, and one
 * event for each account concerned. The order must be locked by `lockOrder` in the same transaction.
 *
 * @returns the facts that were new (a key already in the ledger changes nothing) and the state after them
 */
export async function recordFacts(
  tx: Transaction,
  row: OrderRow,
  facts: NewFact[],
): Promise<{ recorded: FoldableFact[]; state: OrderState }> {
  const recorded = facts.length === 0 ? [] : await insertFacts(tx, row, facts);
  // The first fact has none before it.
  const begins = recorded.some(({ type }) => type === "order.created");
  const state = foldFacts(begins ? recorded : await readFacts(tx, row.id));
  if (recorded.length > 0) {
    if (state.status !== row.status || !begins) await updateState(tx, row, state);
    await insertEvents(tx, await eventsOf(tx, row, recorded, state));
  }
  return { recorded, state };
}

async function insertFacts(tx: Transaction, row: OrderRow, facts: NewFact[]): Promise<FoldableFact[]> {
  const inserted = await tx
    .insert(fact)
    .values(
      facts.map(({ chain, data, ...rest }) => ({
        id: typeid("fct").toString(),
        orderId: row.id,
        data: data ?? {},
        ...rest,
        ...chain,
      })),
    )
    .onConflictDoNothing({ target: fact.key })
    .returning();
  return inserted.sort((a, b) => a.seq - b.seq) as FoldableFact[];
}

async function updateState(tx: Transaction, row: OrderRow, state: OrderState): Promise<void> {
  const { revisionRequested: _, ...columns } = state;
  await tx.update(order).set(columns).where(eq(order.id, row.id));
}

/** One event for each fact that the outside is told of and each account concerned: the parties, and a dispute's arbiter. */
async function eventsOf(
  tx: Transaction,
  row: OrderRow,
  recorded: FoldableFact[],
  state: OrderState,
): Promise<NewEvent[]> {
  const announced = recorded.filter(isAnnounced);
  const arbiter = await findArbiter();
  return announced.flatMap((newFact) =>
    [
      { accountId: row.buyerAccountId, role: "buyer" as const },
      { accountId: row.providerAccountId, role: "provider" as const },
      ...(arbiter && concernsArbiter(newFact) ? [{ accountId: arbiter, role: "arbiter" as const }] : []),
    ].map(({ accountId, role }) => ({
      accountId,
      type: newFact.type,
      orderId: row.id,
      factId: newFact.id,
      data: orderEventData(row, role, state, presentFact(newFact)),
    })),
  );

  /** Only a dispute concerns an arbiter, also one that has just left the chain. */
  async function findArbiter(): Promise<string | null> {
    if (!(row.disputedAt ?? state.disputedAt) || !announced.some(concernsArbiter)) return null;
    return readOwner(tx, row.arbiter);
  }
}

/** The account to which an address belongs, or null. */
export async function readOwner(db: Database | Transaction, address: Address): Promise<string | null> {
  const [owner] = await db
    .select({ accountId: wallet.accountId })
    .from(wallet)
    .where(eq(wallet.address, address));
  return owner?.accountId ?? null;
}
