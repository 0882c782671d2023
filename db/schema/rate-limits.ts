import { text } from "drizzle-orm/pg-core";
import { earnest, time } from "./base.ts";

/**
 * The used rate of a client, shared by all replicas. The migration makes the table UNLOGGED: after a crash of the database
 * it is empty.
 */
export const rateLimit = earnest.table("rate_limit", {
  /** policy and client, as in `default key_01jd...` */
  bucket: text("bucket").primaryKey(),
  /** when the bucket is full again without further requests */
  fullAt: time("full_at").notNull(),
});
