import { isDeepStrictEqual } from "node:util";
import { and, asc, eq, getTableColumns, inArray, ne, or, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Hex } from "viem";
import type { FactType, OrderState } from "../protocol/facts/fact.ts";
import { changesSpending, foldSpending } from "../protocol/facts/key-spending.ts";
import { concernsArbiter, concernsBuyerAlone, foldFacts, isAnnounced } from "../protocol/facts/lifecycle.ts";
import { orderEventData } from "../protocol/facts/order-events.ts";
import { presentFact } from "../protocol/facts/order-trail.ts";
import type { Actor } from "../protocol/settlement/vocabulary.ts";
import { insertEvents, type NewEvent } from "./account-events.ts";
import { escrow, escrowTally } from "./chain-index.ts";
import { type Database, placeholdersOf, prepareOnce, type Transaction } from "./client.ts";
import { deriveId } from "./derived-ids.ts";
import { queueExecution } from "./execution-queue.ts";
import { writeOutcome } from "./order-outcomes.ts";
import type { FoldableFact, OrderRow } from "./order-rows.ts";
import { fact, type JsonObject, keySpending, order } from "./schema.ts";
import { readOwner } from "./wallets.ts";

/** The columns that an order's terms are read from (`termsOf`), for those who read no whole row: its documents are long. */
export const termColumns = {
  buyerAddress: order.buyerAddress,
  providerAddress: order.providerAddress,
  token: order.token,
  amount: order.amount,
  fundBy: order.fundBy,
  deliveryWindow: order.deliveryWindow,
  acceptanceWindow: order.acceptanceWindow,
  disputeWindow: order.disputeWindow,
  appealWindow: order.appealWindow,
  arbiter: order.arbiter,
  orderHash: order.orderHash,
};

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
  const [row] = await selectLocked(tx).execute({ orderId });
  return row;
}

const selectLocked = prepareOnce("lock_order", (db) =>
  db
    .select()
    .from(order)
    .where(eq(order.id, sql.placeholder("orderId")))
    .for("update"),
);

/** An order's facts in the order of the ledger. */
export function readFacts(db: Database | Transaction, orderId: string) {
  return readFactsOf(db, [orderId]);
}

/** The same of several orders. */
export function readFactsOf(db: Database | Transaction, orderIds: readonly string[]) {
  return db
    .select()
    .from(fact)
    .where(inArray(fact.orderId, [...orderIds]))
    .orderBy(asc(fact.seq)) as Promise<FoldableFact[]>;
}

/** The facts that an order's state is folded from: without what was only said, which is long. */
export function readSteps(tx: Transaction, orderId: string) {
  return selectSteps(tx).execute({ orderId }) as Promise<FoldableFact[]>;
}

const selectSteps = prepareOnce("read_steps", (db) =>
  db
    .select()
    .from(fact)
    .where(and(eq(fact.orderId, sql.placeholder("orderId")), ne(fact.type, "dispute.statement")))
    .orderBy(asc(fact.seq)),
);

/** What is counted of an order's escrow: returns of its own token, and records of deliveries beyond the first. */
export function readTallies(db: Database | Transaction, row: OrderRow) {
  return db
    .select()
    .from(escrowTally)
    .where(
      and(
        eq(escrowTally.chainId, row.chainId),
        eq(escrowTally.escrowId, row.escrowId),
        or(
          and(eq(escrowTally.name, "DepositReturned"), eq(escrowTally.token, row.token)),
          eq(escrowTally.name, "DeliveryRecorded"),
        ),
      ),
    );
}

/** What the recording of facts came to. */
export type Recorded = {
  /** those that were new: a key already in the ledger changes nothing */
  recorded: FoldableFact[];
  /** all that the state is folded from */
  steps: FoldableFact[];
  /** after them */
  state: OrderState;
};

/**
 * Records facts of one order together with everything that hangs on them: the order's folded state, one event for each
 * account concerned, its execution at the provider's endpoint, and its outcome. The order must be locked by `lockOrder`
 * in the same transaction.
 *
 * @param options.before the order's steps, where they were read under its lock
 */
export async function recordFacts(
  tx: Transaction,
  row: OrderRow,
  facts: NewFact[],
  { before }: { before?: readonly FoldableFact[] } = {},
): Promise<Recorded> {
  const recorded = facts.length === 0 ? [] : await insertFacts(tx, row, facts);
  const steps = before ? [...before, ...recorded] : await readSteps(tx, row.id);
  const result = { recorded, steps, state: foldFacts(steps) };
  if (recorded.length === 0) return result;
  await updateState(tx, row, result.state);
  await updateSpending(tx, row, result);
  await updateOutcome(tx, row, result);
  await insertEvents(tx, await eventsOf(tx, row, recorded, result.state));
  await queueExecution(tx, row, recorded);
  return result;
}

async function updateSpending(tx: Transaction, row: OrderRow, { recorded, steps }: Recorded): Promise<void> {
  if (!recorded.some(changesSpending)) return;
  const spending = foldSpending(steps, row.amount);
  await tx.update(keySpending).set(spending).where(eq(keySpending.orderId, row.id));
}

async function updateOutcome(tx: Transaction, row: OrderRow, { steps, state }: Recorded): Promise<void> {
  if (row.completedAt || state.completedAt) await writeOutcome(tx, row, steps);
}

async function insertFacts(tx: Transaction, row: OrderRow, facts: NewFact[]): Promise<FoldableFact[]> {
  const inserted: FoldableFact[] = [];
  for (const { chain, data, ...rest } of facts) {
    const at = chain ? { time: rest.occurredAt, place: chain.logIndex } : { time: row.createdAt, place: 0 };
    const id = factIdOf(row, rest.key, { actor: rest.actor, at });
    const values = { id, orderId: row.id, data: data ?? {}, ...rest, ...(chain ?? nowhere) };
    const [given] = await insertFact(tx).execute(values);
    if (given) inserted.push({ ...values, ...given });
  }
  return inserted;
}

/** The place of a fact that is not of the chain. */
const nowhere = { chainId: null, blockNumber: null, blockHash: null, transactionHash: null, logIndex: null };

const { seq: _, recordedAt: __, ...factColumns } = getTableColumns(fact);

const insertFact = prepareOnce("insert_fact", (db) =>
  db
    .insert(fact)
    .values(placeholdersOf(factColumns))
    .onConflictDoNothing({ target: fact.key })
    .returning({ seq: fact.seq, recordedAt: fact.recordedAt }),
);

/**
 * What the chain said, and what only time brings, is recorded again by a database that was restored from an old copy: it
 * has the same id then. What people do they do anew.
 */
function factIdOf(
  { id }: OrderRow,
  key: string,
  { actor, at }: { actor: Actor; at: { time: Date; place: number } },
): string {
  return actor === "chain" || actor === "service" ? deriveId("fct", at, id, key) : typeid("fct").toString();
}

async function updateState(tx: Transaction, row: OrderRow, state: OrderState): Promise<void> {
  const { revisionRequested: _, ...columns } = state;
  const isSame = (name: keyof typeof columns) => isDeepStrictEqual(columns[name], row[name]);
  if ((Object.keys(columns) as (keyof typeof columns)[]).every(isSame)) return;
  await tx.update(order).set(columns).where(eq(order.id, row.id));
}

/** One event for each fact that the outside is told of and each account concerned: the parties, and a dispute's arbiter. */
async function eventsOf(
  db: Database | Transaction,
  row: OrderRow,
  recorded: FoldableFact[],
  state: OrderState,
): Promise<NewEvent[]> {
  const announced = recorded.filter(isAnnounced);
  const arbiter = await findArbiter();
  return announced.flatMap((newFact) =>
    [
      { accountId: row.buyerAccountId, role: "buyer" as const },
      ...(concernsBuyerAlone(newFact)
        ? []
        : [{ accountId: row.providerAccountId, role: "provider" as const }]),
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
    return readOwner(db, { address: row.arbiter, chainId: row.chainId });
  }
}
