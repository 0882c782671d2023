import { isDeepStrictEqual } from "node:util";
import { typeid } from "typeid-js";
import type { Hex } from "viem";
import { changesCountedAmount, countedAmountOf } from "../protocol/facts/counted-amount.ts";
import { matchesOf } from "../protocol/facts/delivery-record.ts";
import type { FactType, OrderState } from "../protocol/facts/fact.ts";
import type { FactData } from "../protocol/facts/fact-words.ts";
import {
  concernsArbiter,
  concernsBuyerAlone,
  effectiveFacts,
  foldFacts,
  isAnnounced,
} from "../protocol/facts/lifecycle.ts";
import { orderEventData } from "../protocol/facts/order-events.ts";
import { presentFact } from "../protocol/facts/order-trail.ts";
import type { Actor } from "../protocol/settlement/vocabulary.ts";
import { insertEvents, type NewEvent } from "./account-events.ts";
import { escrow, escrowTally } from "./chain-index.ts";
import { type Database, placeholdersOf, prepareOnce, type Transaction } from "./client.ts";
import { deriveId } from "./derived-ids.ts";
import { and, asc, eq, getTableColumns, inArray, ne, or, sql } from "./drizzle.ts";
import { queueExecution } from "./execution-queue.ts";
import { writeOutcome } from "./order-outcomes.ts";
import type { FoldableFact, OrderRow } from "./order-rows.ts";
import { fact, keySpending, order } from "./schema.ts";
import { readArbiter } from "./wallets.ts";

/** The columns for `termsOf`. A whole row has long documents. */
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

/** A fact to be recorded. The ledger has one fact of a `key`. */
export type NewFact = {
  type: FactType;
  actor: Actor;
  key: string;
  data?: FactData;
  occurredAt: Date;
  chain?: {
    chainId: number;
    blockNumber: bigint;
    blockHash: Hex;
    transactionHash: Hex;
    logIndex: number;
  };
};

/** Joins an order with its escrow in the index. */
export const escrowOfOrder = and(
  eq(escrow.chainId, order.chainId),
  eq(escrow.escrowId, order.escrowId),
  eq(escrow.contract, order.escrowContract),
);

/** Reads an order and locks it against other changes until the transaction ends. */
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

/** Reads an order's facts in the order of the ledger. */
export function readFacts(db: Database | Transaction, orderId: string) {
  return readFactsOf(db, [orderId]);
}

/** Reads the facts of several orders in the order of the ledger. */
export function readFactsOf(db: Database | Transaction, orderIds: readonly string[]) {
  return db
    .select()
    .from(fact)
    .where(inArray(fact.orderId, [...orderIds]))
    .orderBy(asc(fact.seq)) as Promise<FoldableFact[]>;
}

/** Reads the facts that an order's state is folded from: all but the statements in disputes, which are long. */
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

/** Reads the counts of an order's escrow: returns of its token, and repeated delivery records. */
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
          inArray(escrowTally.name, ["DeliveryRecorded", "PartRecorded"]),
        ),
      ),
    );
}

/** The result of recording facts. */
export type Recorded = {
  /** the new facts; a fact with a known key changes nothing */
  recorded: FoldableFact[];
  /** all facts that the state is folded from */
  steps: FoldableFact[];
  /** the state after all steps */
  state: OrderState;
};

/**
 * Records facts of an order with their effects: the folded state, key spending, the outcome, an event for each account
 * concerned, and the execution at the provider's endpoint. Lock the order with `lockOrder` in the same transaction first.
 *
 * @param options.before the order's steps, if the caller has read them under the lock
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
  await updateCountedAmount(tx, row, result);
  await updateOutcome(tx, row, result);
  await insertEvents(tx, await eventsOf(tx, row, result));
  // An endpoint answers with one output, so the provider delivers stages itself.
  if (!row.stages) await queueExecution(tx, row, recorded);
  return result;
}

async function updateCountedAmount(
  tx: Transaction,
  row: OrderRow,
  { recorded, steps }: Recorded,
): Promise<void> {
  if (!recorded.some(changesCountedAmount)) return;
  const counted = countedAmountOf(steps, row.amount);
  await tx.update(keySpending).set(counted).where(eq(keySpending.orderId, row.id));
}

async function updateOutcome(tx: Transaction, row: OrderRow, { steps, state }: Recorded): Promise<void> {
  if (row.completedAt || state.completedAt) await writeOutcome(tx, row, steps);
}

async function insertFacts(tx: Transaction, row: OrderRow, facts: NewFact[]): Promise<FoldableFact[]> {
  const inserted: FoldableFact[] = [];
  for (const { chain, data, ...rest } of facts) {
    const at = chain ? { time: rest.occurredAt, index: chain.logIndex } : { time: row.createdAt, index: 0 };
    const id = factIdOf(row, rest.key, { actor: rest.actor, at });
    const values = { id, orderId: row.id, data: data ?? {}, ...rest, ...(chain ?? offChain) };
    const [generated] = await insertFact(tx).execute(values);
    if (generated) inserted.push({ ...values, ...generated });
  }
  return inserted;
}

/** The chain columns of a fact that has no event on the chain. */
const offChain = { chainId: null, blockNumber: null, blockHash: null, transactionHash: null, logIndex: null };

const { seq: _, recordedAt: __, ...factColumns } = getTableColumns(fact);

const insertFact = prepareOnce("insert_fact", (db) =>
  db
    .insert(fact)
    .values(placeholdersOf(factColumns))
    .onConflictDoNothing({ target: fact.key })
    .returning({ seq: fact.seq, recordedAt: fact.recordedAt }),
);

/**
 * Returns the id of a fact. A database that is restored from an old copy records facts of the chain and of time again,
 * under the same ids. Facts of people get random ids.
 */
function factIdOf(
  { id }: OrderRow,
  key: string,
  { actor, at }: { actor: Actor; at: { time: Date; index: number } },
): string {
  return actor === "chain" || actor === "service" ? deriveId("fct", at, id, key) : typeid("fct").toString();
}

async function updateState(tx: Transaction, row: OrderRow, state: OrderState): Promise<void> {
  const { revisionRequested: _, ...columns } = state;
  const isSame = (name: keyof typeof columns) => isDeepStrictEqual(columns[name], row[name]);
  if ((Object.keys(columns) as (keyof typeof columns)[]).every(isSame)) return;
  await tx.update(order).set(columns).where(eq(order.id, row.id));
}

/** Returns an event for each announced fact and each account concerned: the parties, and a dispute's arbiter. */
async function eventsOf(
  db: Database | Transaction,
  row: OrderRow,
  { recorded, steps, state }: Recorded,
): Promise<NewEvent[]> {
  const announced = recorded.filter((newFact) => isAnnounced(newFact, steps));
  const arbiter = await findArbiter();
  const hasPart = announced.some(({ type }) => type === "part.recorded");
  const matches = new Set(hasPart ? matchesOf(effectiveFacts(steps)).map(({ record }) => record.id) : []);
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
      data: orderEventData(row, role, state, presentFact(newFact), matches.has(newFact.id)),
    })),
  );

  /** Finds the arbiter's account, if the facts concern a dispute. A reorganisation may just have removed the dispute. */
  async function findArbiter(): Promise<string | null> {
    if (!(row.disputedAt ?? state.disputedAt) || !announced.some(concernsArbiter)) return null;
    return readArbiter(db, row);
  }
}
