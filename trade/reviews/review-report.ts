import type { Transaction } from "../../db/client.ts";
import { and, eq, gt, isNotNull, sql } from "../../db/drizzle.ts";
import { areOneParty } from "../../db/one-party.ts";
import { order, reviewReport } from "../../db/schema.ts";
import { caps, requireBelowCap } from "../account-caps.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { type ReviewRow, updateReview } from "./review.ts";
import { lockReview, withdrawn } from "./review-answer.ts";

/** The counted reports from which a review is marked. */
export const marksFrom = 3;

/**
 * Reports a review. A report by the review's provider is shown as a dispute. Any other report counts if its account
 * has a released purchase and is not one party with the provider. A second report of an account changes nothing.
 *
 * @throws Refusal `not_found`; `invalid_state` for the caller's own or a withdrawn review; `conflict` beyond
 *   `caps.reportsADay`
 */
export async function reportReview(
  tx: Transaction,
  { accountId }: Caller,
  reviewId: string,
  reason: string,
): Promise<ReviewRow> {
  const row = await lockReview(tx, reviewId);
  if (row.buyerAccountId === accountId) {
    throw new Refusal("invalid_state", "You cannot report your own review. Change or withdraw it instead.");
  }
  if (row.withdrawnAt) throw withdrawn();
  const own = and(eq(reviewReport.reviewId, row.id), eq(reviewReport.accountId, accountId));
  if ((await tx.$count(reviewReport, own)) > 0) return row;
  const today = and(
    eq(reviewReport.accountId, accountId),
    gt(reviewReport.createdAt, sql`now() - interval '1 day'`),
  );
  await requireBelowCap(tx, accountId, [reviewReport, today], caps.reportsADay, "reports a day");
  const isProvider = row.providerAccountId === accountId;
  const counts =
    !isProvider &&
    (await hasBought(tx, accountId)) &&
    !(await areOneParty(tx, accountId, row.providerAccountId));
  await tx.insert(reviewReport).values({ reviewId: row.id, accountId, reason, counts });
  if (isProvider) return updateReview(tx, row, { disputedByProvider: true });
  if (!counts) return row;
  const reports = row.reports + 1;
  return updateReview(tx, row, { reports, marked: reports >= marksFrom });
}

/** Whether an account has paid a provider. Refunded orders do not count, because they cost only gas. */
async function hasBought(tx: Transaction, accountId: string): Promise<boolean> {
  const bought = and(
    eq(order.buyerAccountId, accountId),
    isNotNull(order.fundedAt),
    eq(order.status, "released"),
  );
  const found = await tx.select({ id: order.id }).from(order).where(bought).limit(1);
  return found.length > 0;
}
