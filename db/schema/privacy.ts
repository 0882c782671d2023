import { bigint, index, integer, text, uniqueIndex } from "drizzle-orm/pg-core";
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
