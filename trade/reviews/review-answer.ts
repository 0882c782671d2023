import type { Transaction } from "../../db/client.ts";
import { eq, sql } from "../../db/drizzle.ts";
import { review } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { requireActive } from "../accounts/active-account.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { insertReviewEvent, type ReviewRow, updateReview } from "./review.ts";

/**
 * Answers a review of the caller's work. The buyer gets an event. A review has one answer; a repeated answer changes
 * nothing.
 *
 * @throws Refusal `not_found`; `invalid_state` for a withdrawn review; `conflict` if the review has another answer;
 *   `account_banned`
 */
export async function answerReview(
  tx: Transaction,
  caller: Caller,
  reviewId: string,
  text: string,
): Promise<ReviewRow> {
  const row = await lockReview(tx, reviewId);
  if (row.providerAccountId !== caller.accountId) {
    throw new Refusal("not_found", "There is no review of your work with this id.");
  }
  if (row.withdrawnAt) throw refuseWithdrawnReview();
  if (row.answer === text) return row;
  if (row.answer !== null) {
    throw new Refusal("conflict", "This review already has its one answer.");
  }
  await requireActive(tx, caller.accountId);
  const answered = await updateReview(tx, row, { answer: text, answeredAt: sql`now()` });
  await insertReviewEvent(tx, answered, "review.answered");
  return answered;
}

/** Locks a review of any account until the transaction ends. @throws Refusal `not_found` */
export async function lockReview(tx: Transaction, id: string): Promise<ReviewRow> {
  const [row] = isId("rev", id) ? await tx.select().from(review).where(eq(review.id, id)).for("update") : [];
  if (!row) throw new Refusal("not_found", "There is no review with this id.");
  return row;
}

/** Refuses an operation on a withdrawn review. */
export function refuseWithdrawnReview(): Refusal {
  return new Refusal("invalid_state", "This review was withdrawn by its writer.");
}
