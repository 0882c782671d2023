import { sql } from "drizzle-orm";
import { boolean, index, primaryKey, text } from "drizzle-orm/pg-core";
import { address, baseUnits } from "../columns.ts";
import { apiKey } from "./accounts.ts";
import { earnest, time } from "./base.ts";
import { order } from "./orders.ts";

/**
 * What a key has spent: one row for each order that it placed, or was given the means to pay. Written under the key's
 * lock; what was given back, and whether the order is over, follow the order's facts.
 */
export const keySpending = earnest.table(
  "key_spending",
  {
    keyId: text("key_id")
      .notNull()
      .references(() => apiKey.id),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    token: address("token").notNull(),
    /** base units of the token */
    amount: baseUnits("amount").notNull(),
    refunded: baseUnits("refunded").notNull(),
    /** whether the key placed the order, rather than paid one that stood */
    isPlaced: boolean("is_placed").notNull(),
    /** whether the order may still come to something */
    isOpen: boolean("is_open").notNull().default(true),
    chargedAt: time("charged_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orderId, table.keyId] }),
    // A month's sum of a key, read in the index alone.
    index("key_spending_sum").on(table.keyId, table.chargedAt, table.token, table.amount, table.refunded),
    index("key_spending_open").on(table.keyId).where(sql`${table.isOpen} and ${table.isPlaced}`),
    index("key_spending_over").on(table.chargedAt).where(sql`not ${table.isOpen}`),
  ],
);
