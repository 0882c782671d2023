import { insertEvents } from "../../db/account-events.ts";
import { readNow } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { lockOrder, readFacts } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Fact } from "../../protocol/facts/fact.ts";
import { effectiveFacts, foldFacts } from "../../protocol/facts/lifecycle.ts";
import { executionEventData } from "../../protocol/facts/order-events.ts";
import type { Context } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { type Delivery, deliverOrder, recordStart } from "./delivery.ts";

/** An execution that this process has leased. */
export type LeasedExecution = {
  id: string;
  /** names the lease in each step; a later lease has another name */
  lease: string;
  orderId: string;
  /** the provider */
  accountId: string;
  serviceId: string;
  isRevision: boolean;
  /** the number of this attempt, from 1 */
  attempt: number;
  /** earlier attempts that the endpoint answered without a usable result */
  rejections: number;
};

/** The stored result of an attempt. */
export type AttemptRecord = {
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  /** null after a success */
  error: string | null;
  message: string | null;
  responseBody: string | null;
};

/** The most attempts of an execution. An attempt whose worker died counts. */
export const mostExecutionAttempts = 10;

/** Returns the data of a fact that the service records on behalf of the provider. */
const executed = ({ id }: LeasedExecution) => ({ executed_by: "service", execution_id: id });

/**
 * Checks that an order still needs its execution, before the request to the endpoint. Otherwise ends the execution.
 *
 * @returns the order and the buyer's reason for a revision; null if the execution has ended
 */
export function openExecution(db: Database, execution: LeasedExecution) {
  return inTransaction(db, async (tx) => {
    const row = await lockOrder(tx, execution.orderId);
    if (!row) return null;
    const facts = await readFacts(tx, row.id);
    const obstacle = obstacleOf(execution, facts);
    if (obstacle) {
      await finish(tx, execution, "cancelled", obstacle);
      return null;
    }
    if (execution.attempt > mostExecutionAttempts) {
      await giveUp(tx, execution, row, facts, "attempts_used_up", mostExecutionAttempts);
      return null;
    }
    const { deliveryDeadline } = foldFacts(facts);
    if (deliveryDeadline && Number(await readNow(tx, row.chainId)) * 1000 > deliveryDeadline.getTime()) {
      await giveUp(tx, execution, row, facts, "deadline_passed", execution.attempt - 1);
      return null;
    }
    const request = effectiveFacts(facts).find(({ type }) => type === "order.revision_requested");
    const reason = typeof request?.data.reason === "string" ? request.data.reason : null;
    return { row, deliveryDeadline, revision: execution.isRevision ? { reason } : null };
  });
}

/**
 * Delivers the response of an endpoint by `deliverOrder`. One transaction starts and delivers the order and ends the
 * execution.
 *
 * @throws Refusal as `deliverOrder`, and `invalid_state` if the order has moved on or the lease is lost
 */
export async function deliverExecution(
  context: Context,
  execution: LeasedExecution,
  delivery: Delivery,
  attempt: AttemptRecord,
): Promise<void> {
  const data = executed(execution);
  const begin = async (tx: Transaction, row: OrderRow) => {
    await take(tx, execution, row, "delivered", attempt);
  };
  await deliverOrder(context, { accountId: execution.accountId }, execution.orderId, delivery, {
    begin,
    data,
  });
}

/**
 * Ends an execution whose endpoint answered that the provider will deliver the order itself.
 *
 * @throws Refusal `invalid_state` if the order has moved on or the lease is lost
 */
export function acceptExecution(
  db: Database,
  execution: LeasedExecution,
  attempt: AttemptRecord,
): Promise<void> {
  return inTransaction(db, async (tx) => {
    const row = await lockOrder(tx, execution.orderId);
    if (row) await take(tx, execution, row, "accepted", attempt);
  });
}

async function take(
  tx: Transaction,
  execution: LeasedExecution,
  row: OrderRow,
  status: "delivered" | "accepted",
  attempt: AttemptRecord,
): Promise<void> {
  const obstacle = obstacleOf(execution, await readFacts(tx, row.id));
  if (obstacle || !(await finish(tx, execution, status))) {
    throw new Refusal("invalid_state", "The order is no longer to be executed.");
  }
  await recordAttempt(tx, execution, attempt);
  if (!execution.isRevision) await recordStart(tx, row, executed(execution));
}

/**
 * Records a failed attempt, and schedules the next one.
 *
 * @param delayMs the delay of the next attempt; null after the last one, when the provider gets an event
 * @returns whether this was the last attempt
 */
export function failAttempt(
  db: Database,
  execution: LeasedExecution,
  attempt: AttemptRecord & { error: string },
  { delayMs, isRejection }: { delayMs: number | null; isRejection: boolean },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const row = await lockOrder(tx, execution.orderId);
    if (!row) return false;
    await recordAttempt(tx, execution, attempt);
    const facts = await readFacts(tx, row.id);
    const obstacle = obstacleOf(execution, facts);
    if (obstacle) {
      await finish(tx, execution, "cancelled", obstacle);
      return false;
    }
    const { deliveryDeadline } = foldFacts(facts);
    const isLate = deliveryDeadline && Date.now() + (delayMs ?? 0) > deliveryDeadline.getTime();
    if (delayMs === null || isLate)
      return giveUp(tx, execution, row, facts, attempt.error, execution.attempt);
    await tx.execute(sql`
      update earnest.execution
      set lease_owner = null, next_attempt_at = now() + make_interval(secs => ${delayMs / 1000}::float8),
        rejections = rejections + ${isRejection ? 1 : 0}
      where id = ${execution.id} and lease_owner = ${execution.lease} and status = 'pending'`);
    return false;
  });
}

/** Returns the code of the reason not to execute an order now: it ended, is disputed, or its provider started it. */
function obstacleOf({ isRevision }: LeasedExecution, facts: readonly Fact[]): string | null {
  const { status } = foldFacts(facts);
  return status === (isRevision ? "started" : "funded") ? null : `order_${status}`;
}

/** Ends an execution without a delivery. The provider gets an event. */
async function giveUp(
  tx: Transaction,
  execution: LeasedExecution,
  row: OrderRow,
  facts: readonly Fact[],
  reason: string,
  attempts: number,
): Promise<boolean> {
  if (!(await finish(tx, execution, "failed", reason))) return false;
  const { status } = foldFacts(facts);
  const ended = { id: execution.id, attempts, reason, is_revision: execution.isRevision };
  await insertEvents(tx, [
    {
      accountId: execution.accountId,
      type: "order.execution_failed",
      orderId: row.id,
      data: executionEventData(row, status, ended),
      key: `${execution.id}:failed`,
    },
  ]);
  return true;
}

/** @returns false if the lease is lost */
async function finish(
  tx: Transaction,
  { id, lease }: LeasedExecution,
  status: "delivered" | "accepted" | "failed" | "cancelled",
  reason: string | null = null,
): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    update earnest.execution set status = ${status}, reason = ${reason}, finished_at = now(), lease_owner = null
    where id = ${id} and lease_owner = ${lease} and status = 'pending'`);
  return rowCount === 1;
}

/** Records an attempt, even if the lease is lost: the request was sent. */
async function recordAttempt(
  tx: Transaction,
  { id }: LeasedExecution,
  attempt: AttemptRecord,
): Promise<void> {
  const { startedAt, durationMs, statusCode, error, message, responseBody } = attempt;
  await tx.execute(sql`
    insert into earnest.execution_attempt
      (execution_id, number, started_at, duration_ms, status_code, error, message, response_body)
    select ${id}, 1 + coalesce(max(number), 0), ${startedAt.toISOString()}::timestamptz, ${durationMs}::int,
      ${statusCode}::int, ${error}, ${message}, ${responseBody}
    from earnest.execution_attempt where execution_id = ${id}`);
}
