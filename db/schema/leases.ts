import { bigint, text } from "drizzle-orm/pg-core";
import { earnest, time } from "./base.ts";

/** Who may do now what one process at a time does. */
export const lease = earnest.table("lease", {
  name: text("name").primaryKey(),
  /** for people: which process has it, or had it last */
  holder: text("holder").notNull(),
  /** one more with each holder, so that writes of an earlier one are known */
  fence: bigint("fence", { mode: "bigint" }).notNull(),
  /** by the database's clock */
  until: time("until").notNull(),
});
