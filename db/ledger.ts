import { and, asc, type Column, eq, getTableColumns, inArray, ne, notExists, or, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { QueryResult } from "pg";
import { typeid } from "typeid-js";
import type { Hex } from "viem";
import { type ChainFact, chainFactOf, factEvents } from "../facts/chain-facts.ts";
import { orderEventData } from "../facts/events.ts";
import {
  concernsArbiter,
  concernsBuyerAlone,
  type FactType,
  foldFacts,
  isAnnounced,
  type OrderState,
} from "../facts/lifecycle.ts";
import { changesSpending, foldSpending } from "../facts/spending.ts";
import { presentFact } from "../facts/trail.ts";
import type { Actor } from "../settlement/vocabulary.ts";
import { escrow, escrowEvent, escrowTally } from "./chain.ts";
import { type Database, prepareOnce, type Transaction } from "./client.ts";
import {
  createEventId,
  insertDeliveries,
  insertEvents,
  type NewEvent,
  readWantedDeliveries,
  type WantedDelivery,
} from "./events.ts";
import { queueExecution } from "./executions.ts";
import { event, fact, type JsonObject, keySpending, order } from "./schema.ts";
import { readOwner } from "./wallets.ts";

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
  const [row] = await selectLocked(tx).execute({ orderId });
  return row;
}

const selectLocked = prepareOnce((db) =>
  db
    .select()
    .from(order)
    .where(eq(order.id, sql.placeholder("orderId")))
    .for("update")
    .prepare("lock_order"),
);

/** An order's facts in the order of the ledger. */
export function readFacts(db: Database | Transaction, orderId: string) {
  return db.select().from(fact).where(eq(fact.orderId, orderId)).orderBy(asc(fact.seq)) as Promise<
    FoldableFact[]
  >;
}
export type FoldableFact = FactRow & { type: FactType; actor: Actor };

/** The facts that an order's state is folded from: without what was only said, which is long. */
function readSteps(tx: Transaction, orderId: string) {
  return selectSteps(tx).execute({ orderId }) as Promise<FoldableFact[]>;
}

const selectSteps = prepareOnce((db) =>
  db
    .select()
    .from(fact)
    .where(and(eq(fact.orderId, sql.placeholder("orderId")), ne(fact.type, "dispute.statement")))
    .orderBy(asc(fact.seq))
    .prepare("read_steps"),
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

/** Holds for a row of `escrow_event` that the ledger has no fact of. */
function isUnrecorded(db: Database | Transaction) {
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
  const { chainId, escrowId, escrowContract } = row;
  const events = await selectUnrecorded(db).execute({
    ...{ chainId, escrowId, escrowContract },
    upTo: upTo === undefined ? null : upTo.toString(),
  });
  return events.map((found) => chainFactOf(found, row)).filter((found) => found !== null);
}

const selectUnrecorded = prepareOnce((db) =>
  db
    .select()
    .from(escrowEvent)
    .where(
      and(
        eq(escrowEvent.chainId, sql.placeholder("chainId")),
        eq(escrowEvent.escrowId, sql.placeholder("escrowId")),
        eq(escrowEvent.contract, sql.placeholder("escrowContract")),
        inArray(escrowEvent.name, [...factEvents]),
        sql`(${sql.placeholder("upTo")}::numeric is null or ${escrowEvent.blockNumber} <= ${sql.placeholder("upTo")}::numeric)`,
        isUnrecorded(db),
      ),
    )
    .orderBy(asc(escrowEvent.blockNumber), asc(escrowEvent.logIndex))
    .prepare("read_unrecorded"),
);

/**
 * Records facts of one order together with everything that hangs on them: the order's folded state, one event for each
 * account concerned, and its execution at the provider's endpoint. The order must be locked by `lockOrder` in the same transaction.
 *
 * @returns the facts that were new (a key already in the ledger changes nothing), all that the state is folded from, and
 * the state after them
 */
export async function recordFacts(
  tx: Transaction,
  row: OrderRow,
  facts: NewFact[],
): Promise<{ recorded: FoldableFact[]; steps: FoldableFact[]; state: OrderState }> {
  const recorded = facts.length === 0 ? [] : await insertFacts(tx, row, facts);
  const steps = await readSteps(tx, row.id);
  const state = foldFacts(steps);
  if (recorded.length > 0) {
    await updateState(tx, row, state);
    if (recorded.some(changesSpending)) {
      const spending = foldSpending(steps, row.amount);
      await tx.update(keySpending).set(spending).where(eq(keySpending.orderId, row.id));
    }
    await insertEvents(tx, await eventsOf(tx, row, recorded, state));
    await queueExecution(tx, row, recorded);
  }
  return { recorded, steps, state };
}

/** An order that is about to be written, without what the fold of its facts will say. */
export type NewOrder = Omit<OrderRow, "outputPayload" | keyof OrderState>;

/**
 * Records an order together with its first fact and with all that hangs on it, as `recordFacts` does for the facts to
 * come. That is one statement, since nobody else can have written anything of the order yet.
 *
 * @returns undefined where another order has the reference; then nothing is written
 */
export async function recordOrder(
  tx: Transaction,
  values: NewOrder,
  { data = {}, ...created }: NewFact & { chain?: never },
): Promise<OrderRow | undefined> {
  const first: FoldableFact = {
    ...created,
    id: typeid("fct").toString(),
    orderId: values.id,
    data,
    // As there is no other, its place among the order's facts may be any; the database gives it its own.
    seq: 0,
    recordedAt: created.occurredAt,
    chainId: null,
    blockNumber: null,
    blockHash: null,
    transactionHash: null,
    logIndex: null,
  };
  const { revisionRequested: _, ...state } = foldFacts([first]);
  const row: OrderRow = { ...values, ...state, outputPayload: null };
  const events = await eventsOf(tx, row, [first], { ...state, revisionRequested: false });
  const { rows } = await insertFirst(tx).execute({
    ...driverValuesOf(row),
    fact: JSON.stringify({ ...first, occurredAt: first.occurredAt.toISOString() }),
    events: JSON.stringify(events.map((one) => ({ id: createEventId(), ...one }))),
  });
  const [written] = rows;
  if (!written?.placed) return undefined;
  await insertDeliveries(tx, written.wanted ?? []);
  return row;
}

const orderColumns = Object.entries(getTableColumns(order)) as [keyof OrderRow, Column][];

/** In the form that PostgreSQL takes. */
function driverValuesOf(row: OrderRow): Record<string, unknown> {
  return Object.fromEntries(
    orderColumns.map(([key, column]) => [key, row[key] === null ? null : column.mapToDriverValue(row[key])]),
  );
}

const insertFirst = prepareOnce((db) =>
  db._.session.prepareQuery<{
    execute: QueryResult<{ placed: boolean; wanted: WantedDelivery[] | null }>;
    all: unknown;
    values: unknown;
  }>(
    new PgDialect().sqlToQuery(sql`
      with placed as (
        insert into ${order} (${sql.join(
          orderColumns.map(([, { name }]) => sql.identifier(name)),
          sql`, `,
        )})
        values (${sql.join(
          orderColumns.map(([key]) => sql.placeholder(key)),
          sql`, `,
        )})
        on conflict (reference) do nothing
        returning id
      ), first as (
        insert into ${fact} (id, order_id, type, actor, key, data, occurred_at)
        select first.id, placed.id, first.type, first.actor, first.key, first.data, first."occurredAt"
        from placed, json_to_record(${sql.placeholder("fact")}::json)
          as first (id text, type text, actor text, key text, data jsonb, "occurredAt" timestamptz)
        returning id, order_id
      ), recorded as (
        insert into ${event} (id, account_id, type, order_id, fact_id, data)
        select event.id, event."accountId", event.type, first.order_id, first.id, event.data
        from first, json_to_recordset(${sql.placeholder("events")}::json)
          as event (id text, "accountId" text, type text, data jsonb)
        returning id, account_id, type
      ), wanted as (${readWantedDeliveries})
      select exists (select from placed) as placed, (select json_agg(wanted) from wanted) as wanted`),
    undefined,
    "insert_order",
    false,
  ),
);

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
    return readOwner(tx, { address: row.arbiter, chainId: row.chainId });
  }
}
