import type { Database, Transaction } from "../../db/client.ts";
import { desc, gte, sql } from "../../db/drizzle.ts";
import { moderationMonth } from "../../db/schema.ts";
import type { SubjectKind } from "../../protocol/settlement/vocabulary.ts";

type Counted = (typeof moderationMonth.$inferSelect)["what"];

/** Months of the public counts. */
export const shownMonths = 24;

/** Adds to a public count of this month (UTC). Callers take the lock of their subject before. */
export async function countInMonth(
  tx: Transaction,
  kind: SubjectKind,
  what: Counted,
  count = 1,
): Promise<void> {
  if (count === 0) return;
  await tx
    .insert(moderationMonth)
    .values({ month: sql`date_trunc('month', now() at time zone 'UTC')::date`, kind, what, count })
    .onConflictDoUpdate({
      target: [moderationMonth.month, moderationMonth.kind, moderationMonth.what],
      set: { count: sql`${moderationMonth.count} + ${count}` },
    });
}

/** Reads the public counts of the latest months, the newest first. */
export async function readMonths(db: Database) {
  const since = sql`(date_trunc('month', now() at time zone 'UTC') - make_interval(months => ${shownMonths - 1}))::date`;
  return db
    .select()
    .from(moderationMonth)
    .where(gte(moderationMonth.month, since))
    .orderBy(desc(moderationMonth.month), moderationMonth.kind, moderationMonth.what);
}
