import { typeid } from "typeid-js";
import type { Transaction } from "../../db/client.ts";
import { and, eq, gt, sql } from "../../db/drizzle.ts";
import { areOneParty } from "../../db/one-party.ts";
import { moderationSubject, order, report } from "../../db/schema.ts";
import { caps, requireBelowCap } from "../account-caps.ts";
import { requireActive } from "../accounts/active-account.ts";
import type { Caller } from "../context.ts";
import { readableFile } from "../files/file-access.ts";
import { lockFiles } from "../files/file-use.ts";
import { Refusal } from "../refusal.ts";
import { markReview } from "../reviews/review-mark.ts";
import { countInMonth } from "./monthly-counts.ts";
import {
  isSubject,
  lockSubject,
  type ModerationSubjectRow,
  mayReadMessage,
  noSubject,
  readSubject,
  type Subject,
  type SubjectName,
} from "./subject.ts";

export type ReportRow = typeof report.$inferSelect;

/**
 * The most reports that wait for an answer. Accounts are free, so those of accounts that paid for nothing are bounded for a
 * subject and in all. They leave room for the reports that count.
 */
export const openReports = { uncounted: 100, counted: 300, uncountedInAll: 20_000 };

/**
 * Reports a subject to the operators. It hides nothing. A report counts if its account had a released order with the subject's
 * owner. The account must be at arm's length from the owner, and from the provider of a review. A second report of an account
 * changes nothing.
 *
 * @throws Refusal `not_found`; `file_not_found`; `account_banned`; `invalid_state` for the caller's own subject; `conflict` beyond
 *   `caps.reportsADay` or `openReports`
 */
export async function reportSubject(
  tx: Transaction,
  { accountId }: Caller,
  name: SubjectName,
  { reason, text }: Pick<ReportRow, "reason" | "text">,
  most = openReports,
): Promise<ReportRow> {
  await requireActive(tx, accountId);
  const found = await readSubject(tx, name);
  if (found.ownerAccountId === accountId) {
    throw new Refusal("invalid_state", `You cannot report your own ${found.kind}.`);
  }
  const locked = await lockSubject(tx, found);
  // Its owner may have withdrawn it before the lock.
  const subject = await readSubject(tx, name);
  const earlier = await findReport(tx, accountId, name);
  if (earlier) return earlier;
  // An order gives the right to read its messages and files.
  if (subject.kind === "file") {
    // A withdrawal of the message that names the file waits for this lock. After one, the file cannot be read.
    await lockFiles(tx, [subject.id]);
    await readableFile(tx, { accountId }, subject.id);
  }
  if (subject.kind === "message" && !(await mayReadMessage(tx, accountId, subject.id)))
    throw noSubject(subject.kind);
  if (!subject.isShown || locked.heldBy !== null) throw noSubject(subject.kind);
  const today = and(eq(report.accountId, accountId), gt(report.createdAt, sql`now() - interval '1 day'`));
  await requireBelowCap(tx, accountId, [report, today], caps.reportsADay, "reports a day");
  const counts = await isCounted(tx, accountId, subject);
  await requireRoom(tx, locked, counts, most);
  const [row] = await tx
    .insert(report)
    .values({
      id: typeid("rpt").toString(),
      accountId,
      subjectKind: subject.kind,
      subjectId: subject.id,
      reason,
      text,
      counts,
      quoted: subject.text,
    })
    .returning();
  if (!row) throw new Error("The database returned no report.");
  const one = Number(counts);
  await tx
    .update(moderationSubject)
    .set({
      open: locked.open + 1,
      openCounted: locked.openCounted + one,
      reports: locked.reports + 1,
      noticedAt: sql`now()`,
    })
    .where(isSubject(name));
  if (subject.kind === "review") await markReview(tx, subject, { accountId, counts });
  await countInMonth(tx, subject.kind, "reported");
  return row;
}

async function findReport(tx: Transaction, accountId: string, { kind, id }: SubjectName) {
  const [row] = await tx
    .select()
    .from(report)
    .where(and(eq(report.subjectKind, kind), eq(report.subjectId, id), eq(report.accountId, accountId)));
  return row;
}

async function isCounted(tx: Transaction, accountId: string, subject: Subject): Promise<boolean> {
  if (!(await haveTraded(tx, accountId, subject.ownerAccountId))) return false;
  for (const party of [subject.ownerAccountId, subject.providerAccountId]) {
    if (party !== null && (await areOneParty(tx, accountId, party))) return false;
  }
  return true;
}

/**
 * Whether one of two accounts has paid the other for an order. Refunded orders do not count, because they cost only gas. An
 * order with a third account does not either, because the reporter may own that account as well.
 */
async function haveTraded(tx: Transaction, one: string, other: string): Promise<boolean> {
  const sold = (buyer: string, provider: string) =>
    tx
      .select({ id: order.id })
      .from(order)
      .where(
        and(
          eq(order.buyerAccountId, buyer),
          eq(order.providerAccountId, provider),
          eq(order.status, "released"),
        ),
      )
      .limit(1);
  return (await sold(one, other)).length > 0 || (await sold(other, one)).length > 0;
}

async function requireRoom(
  tx: Transaction,
  locked: ModerationSubjectRow,
  counts: boolean,
  most: typeof openReports,
): Promise<void> {
  const uncounted = locked.open - locked.openCounted;
  if (counts ? locked.openCounted >= most.counted : uncounted >= most.uncounted) {
    throw new Refusal(
      "conflict",
      `This ${locked.kind} has many reports already. An operator will read them.`,
    );
  }
  if (counts) return;
  const { rows } = await tx.execute<{ waiting: number }>(sql`
    select count(*)::int as waiting from (
      select from ${report} where ${report.answeredAt} is null and not ${report.counts} limit ${most.uncountedInAll}) as open`);
  if ((rows[0]?.waiting ?? 0) < most.uncountedInAll) return;
  throw new Refusal(
    "conflict",
    "The operators have more reports than they can read. Report it again tomorrow.",
  );
}
