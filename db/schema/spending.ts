import { boolean, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { address, baseUnits } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { apiKey } from "./accounts.ts";
import { earnest, time } from "./base.ts";
import { order } from "./orders.ts";

/**
 * The spending of a key on an order that it placed, or got the means to pay. It is written under the key's lock. The
 * refunded amount and the state of the order follow the order's facts.
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
    // One address may be a token on several chains, and these are different tokens.
    chainId: integer("chain_id").notNull(),
    token: address("token").notNull(),
    /** base units of the token */
    amount: baseUnits("amount").notNull(),
    refunded: baseUnits("refunded").notNull(),
    /** whether the key placed the order, rather than paid an existing order */
    isPlaced: boolean("is_placed").notNull(),
    /** whether the order is open */
    isOpen: boolean("is_open").notNull().default(true),
    chargedAt: time("charged_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orderId, table.keyId] }),
    // The sum of a month is read from this index alone.
    index("key_spending_sum").on(
      table.keyId,
      table.chargedAt,
      table.chainId,
      table.token,
      table.amount,
      table.refunded,
    ),
    index("key_spending_open").on(table.keyId).where(sql`${table.isOpen} and ${table.isPlaced}`),
    index("key_spending_over").on(table.chargedAt).where(sql`not ${table.isOpen}`),
  ],
);
