import { and, type Column, eq, inArray, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address, Hex } from "viem";
import { traceParent } from "../../config/tracing.ts";
import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { wake } from "../../db/notify.ts";
import { relay } from "../../db/schema.ts";
import { budgetWindow, type RelayBudget, requireBudget } from "./gas-budget.ts";

/** How long an order's call rests that failed and that nobody signed, before it is tried again. */
export const restAfterFailure = sql`interval '10 minutes'`;

export type RelayRow = typeof relay.$inferSelect;

/** Told of each relay that is queued: a wake-up, not the truth. */
export const relayChannel = "earnest_relay";

/** A call that our one key is to send: one that a party signed, or one the contract opens to anyone. */
export type NewRelay = {
  /** what makes it happen once, as in `<escrow id>:recordDelivery:<number>` */
  intent: string;
  chainId: number;
  orderId: string | null;
  to: Address;
  data: Hex;
  /** the most gas that its transaction may take: one of `gasBounds` */
  gasBound: number;
  /** whose wallet it asks for a signature */
  signer?: Address;
  /** whose budget it is on; left out for what the service sends by itself */
  accountId?: string;
  /** whether its order is funded */
  forFunded?: boolean;
};

/** The relay of an intent, if there is one. */
export async function findRelay(db: Database | Transaction, intent: string): Promise<RelayRow | null> {
  const [found] = await db.select().from(relay).where(eq(relay.intent, intent));
  return found ?? null;
}

/**
 * Queues a call for the relayer, and wakes it, in the caller's transaction.
 *
 * The same intent again returns the row that is there, whatever its call data: it is sent once, and counts once. Only
 * an intent that failed starts over, with the new call data.
 *
 * @param budget what its account, and all of them, may have; left out where that was asked before
 * @throws BudgetSpentError where the budget has no room for one more; the caller's transaction ends with it
 */
export async function queueRelay(tx: Transaction, call: NewRelay, budget?: RelayBudget): Promise<RelayRow> {
  const existing = await findRelay(tx, call.intent);
  if (existing && existing.status !== "failed") return existing;
  const [written] = await insertRelay(tx).execute(valuesOf(call));
  if (!written) {
    const queuedMeanwhile = await findRelay(tx, call.intent);
    if (!queuedMeanwhile) throw new Error(`The relay ${call.intent} vanished while it was queued.`);
    return queuedMeanwhile;
  }
  await wake(tx, relayChannel, String(call.chainId));
  // Last, as an account's other requests wait from here to the commit.
  if (budget && call.accountId) await requireBudget(tx, { ...call, accountId: call.accountId }, budget);
  return written;
}

function valuesOf(call: NewRelay) {
  return {
    id: typeid("rly").toString(),
    intent: call.intent,
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

const given = (name: string) => sql.placeholder(name);
const insertion = (db: Database | Transaction) =>
  db.insert(relay).values({
    id: given("id"),
    intent: given("intent"),
    chainId: given("chainId"),
    orderId: given("orderId"),
    accountId: given("accountId"),
    to: given("to"),
    data: given("data"),
    gasBound: given("gasBound"),
    gasCharged: given("gasBound"),
    // A cast, because the column's encoder cannot write a placeholder that is null.
    signer: sql`${given("signer")}::text`,
    forFunded: given("forFunded"),
    traceParent: given("traceParent"),
  });

const insertRelay = prepareOnce("queue_relay", (db) => {
  const value = (column: Column) => sql.raw(`excluded."${column.name}"`);
  return insertion(db)
    .onConflictDoUpdate({
      target: relay.intent,
      set: {
        to: value(relay.to),
        data: value(relay.data),
        gasBound: value(relay.gasBound),
        gasCharged: value(relay.gasCharged),
        signer: value(relay.signer),
        forFunded: value(relay.forFunded),
        traceParent: value(relay.traceParent),
        // A call that the service repeats by itself stays on its budget.
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

/** How long a wallet's calls are refused after one was mined and did nothing by its doing. */
const restAfterRevert = sql`interval '1 hour'`;

/**
 * For how long a signer's calls are refused because one of its was mined for nothing: on every order, and its account's
 * on that order. The other party's calls are not: one party's wallet must not shut the other out.
 *
 * @returns whole seconds, from 1, or null
 */
export async function readRestAfterRevert(
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
 * Reopens a mined relay whose block left the chain. The relayer follows its transaction again, which may be mined anew and
 * keeps its nonce. All calls of a batch are reopened together.
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
  // The batch before its calls, as the relayer locks them too.
  await tx
    .update(relay)
    .set(signed)
    .where(and(eq(relay.id, call.batchId), eq(relay.status, "mined")));
  await tx
    .update(relay)
    .set(signed)
    .where(and(eq(relay.batchId, call.batchId), inArray(relay.status, ["mined", "failed"])));
}
