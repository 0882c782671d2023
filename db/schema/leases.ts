import { bigint, text } from "drizzle-orm/pg-core";
import { earnest, time } from "./base.ts";

/** The right to work that one process does at a time. */
export const lease = earnest.table("lease", {
  name: text("name").primaryKey(),
  /** process that has or last had the lease, for people who read the table */
  holder: text("holder").notNull(),
  /** number that grows with each holder, so that writes of an earlier holder are refused */
  fence: bigint("fence", { mode: "bigint" }).notNull(),
  /** by the database's clock */
  until: time("until").notNull(),
});
