import { typeid } from "typeid-js";
import { insertEvents } from "../../db/account-events.ts";
import type { Transaction } from "../../db/client.ts";
import { and, eq, gt, isNull, or, sql } from "../../db/drizzle.ts";
import { areOneParty, isOneParty } from "../../db/one-party.ts";
import {
  account,
  fileUse,
  moderation,
  moderationSubject,
  order,
  orderMessage,
  report,
  review,
} from "../../db/schema.ts";
import { moderationActedData, reportAnsweredData } from "../../protocol/facts/moderation-events.ts";
import {
  type ModerationAct,
  type ReportOutcome,
  withholdingActs,
} from "../../protocol/settlement/vocabulary.ts";
import { Refusal } from "../refusal.ts";
import { countInMonth } from "./monthly-counts.ts";
import {
  isOpenToOperators,
  isSubject,
  lockSubject,
  type ModerationSubjectRow,
  noSubject,
  readSubject,
  type Subject,
  type SubjectName,
} from "./subject.ts";
import type { Cause } from "./suspension.ts";
import { restore, withhold } from "./withhold.ts";

export type ModerationRow = typeof moderation.$inferSelect;

/** The most acts of an operator in an hour. It bounds what a stolen session can do; `restore` undoes each act. */
export const actsAnHour = 200;

/** An act with its reason, which the owner reads, and a sentence for the reporters. */
export type Decision = { act: ModerationAct; reason: string; answer?: string | undefined };

/**
 * Acts on a subject as an operator, and answers its reports and its appeal. The owner gets an event of an act that changes
 * something, or that answers an appeal. Reporters get an event each. No act touches an order, a payment or a fact.
 *
 * @param operatorAccountId the account of an operator, which the caller has checked
 * @throws Refusal `not_found`; `invalid_state` for an act that does not fit the subject's state; `conflict` for a subject of the
 *   operator's own; `rate_limited` beyond `actsAnHour`
 */
export async function act(
  tx: Transaction,
  operatorAccountId: string,
  name: SubjectName,
  { act, reason, answer }: Decision,
): Promise<ModerationRow> {
  await requireBelowRate(tx, operatorAccountId);
  const subject = await readSubject(tx, name);
  if (await concerns(tx, operatorAccountId, subject)) {
    throw new Refusal(
      "conflict",
      "This concerns your own account or organisation. Another operator decides.",
    );
  }
  const locked = await lockSubject(tx, subject);
  if (!isOpenToOperators(name, locked)) throw noSubject(name.kind);
  const cause: Cause = { id: typeid("mod").toString(), operatorAccountId, reason };
  const suspended = await apply(tx, { subject, locked, act, cause });
  const [row] = await tx
    .insert(moderation)
    .values({
      id: cause.id,
      act,
      subjectKind: name.kind,
      subjectId: name.id,
      ownerAccountId: subject.ownerAccountId,
      operatorAccountId,
      reason,
      ...suspended,
    })
    .returning();
  if (!row) throw new Error("The database returned no act.");
  await answerReports(tx, subject, act === "dismiss" || act === "restore" ? "dismissed" : "acted", answer);
  await tx.update(moderationSubject).set({ open: 0, openCounted: 0, appealed: false }).where(isSubject(name));
  if (act !== "dismiss" || locked.appealed) await tellOwner(tx, row);
  if (act !== "dismiss") await countInMonth(tx, name.kind, act === "restore" ? "restored" : "withheld");
  return row;
}

/** Whether a subject is an operator's own, or belongs to an order of which the operator is a party. */
async function concerns(tx: Transaction, operatorAccountId: string, subject: Subject): Promise<boolean> {
  const { id, ownerAccountId, providerAccountId } = subject;
  for (const party of [ownerAccountId, providerAccountId]) {
    if (party !== null && (await areOneParty(tx, operatorAccountId, party))) return true;
  }
  const found = await tx
    .select({ id: order.id })
    .from(order)
    .where(
      and(
        sql`${order.id} in (
          select order_id from ${orderMessage} where id = ${id} union all select order_id from ${fileUse} where file_id = ${id})`,
        or(
          isOneParty(operatorAccountId, order.buyerAccountId),
          isOneParty(operatorAccountId, order.providerAccountId),
        ),
      ),
    )
    .limit(1);
  return found.length > 0;
}

async function requireBelowRate(tx: Transaction, operatorAccountId: string): Promise<void> {
  // The lock serialises the acts of one operator.
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`moderation ${operatorAccountId}`}, 0))`,
  );
  const lately = and(
    eq(moderation.operatorAccountId, operatorAccountId),
    isNull(moderation.causeId),
    gt(moderation.createdAt, sql`now() - interval '1 hour'`),
  );
  if ((await tx.$count(moderation, lately)) < actsAnHour) return;
  throw new Refusal("rate_limited", `An operator acts at most ${actsAnHour} times an hour.`, undefined, 600);
}

async function apply(
  tx: Transaction,
  {
    subject,
    locked,
    act,
    cause,
  }: { subject: Subject; locked: ModerationSubjectRow; act: ModerationAct; cause: Cause },
) {
  const { kind } = subject;
  if (act === "dismiss") {
    if (locked.open === 0 && !locked.appealed) {
      throw new Refusal("invalid_state", `This ${kind} has no open report and no appeal to dismiss.`);
    }
    return null;
  }
  if (act === "restore") {
    const holding = await readHolding(tx, locked);
    if (kind === "agent" || kind === "service") await requireOwnerNotBanned(tx, subject);
    await restore(tx, subject, holding);
    return null;
  }
  if (act !== withholdingActs[kind]) {
    throw new Refusal("invalid_state", `The act for ${kind}s is \`${withholdingActs[kind]}\`.`);
  }
  if (locked.heldBy !== null) throw new Refusal("invalid_state", `This ${kind} is withheld already.`);
  return await withhold(tx, subject, cause);
}

async function readHolding(tx: Transaction, { kind, heldBy }: ModerationSubjectRow): Promise<ModerationRow> {
  const [holding] =
    heldBy === null ? [] : await tx.select().from(moderation).where(eq(moderation.id, heldBy));
  if (!holding) throw new Refusal("invalid_state", `This ${kind} is not withheld.`);
  if (holding.causeId !== null) {
    throw new Refusal("invalid_state", "The ban of the account withholds this agent: restore the account.");
  }
  return holding;
}

/** A restored agent or service of a banned account would sell during the ban. */
async function requireOwnerNotBanned(tx: Transaction, { ownerAccountId }: Subject): Promise<void> {
  const [owner] = await tx
    .select({ bannedAt: account.bannedAt })
    .from(account)
    .where(eq(account.id, ownerAccountId))
    .for("share");
  if (owner?.bannedAt)
    throw new Refusal("invalid_state", "The account is banned: restore the account first.");
}

/** Answers the open reports of a subject, whose number `openReports` bounds. */
async function answerReports(
  tx: Transaction,
  { kind, id }: SubjectName,
  outcome: ReportOutcome,
  answer: string | undefined,
): Promise<void> {
  const answered = await tx
    .update(report)
    .set({ outcome, answer: answer ?? null, quoted: null, answeredAt: sql`now()` })
    .where(and(eq(report.subjectKind, kind), eq(report.subjectId, id), isNull(report.answeredAt)))
    .returning({ id: report.id, accountId: report.accountId });
  await insertEvents(
    tx,
    answered.map(({ id: reportId, accountId }) => ({
      accountId,
      type: "report.answered",
      orderId: null,
      key: `report:${reportId}`,
      data: reportAnsweredData({ report_id: reportId, subject: { kind, id }, outcome }),
    })),
  );
  await countInMonth(tx, kind, outcome, answered.length);
  if (kind === "review" && outcome === "dismissed") {
    const unmarked = { reports: 0, marked: false, disputedByProvider: false };
    await tx.update(review).set(unmarked).where(eq(review.id, id));
  }
}

async function tellOwner(tx: Transaction, row: ModerationRow): Promise<void> {
  await insertEvents(tx, [
    {
      accountId: row.ownerAccountId,
      type: "moderation.acted",
      orderId: null,
      key: `moderation:${row.id}`,
      data: moderationActedData(row),
    },
  ]);
}
