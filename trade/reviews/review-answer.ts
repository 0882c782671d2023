import { eq, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { review } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { insertReviewEvent, type ReviewRow, updateReview } from "./review.ts";

/**
 * Answers a review of an order that the caller provided, once, and tells its buyer. The same again is the same answer.
 *
 * @throws Refusal `not_found`; `invalid_state` of a withdrawn review; `conflict` where another answer stands
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
  if (row.withdrawnAt) throw withdrawn();
  if (row.answer === text) return row;
  if (row.answer !== null) {
    throw new Refusal("conflict", "This review was answered already: a review has one answer.");
  }
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

/** For what can be done to a review while it says something. */
export function withdrawn(): Refusal {
  return new Refusal("invalid_state", "This review was withdrawn by its writer.");
}
