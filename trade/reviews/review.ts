import { typeid } from "typeid-js";
import { insertEvents } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, getTableColumns, gt, sql } from "../../db/drizzle.ts";
import { areOneParty } from "../../db/one-party.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { agent, review } from "../../db/schema.ts";
import { reviewEventData } from "../../protocol/facts/market-events.ts";
import { caps, requireBelowCap } from "../account-caps.ts";
import { requireActive } from "../accounts/active-account.ts";
import type { Caller } from "../context.ts";
import { lockOwnOrder, requireBuyer, requireSettled } from "../orders/order-access.ts";
import { Refusal } from "../refusal.ts";

export type ReviewRow = typeof review.$inferSelect;

/** Days for which a buyer can change a review. */
export const editableDays = 14;

/** The most changes of a review. */
const mostEdits = 20;

/** A rating from 1 to 5, with a text or null. */
export type Opinion = { rating: number; text: string | null };

const isEditable = sql<boolean>`${review.createdAt} > now() - make_interval(days => ${editableDays})`;

/**
 * Writes the review of a settled order of the caller. The provider gets an event. A repeated request changes nothing.
 *
 * @throws Refusal `not_found`; `invalid_state` for the provider; `not_settled`; `conflict` if the order has another
 *   review, its sides are one party, or beyond `caps.reviewsADay`; `account_banned`
 */
export async function writeReview(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  { rating, text }: Opinion,
): Promise<ReviewRow> {
  const order = await lockReviewedOrder(tx, caller, orderId, "write its review");
  const existing = await findReview(tx, orderId);
  if (existing) {
    if (existing.rating === rating && existing.text === text) return existing;
    throw new Refusal(
      "conflict",
      existing.withdrawnAt
        ? "This order's review was withdrawn. An order has one review."
        : "This order already has a review. Change it by PATCH.",
    );
  }
  requireSettled(order, "a review is of how it ended");
  await requireActive(tx, caller.accountId);
  if (await areOneParty(tx, order.buyerAccountId, order.providerAccountId)) {
    throw new Refusal(
      "conflict",
      "Buyer and provider are one account or organisation, so the order cannot be reviewed.",
    );
  }
  const { accountId } = caller;
  const today = and(
    eq(review.buyerAccountId, accountId),
    gt(review.createdAt, sql`now() - interval '1 day'`),
  );
  await requireBelowCap(tx, accountId, [review, today], caps.reviewsADay, "new reviews a day");
  const { agentId, serviceId, buyerAccountId, providerAccountId } = order;
  const [row] = await tx
    .insert(review)
    .values({
      id: typeid("rev").toString(),
      orderId,
      agentId,
      serviceId,
      buyerAccountId,
      providerAccountId,
      rating,
      text,
    })
    .returning();
  if (!row) throw new Error("The database returned no review.");
  await insertReviewEvent(tx, row, "review.received");
  return row;
}

/**
 * Changes the given fields of the caller's review. Equal values change nothing.
 *
 * @throws Refusal `not_found`; `invalid_state` for the provider, for a withdrawn review, after `editableDays` or
 *   `mostEdits`; `account_banned`
 */
export async function editReview(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  { rating, text }: { rating?: number | undefined; text?: string | null | undefined },
): Promise<ReviewRow> {
  const row = await lockOwnReview(tx, caller, orderId, "change its review");
  if (row.withdrawnAt) throw new Refusal("invalid_state", "This review was withdrawn and cannot be changed.");
  const changed = { rating: rating ?? row.rating, text: text === undefined ? row.text : text };
  if (changed.rating === row.rating && changed.text === row.text) return row;
  if (!row.isEditable) {
    const message = `A review can be changed for ${editableDays} days. This review can only be withdrawn.`;
    throw new Refusal("invalid_state", message);
  }
  if (row.edits >= mostEdits) {
    throw new Refusal(
      "invalid_state",
      `A review can be changed ${mostEdits} times. This review can only be withdrawn.`,
    );
  }
  await requireActive(tx, caller.accountId);
  return updateReview(tx, row, { ...changed, edits: row.edits + 1, editedAt: sql`now()` });
}

/**
 * Withdraws the caller's review. Its rating, its text and its answer are deleted. A repeated withdrawal changes
 * nothing.
 *
 * @throws Refusal `not_found`; `invalid_state` for the provider
 */
export async function withdrawReview(tx: Transaction, caller: Caller, orderId: string): Promise<ReviewRow> {
  const row = await lockOwnReview(tx, caller, orderId, "withdraw its review");
  if (row.withdrawnAt) return row;
  const gone = { rating: null, text: null, answer: null, answeredAt: null };
  return updateReview(tx, row, { ...gone, withdrawnAt: sql`now()` });
}

/** Returns the time until which the buyer can change a review. */
export function editableUntil({ createdAt }: Pick<ReviewRow, "createdAt">): Date {
  return new Date(createdAt.getTime() + editableDays * 24 * 3_600_000);
}

/** Finds the review of an order, for any caller. */
export async function findReview(
  db: Database | Transaction,
  orderId: string,
): Promise<(ReviewRow & { isEditable: boolean }) | undefined> {
  const [row] = await db
    .select({ ...getTableColumns(review), isEditable })
    .from(review)
    .where(eq(review.orderId, orderId));
  return row;
}

/** Updates a review. The transaction must hold the lock of the review or of its order. */
export async function updateReview(
  tx: Transaction,
  { id }: Pick<ReviewRow, "id">,
  columns: { [Column in keyof ReviewRow]?: ReviewRow[Column] | ReturnType<typeof sql> },
): Promise<ReviewRow> {
  const [row] = await tx.update(review).set(columns).where(eq(review.id, id)).returning();
  if (!row) throw new Error(`No review has the id ${id}.`);
  return row;
}

/** Writes the event of a review for its provider, or of an answer for its buyer, once. */
export async function insertReviewEvent(
  tx: Transaction,
  row: ReviewRow,
  type: "review.received" | "review.answered",
): Promise<void> {
  const [of] = await tx
    .select({ id: agent.id, slug: agent.slug, name: agent.name })
    .from(agent)
    .where(eq(agent.id, row.agentId));
  if (!of || row.rating === null) throw new Error("The review has no agent or no rating.");
  const isAnswer = type === "review.answered";
  await insertEvents(tx, [
    {
      accountId: isAnswer ? row.buyerAccountId : row.providerAccountId,
      type,
      orderId: row.orderId,
      key: isAnswer ? `review_answer:${row.id}` : `review:${row.id}`,
      data: reviewEventData({ review_id: row.id, order_id: row.orderId, agent: of, rating: row.rating }),
    },
  ]);
}

async function lockReviewedOrder(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  step: string,
): Promise<OrderRow> {
  const { row, role } = await lockOwnOrder(tx, caller, orderId);
  requireBuyer(role, step);
  return row;
}

/** Locks the order first. Every transaction that locks both uses this order. */
async function lockOwnReview(tx: Transaction, caller: Caller, orderId: string, step: string) {
  await lockReviewedOrder(tx, caller, orderId, step);
  await tx.execute(sql`select from ${review} where ${review.orderId} = ${orderId} for update`);
  const row = await findReview(tx, orderId);
  if (!row) throw new Refusal("not_found", "This order has no review.");
  return row;
}
