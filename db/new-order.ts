import { type Column, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { QueryResult } from "pg";
import { typeid } from "typeid-js";
import { foldFacts, type OrderState } from "../facts/lifecycle.ts";
import { type Database, prepareOnce, type Transaction } from "./client.ts";
import { deliverRecorded, eventIdOf, type WrittenEvents, wakeForEvents, writtenEvents } from "./events.ts";
import { eventsOf, type FoldableFact, type NewFact, type OrderRow } from "./ledger.ts";
import { sendUntilKnown } from "./outcome.ts";
import { agent, apiKey, event, fact, keySpending, order, service } from "./schema.ts";

/** An order that is about to be written, without what the fold of its facts will say. */
export type NewOrder = Omit<OrderRow, "outputPayload" | keyof OrderState>;

/** What else is written with an order, and what must still hold. */
export type Placing = {
  /** the key that the order counts against; null where a person orders */
  keyId: string | null;
  /** where its limits were not looked at under its lock: it must have none */
  keyIsFree?: boolean;
  /** the versions of service and agent that were read: neither may have been changed since */
  offer?: { service: number; agent: number };
};

/** Thrown where a service, its agent, or the key's limits were changed since they were read; nothing was written. */
export class OfferChanged extends Error {
  override name = "OfferChanged";
}

/**
 * Records an order together with its first fact and with all that hangs on it, as `recordFacts` does for the facts to
 * come. That is one statement, since nobody else can have written anything of the order yet.
 *
 * @returns undefined where another order has the reference; then nothing is written
 * @throws OfferChanged
 */
export async function recordOrder(
  tx: Transaction,
  values: NewOrder,
  created: NewFact & { chain?: never },
  placing?: Placing,
): Promise<OrderRow | undefined> {
  const { row, written } = await composeOrder(tx, values, created, placing);
  const answer = await insertOrder(tx).execute(written);
  wakeForEvents(tx, answer.rows[0]);
  return readPlaced(row, answer);
}

/**
 * The same in a transaction of its own, which is that statement: no round trip begins or ends it. Where its answer is
 * lost, the order's id says whether it was made.
 *
 * @throws OfferChanged; OutcomeUnknownError where the database stays away
 */
export async function recordOrderAlone(
  db: Database,
  values: NewOrder,
  created: NewFact & { chain?: never },
  placing?: Placing,
): Promise<OrderRow | undefined> {
  const { row, written } = await composeOrder(db, values, created, placing);
  const answer = await sendUntilKnown(
    db.$client,
    () => insertOrder(db).execute(written),
    async () => (await db.select({ id: order.id }).from(order).where(eq(order.id, row.id))).length > 0,
  );
  if (answer === "made") {
    wakeForEvents(db, { told_accounts: [row.buyerAccountId, row.providerAccountId], has_deliveries: true });
    return row;
  }
  wakeForEvents(db, answer.rows[0]);
  return readPlaced(row, answer);
}

function readPlaced(row: OrderRow, { rows }: Inserted): OrderRow | undefined {
  if (!rows[0]?.stands) throw new OfferChanged();
  return rows[0].placed ? row : undefined;
}

async function composeOrder(
  db: Database | Transaction,
  values: NewOrder,
  { data = {}, ...created }: NewFact & { chain?: never },
  { keyId, keyIsFree = false, offer }: Placing = { keyId: null },
) {
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
  const events = await eventsOf(db, row, [first], { ...state, revisionRequested: false });
  const written = {
    ...driverValuesOf(row),
    fact: JSON.stringify({ ...first, occurredAt: first.occurredAt.toISOString() }),
    events: JSON.stringify(events.map((one) => ({ id: eventIdOf(one), ...one }))),
    keyId,
    keyIsFree,
    serviceVersion: offer?.service ?? null,
    agentVersion: offer?.agent ?? null,
  };
  return { row, written };
}

const orderColumns = Object.entries(getTableColumns(order)) as [keyof OrderRow, Column][];

/** In the form that PostgreSQL takes. */
function driverValuesOf(row: OrderRow): Record<string, unknown> {
  return Object.fromEntries(
    orderColumns.map(([key, column]) => [key, row[key] === null ? null : column.mapToDriverValue(row[key])]),
  );
}

type Inserted = QueryResult<{ stands: boolean; placed: boolean } & WrittenEvents>;

const insertOrder = prepareOnce((db) =>
  db._.session.prepareQuery<{ execute: Inserted; all: unknown; values: unknown }>(
    new PgDialect().sqlToQuery(insertStatement()),
    undefined,
    "insert_order",
    false,
  ),
);

function insertStatement(): SQL {
  const names = orderColumns.map(([, { name }]) => sql.identifier(name));
  const values = orderColumns.map(([key, column]) => typed(key, column.getSQLType()));
  return sql`
    with stands as (
      select from ${service} join ${agent} on ${agent.id} = ${service.agentId}
      where ${service.id} = ${typed("serviceId", "text")}
        and ${service.version} = coalesce(${typed("serviceVersion", "integer")}, ${service.version})
        and ${agent.version} = coalesce(${typed("agentVersion", "integer")}, ${agent.version})
        and not (${typed("keyIsFree", "boolean")} and exists (
          select from ${apiKey} where ${apiKey.id} = ${typed("keyId", "text")} and ${apiKey.limits} is not null))
    ), placed as (
      insert into ${order} (${sql.join(names, sql`, `)})
      select ${sql.join(values, sql`, `)} from stands
      on conflict (reference) do nothing
      returning id, token, amount
    ), spending as (
      insert into ${keySpending} (key_id, order_id, token, amount, given_back, is_placed)
      select ${typed("keyId", "text")}, placed.id, placed.token, placed.amount, 0, true
      from placed where ${typed("keyId", "text")} is not null
    ), first as (
      insert into ${fact} (id, order_id, type, actor, key, data, occurred_at)
      select first.id, placed.id, first.type, first.actor, first.key, first.data, first."occurredAt"
      from placed, json_to_record(${typed("fact", "json")})
        as first (id text, type text, actor text, key text, data jsonb, "occurredAt" timestamptz)
      returning id, order_id
    ), recorded as (
      insert into ${event} (id, account_id, type, order_id, fact_id, data)
      select event.id, event."accountId", event.type, first.order_id, first.id, event.data
      from first, json_to_recordset(${typed("events", "json")})
        as event (id text, "accountId" text, type text, data jsonb)
      returning id, account_id, type
    ), ${deliverRecorded}
    select exists (select from stands) as stands, exists (select from placed) as placed, ${writtenEvents}`;
}

function typed(name: string, type: string): SQL {
  return sql`${sql.placeholder(name)}::${sql.raw(type)}`;
}
