import { boolean, check, date, index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { ModerationAct, ReportOutcome, SubjectKind } from "../../protocol/settlement/vocabulary.ts";
import { address } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import type { PublicationStatus } from "./market.ts";

/** The reasons of a report. */
export const reportReasons = [
  "fraud",
  "misleading",
  "illegal",
  "abuse",
  "private_data",
  "infringement",
  "malware",
  "spam",
  "other",
] as const;

/** The wallets whose owners are operators. `npm run operator` writes the table. */
export const operator = earnest.table(
  "operator",
  {
    address: address("address").notNull(),
    /** the chain of a contract; null for a key */
    chainId: integer("chain_id"),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("operator_address").on(table.address, sql`coalesce(${table.chainId}, 0)`)],
);

/** A report of a subject, at most one of an account. */
export const report = earnest.table(
  "report",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    subjectKind: text("subject_kind").$type<SubjectKind>().notNull(),
    subjectId: text("subject_id").notNull(),
    reason: text("reason").$type<(typeof reportReasons)[number]>().notNull(),
    text: text("text").notNull(),
    /** the text of a review when it was reported, until the answer: its author may change or withdraw it */
    quoted: text("quoted"),
    /** whether the account had a paid order with the subject's owner, and is at arm's length from the owner */
    counts: boolean("counts").notNull(),
    /** whether the operator acted on the subject; null before the answer */
    outcome: text("outcome").$type<ReportOutcome>(),
    /** the operator's sentence for the reporters, if any */
    answer: text("answer"),
    answeredAt: time("answered_at"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("report_subject").on(table.subjectKind, table.subjectId, table.accountId),
    index("report_account").on(table.accountId, table.createdAt, table.id),
    index("report_open")
      .on(table.subjectKind, table.subjectId, table.createdAt, table.id)
      .where(sql`${table.answeredAt} is null`),
    index("report_uncounted_open")
      .on(table.id)
      .where(sql`${table.answeredAt} is null and not ${table.counts}`),
    index("report_answered").on(table.answeredAt).where(sql`${table.answeredAt} is not null`),
    check("report_answered", sql`(${table.outcome} is null) = (${table.answeredAt} is null)`),
  ],
);

/** A subject that somebody reported, or that an operator acted on. Reports of a subject take turns by its row. */
export const moderationSubject = earnest.table(
  "moderation_subject",
  {
    kind: text("kind").$type<SubjectKind>().notNull(),
    id: text("id").notNull(),
    /** the account that the subject belongs to */
    ownerAccountId: text("owner_account_id")
      .notNull()
      .references(() => account.id),
    /** reports without an answer */
    open: integer("open").notNull().default(0),
    /** those among them that count */
    openCounted: integer("open_counted").notNull().default(0),
    /** all reports */
    reports: integer("reports").notNull().default(0),
    /** whether the owner's appeal waits for an answer */
    appealed: boolean("appealed").notNull().default(false),
    /** the time of the latest report or appeal */
    noticedAt: time("noticed_at").notNull().defaultNow(),
    /** the act that keeps the subject off the market, hidden or banned; null without one */
    heldBy: text("held_by"),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.id] }),
    index("moderation_subject_waiting")
      .on(sql`(${table.appealed}::int)`, table.openCounted, table.noticedAt, table.id)
      .where(sql`${table.open} > 0 or ${table.appealed}`),
    index("moderation_subject_owner")
      .on(table.ownerAccountId)
      .where(sql`${table.openCounted} > 0 or ${table.appealed}`),
    index("moderation_subject_held").on(table.noticedAt, table.id).where(sql`${table.heldBy} is not null`),
  ],
);

/** An act of an operator. Its row never changes, except for the owner's one appeal and its answer. */
export const moderation = earnest.table(
  "moderation",
  {
    id: text("id").primaryKey(),
    act: text("act").$type<ModerationAct>().notNull(),
    subjectKind: text("subject_kind").$type<SubjectKind>().notNull(),
    subjectId: text("subject_id").notNull(),
    ownerAccountId: text("owner_account_id")
      .notNull()
      .references(() => account.id),
    operatorAccountId: text("operator_account_id")
      .notNull()
      .references(() => account.id),
    /** the reason, which the owner reads */
    reason: text("reason").notNull(),
    /** the status of an agent or a service before its suspension, which `restore` gives back */
    statusBefore: text("status_before").$type<PublicationStatus>(),
    /** the version of the agent or the service after its suspension; another one shows a change by the owner */
    versionAfter: integer("version_after"),
    /** the ban that suspended this agent; null for an act of its own */
    causeId: text("cause_id"),
    appeal: text("appeal"),
    appealedAt: time("appealed_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("moderation_of_subject").on(table.subjectKind, table.subjectId, table.createdAt, table.id),
    index("moderation_owner").on(table.ownerAccountId, table.createdAt, table.id),
    index("moderation_newest").on(table.createdAt, table.id),
    index("moderation_cause").on(table.causeId).where(sql`${table.causeId} is not null`),
    index("moderation_operator").on(table.operatorAccountId, table.createdAt),
    check("moderation_appealed", sql`(${table.appeal} is null) = (${table.appealedAt} is null)`),
  ],
);

/** The public counts of reports, acts and appeals by month. */
export const moderationMonth = earnest.table(
  "moderation_month",
  {
    /** the first day of the month, of UTC */
    month: date("month").notNull(),
    kind: text("kind").$type<SubjectKind>().notNull(),
    what: text("what")
      .$type<"reported" | "acted" | "dismissed" | "appealed" | "withheld" | "restored">()
      .notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.month, table.kind, table.what] })],
);
