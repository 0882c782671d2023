import type { Transaction } from "../../db/client.ts";
import { eq, sql } from "../../db/drizzle.ts";
import { review } from "../../db/schema.ts";

/** The counted reports from which a review is marked. */
export const marksFrom = 3;

/**
 * Shows the report of a review beside the review: as the provider's dispute, or as one that counts towards the mark.
 *
 * @param counts whether the report of this account counts
 */
export async function markReview(
  tx: Transaction,
  { id, providerAccountId }: { id: string; providerAccountId: string | null },
  { accountId, counts }: { accountId: string; counts: boolean },
): Promise<void> {
  const isProvider = providerAccountId === accountId;
  if (!isProvider && !counts) return;
  await tx
    .update(review)
    .set(
      isProvider
        ? { disputedByProvider: true }
        : { reports: sql`${review.reports} + 1`, marked: sql`${review.reports} + 1 >= ${marksFrom}` },
    )
    .where(eq(review.id, id));
}
