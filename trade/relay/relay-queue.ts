import { typeid } from "typeid-js";
import type { Address, Hex } from "viem";
import { traceParent } from "../../config/tracing.ts";
import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { and, type Column, eq, inArray, sql } from "../../db/drizzle.ts";
import { wakeListeners } from "../../db/notify.ts";
import { relay } from "../../db/schema.ts";
import { budgetWindow, type RelayBudget, requireBudget } from "./gas-budget.ts";

/** The delay before a failed call that no party signed is queued again. */
export const pauseAfterFailure = sql`interval '10 minutes'`;

export type RelayRow = typeof relay.$inferSelect;

/** The notification channel that wakes the relayer. The queue itself is the table. */
export const relayChannel = "earnest_relay";

/** A call for the relayer to send: one that a party signed, or that the contract opens to anyone. */
export type NewRelay = {
  /** the relay key, by which a call is sent once, as in `<escrow id>:recordDelivery:<number>` */
  key: string;
  chainId: number;
  orderId: string | null;
  to: Address;
  data: Hex;
  /** the gas limit: one of `gasBounds` */
  gasBound: number;
  /** the wallet whose signature the call contains */
  signer?: Address;
  /** the account whose gas budget pays; undefined for the service's own calls */
  accountId?: string;
  /** whether the call's order is funded */
  forFunded?: boolean;
};

/** Finds the relay with a relay key. */
export async function findRelay(db: Database | Transaction, key: string): Promise<RelayRow | null> {
  const [found] = await db.select().from(relay).where(eq(relay.key, key));
  return found ?? null;
}

/**
 * Queues a call and wakes the relayer at the commit.
 *
 * A repeated relay key returns the existing row, whatever its call data. Only a failed relay starts over, with the
 * new call data.
 *
 * @param budget the gas budgets; undefined if the caller has checked them
 * @throws BudgetSpentError if a budget is used up; the transaction is then aborted
 */
export async function queueRelay(tx: Transaction, call: NewRelay, budget?: RelayBudget): Promise<RelayRow> {
  const existing = await findRelay(tx, call.key);
  if (existing && existing.status !== "failed") return existing;
  const [written] = await insertRelay(tx).execute(valuesOf(call));
  if (!written) {
    const queuedMeanwhile = await findRelay(tx, call.key);
    if (!queuedMeanwhile) throw new Error(`The relay ${call.key} vanished while it was queued.`);
    return queuedMeanwhile;
  }
  await wakeListeners(tx, relayChannel, String(call.chainId));
  // Last, because the account's other requests wait from here to the commit.
  if (budget && call.accountId) await requireBudget(tx, { ...call, accountId: call.accountId }, budget);
  return written;
}

function valuesOf(call: NewRelay) {
  return {
    id: typeid("rly").toString(),
    key: call.key,
    chainId: call.chainId,
    orderId: call.orderId,
    accountId: call.accountId ?? null,
    to: call.to,
    data: call.data,
    gasBound: call.gasBound,
    signer: call.signer?.toLowerCase() ?? null,
    forFunded: call.forFunded ?? false,
    traceParent: traceParent(),
  };
}

const placeholder = (name: string) => sql.placeholder(name);
const insertion = (db: Database | Transaction) =>
  db.insert(relay).values({
    id: placeholder("id"),
    key: placeholder("key"),
    chainId: placeholder("chainId"),
    orderId: placeholder("orderId"),
    accountId: placeholder("accountId"),
    to: placeholder("to"),
    data: placeholder("data"),
    gasBound: placeholder("gasBound"),
    gasCharged: placeholder("gasBound"),
    // A cast, because the column's encoder cannot write a placeholder that is null.
    signer: sql`${placeholder("signer")}::text`,
    forFunded: placeholder("forFunded"),
    traceParent: placeholder("traceParent"),
  });

const insertRelay = prepareOnce("queue_relay", (db) => {
  const value = (column: Column) => sql.raw(`excluded."${column.name}"`);
  return insertion(db)
    .onConflictDoUpdate({
      target: relay.key,
      set: {
        to: value(relay.to),
        data: value(relay.data),
        gasBound: value(relay.gasBound),
        gasCharged: value(relay.gasCharged),
        signer: value(relay.signer),
        forFunded: value(relay.forFunded),
        traceParent: value(relay.traceParent),
        // A call that the service repeats stays on its account's budget.
        accountId: sql`coalesce(${value(relay.accountId)}, ${relay.accountId})`,
        status: "queued",
        sender: null,
        nonce: null,
        transactionHash: null,
        batchId: null,
        error: null,
        queuedAt: sql`now()`,
        gasChargedBefore: sql`case when ${relay.queuedAt} > now() - ${budgetWindow} then ${relay.gasChargedBefore} + ${relay.gasCharged} else 0 end`,
        updatedAt: sql`now()`,
      },
      setWhere: eq(relay.status, "failed"),
    })
    .returning();
});

/** The time for which a wallet's calls are refused after its own revert. */
const restAfterRevert = sql`interval '1 hour'`;

/**
 * Reads for how long a signer's calls are refused after a revert: on every order, and for its account on that order.
 * The other party's calls are not refused.
 *
 * @returns whole seconds, at least 1; null without a recent revert
 */
export async function readPauseAfterRevert(
  db: Database | Transaction,
  { chainId, signer, orderId, accountId }: Pick<RelayRow, "chainId" | "signer" | "orderId" | "accountId">,
): Promise<number | null> {
  const signedBy = signer?.toLowerCase() ?? null;
  const { rows } = await db.execute<{ seconds: number | null }>(sql`
    select ceil(extract(epoch from max(reverted_at) + ${restAfterRevert} - now()))::int as seconds
    from earnest.relay
    where chain_id = ${chainId} and reverted_at > now() - ${restAfterRevert}
      and (signer = ${signedBy}::text or (order_id = ${orderId}::text and account_id = ${accountId}::text))`);
  const [found] = rows;
  return found?.seconds ? Math.max(1, found.seconds) : null;
}

/**
 * Reopens a mined relay whose block left the chain. The relayer follows the transaction again, which keeps its nonce
 * and may be mined again. All calls of a batch are reopened together.
 */
export async function reopenRelay(tx: Transaction, orderId: string, transactionHash: Hex): Promise<void> {
  const signed = { status: "signed" as const, updatedAt: sql`now()` };
  const isMined = and(
    eq(relay.orderId, orderId),
    eq(relay.transactionHash, transactionHash),
    eq(relay.status, "mined"),
  );
  const [call] = await tx.select({ batchId: relay.batchId }).from(relay).where(isMined);
  if (!call?.batchId) {
    await tx.update(relay).set(signed).where(isMined);
    return;
  }
  // The batch before its calls, in the relayer's locking order.
  await tx
    .update(relay)
    .set(signed)
    .where(and(eq(relay.id, call.batchId), eq(relay.status, "mined")));
  await tx
    .update(relay)
    .set(signed)
    .where(and(eq(relay.batchId, call.batchId), inArray(relay.status, ["mined", "failed"])));
}
