import { bigint, index, integer, text } from "drizzle-orm/pg-core";
import { address, baseUnits } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { earnest, time } from "./base.ts";
import { order } from "./orders.ts";

/**
 * The payouts of orders that a token refused, each once its event is confirmed. The contract sums what it owes to a payee in
 * a token, and one withdrawal pays the sum.
 */
export const refusedPayout = earnest.table(
  "refused_payout",
  {
    /** the id of the event in the index */
    eventId: text("event_id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** the payee's account */
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    chainId: integer("chain_id").notNull(),
    contract: address("contract").notNull(),
    payee: address("payee").notNull(),
    token: address("token").notNull(),
    amount: baseUnits("amount").notNull(),
    blockNumber: bigint("block_number", { mode: "bigint" }).notNull(),
    logIndex: integer("log_index").notNull(),
    refusedAt: time("refused_at").notNull(),
    /** when a worker saw the withdrawal confirmed; null while the contract owes the amount */
    withdrawnAt: time("withdrawn_at"),
    /** the withdrawals that a worker tried, or found refused */
    attempts: integer("attempts").notNull().default(0),
    /** null once a withdrawn payout was checked again */
    nextCheckAt: time("next_check_at").defaultNow(),
  },
  (table) => [
    index("refused_payout_due")
      .on(table.chainId, table.nextCheckAt)
      .where(sql`${table.nextCheckAt} is not null`),
    index("refused_payout_owed")
      .on(table.chainId, table.contract, table.payee, table.token)
      .where(sql`${table.withdrawnAt} is null or ${table.nextCheckAt} is not null`),
    index("refused_payout_account").on(table.accountId, table.refusedAt, table.eventId),
  ],
);
