import { bigint, check, index, integer, text, uniqueIndex } from "drizzle-orm/pg-core";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";

/** An export of the data of an account, as a zip file in the file store. No row of `file` names its bytes. */
export const dataExport = earnest.table(
  "data_export",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    status: text("status").$type<"waiting" | "ready" | "failed">().notNull().default("waiting"),
    failure: text("failure").$type<"too_large" | "no_space" | "error">(),
    /** how often a worker has begun it */
    attempts: integer("attempts").notNull().default(0),
    /** the name of the bytes in the file store */
    stored: text("stored").notNull(),
    size: bigint("size", { mode: "number" }),
    finishedAt: time("finished_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("data_export_account").on(table.accountId, table.createdAt),
    index("data_export_old").on(table.createdAt),
    // An account has one export that is being made.
    uniqueIndex("data_export_waiting").on(table.accountId).where(sql`${table.status} = 'waiting'`),
    index("data_export_next").on(table.createdAt, table.id).where(sql`${table.status} = 'waiting'`),
  ],
);

/** The newest erasure of an account. A worker carries it out step by step once it is due. */
export const accountErasure = earnest.table(
  "account_erasure",
  {
    accountId: text("account_id")
      .primaryKey()
      .references(() => account.id),
    status: text("status").$type<"waiting" | "running" | "done">().notNull().default("waiting"),
    requestedAt: time("requested_at").notNull().defaultNow(),
    /** when the worker begins; until then the account can take the request back */
    dueAt: time("due_at").notNull(),
    /** when the worker reads the row next */
    nextAt: time("next_at").notNull(),
    /** the steps that are done, and how far the current one is; null before its first row */
    step: integer("step").notNull().default(0),
    cursor: text("cursor"),
    finishedAt: time("finished_at"),
  },
  (table) => [
    index("account_erasure_next").on(table.nextAt, table.accountId).where(sql`${table.status} <> 'done'`),
    check("account_erasure_finished", sql`(${table.finishedAt} is not null) = (${table.status} = 'done')`),
  ],
);
