import { insertEvents } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, gt, ne, sql } from "../../db/drizzle.ts";
import { account, accountErasure, auditEntry } from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import { erasureEventData } from "../../protocol/facts/account-events.ts";
import { caps, requireBelowCap } from "../account-caps.ts";
import type { Caller } from "../context.ts";
import { isOperator } from "../moderation/operators.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { type Obstacles, readObstacles } from "./erasure-obstacles.ts";

export type Erasure = typeof accountErasure.$inferSelect;

/** Days between a request and the erasure. The account can take the request back until then. */
export const erasureDays = 3;

/** Reads the newest erasure of an account; undefined without one. */
export async function readErasure(
  db: Database | Transaction,
  accountId: string,
): Promise<Erasure | undefined> {
  const [row] = await db.select().from(accountErasure).where(eq(accountErasure.accountId, accountId));
  return row;
}

/**
 * Requests the erasure of the caller's account. From then on, the account is a party of no new order. A repeated request
 * changes nothing.
 *
 * @param confirmed the id of the account
 * @throws Refusal `invalid_request` for another id; `invalid_state` while orders are open or the account is a member elsewhere
 */
export async function requestErasure(
  tx: Transaction,
  { accountId }: Caller,
  confirmed: string,
): Promise<Erasure> {
  if (confirmed !== accountId) {
    throw refuseField("confirm", "const", `Field confirm: use the id of your account, ${accountId}.`);
  }
  // New orders and members wait for this lock, or see the request.
  await tx.select({ id: account.id }).from(account).where(eq(account.id, accountId)).for("update");
  const current = await readErasure(tx, accountId);
  if (current && current.status !== "done") return current;
  if (await isOperator(tx, accountId)) {
    throw new Refusal(
      "invalid_state",
      "You are an operator. Have the role revoked, then request the erasure.",
    );
  }
  refuseObstacles(await readObstacles(tx, accountId));
  // A request that is taken back leaves its audit entry alone.
  const today = and(
    eq(auditEntry.accountId, accountId),
    gt(auditEntry.createdAt, sql`now() - interval '1 day'`),
    eq(auditEntry.action, "data.erasure_requested"),
  );
  await requireBelowCap(
    tx,
    accountId,
    [auditEntry, today],
    caps.erasureRequestsADay,
    "requests of an erasure a day",
  );
  const dueAt = sql`now() + make_interval(days => ${erasureDays})`;
  const set = {
    status: "waiting" as const,
    requestedAt: sql`now()`,
    step: 0,
    cursor: null,
    finishedAt: null,
    dueAt,
    nextAt: dueAt,
  };
  const [row] = await tx
    .insert(accountErasure)
    .values({ accountId, ...set })
    .onConflictDoUpdate({ target: accountErasure.accountId, set })
    .returning();
  await tx.update(account).set({ erasingAt: sql`now()` }).where(eq(account.id, accountId));
  const { requestedAt, dueAt: until } = row as Erasure;
  // The owner learns of a request by somebody else who got hold of a session.
  await insertEvents(tx, [
    {
      accountId,
      type: "account.erasure_requested",
      orderId: null,
      data: erasureEventData(until),
      key: `erasure:${requestedAt.toISOString()}`,
    },
  ]);
  await addTask(tx, "erasures", { key: "erasures", after: erasureDays * 24 * 3600 });
  return row as Erasure;
}

function refuseObstacles({ openOrders, organisations }: Obstacles): void {
  if (openOrders > 0) {
    throw new Refusal(
      "invalid_state",
      `Your account has open orders: ${openOrders}. Request the erasure once all have ended.`,
    );
  }
  if (organisations > 0) {
    throw new Refusal(
      "invalid_state",
      `You are a member of other organisations: ${organisations}. Leave them, then request the erasure.`,
    );
  }
}

/**
 * Requires that no worker erases the account: what a new session writes would stay. An erasure that is due begins after this
 * transaction.
 *
 * @throws Refusal `invalid_state` while an erasure runs
 */
export async function requireNoRunningErasure(tx: Transaction, accountId: string): Promise<void> {
  const select = () =>
    tx
      .select({ status: accountErasure.status })
      .from(accountErasure)
      .where(eq(accountErasure.accountId, accountId));
  // The first read does not wait for the worker, which holds the row for each batch.
  refuseUnlessWaiting(await select());
  refuseUnlessWaiting(await select().for("share"));
}

function refuseUnlessWaiting([row]: Pick<Erasure, "status">[]): void {
  if (!row || row.status === "waiting") return;
  throw new Refusal("invalid_state", "This account is being erased. Sign in again in some minutes.");
}

/**
 * Takes the request of an erasure back.
 *
 * @throws Refusal `not_found` without a request; `invalid_state` once the worker has begun
 */
export async function takeBackErasure(tx: Transaction, { accountId }: Caller): Promise<void> {
  const waiting = and(eq(accountErasure.accountId, accountId), eq(accountErasure.status, "waiting"));
  // A sign-in holds the erasure's row, and its new session refers to the account: a full lock of the account would wait for it.
  await tx.select({ id: account.id }).from(account).where(eq(account.id, accountId)).for("no key update");
  const removed = await tx.delete(accountErasure).where(waiting).returning();
  if (removed.length > 0) {
    await tx.update(account).set({ erasingAt: null }).where(eq(account.id, accountId));
    return;
  }
  const isRunning = and(eq(accountErasure.accountId, accountId), ne(accountErasure.status, "done"));
  if ((await tx.$count(accountErasure, isRunning)) > 0) {
    throw new Refusal("invalid_state", "The erasure has begun and cannot be taken back.");
  }
  throw new Refusal("not_found", "No erasure of your account is requested.");
}
