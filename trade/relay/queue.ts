import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address, Hex } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import { relay } from "../../db/schema.ts";
import { traceParent } from "../../tracing.ts";
import { budgetWindow, type RelayBudget, requireBudget } from "./budget.ts";

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
  /** whether the intent was made in this very transaction, so that nobody can have queued it before */
  isNew?: boolean | undefined;
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
 * @throws BudgetSpentError where the budget has no room for one more
 */
export async function queueRelay(tx: Transaction, call: NewRelay, budget?: RelayBudget): Promise<RelayRow> {
  const standing = call.isNew ? null : await findRelay(tx, call.intent);
  if (standing && standing.status !== "failed") return standing;
  if (budget && call.accountId) await requireBudget(tx, { ...call, accountId: call.accountId }, budget);
  const values = {
    to: call.to,
    data: call.data,
    gasBound: call.gasBound,
    gasCharged: call.gasBound,
    signer: call.signer ?? null,
    forFunded: call.forFunded ?? false,
    traceParent: traceParent(),
    ...(call.accountId ? { accountId: call.accountId } : {}),
  };
  const { intent, chainId, orderId } = call;
  const [written] = await tx
    .insert(relay)
    .values({ id: typeid("rly").toString(), intent, chainId, orderId, ...values })
    .onConflictDoUpdate({
      target: relay.intent,
      set: {
        ...values,
        status: "queued",
        sender: null,
        nonce: null,
        transactionHash: null,
        error: null,
        queuedAt: sql`now()`,
        gasChargedBefore: sql`case when ${relay.queuedAt} > now() - ${budgetWindow} then ${relay.gasChargedBefore} + ${relay.gasCharged} else 0 end`,
        updatedAt: sql`now()`,
      },
      setWhere: eq(relay.status, "failed"),
    })
    // In the same statement: a notification is sent once the transaction is.
    .returning({
      ...getTableColumns(relay),
      told: sql`pg_notify(${relayChannel}, ${String(chainId)})`.as("told"),
    });
  if (!written) {
    const queuedMeanwhile = await findRelay(tx, call.intent);
    if (!queuedMeanwhile) throw new Error(`The relay ${call.intent} vanished while it was queued.`);
    return queuedMeanwhile;
  }
  const { told: _, ...queued } = written;
  return queued;
}

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
  const {
    rows: [found],
  } = await db.execute<{ seconds: number | null }>(sql`
    select ceil(extract(epoch from max(reverted_at) + ${restAfterRevert} - now()))::int as seconds
    from earnest.relay
    where chain_id = ${chainId} and reverted_at > now() - ${restAfterRevert}
      and (signer = ${signer?.toLowerCase() ?? null}
        or (order_id = ${orderId} and account_id = ${accountId}))`);
  return found?.seconds ? Math.max(1, found.seconds) : null;
}

/**
 * Takes back that a relay was mined, as its block left the chain: the relayer sees to its transaction again, which may
 * be mined anew, and whose nonce no other gets.
 */
export async function reopenRelay(tx: Transaction, orderId: string, transactionHash: Hex): Promise<void> {
  await tx
    .update(relay)
    .set({ status: "signed", updatedAt: sql`now()` })
    .where(
      and(eq(relay.orderId, orderId), eq(relay.transactionHash, transactionHash), eq(relay.status, "mined")),
    );
}
