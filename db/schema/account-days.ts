import { bigint, date, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import type { Claim, OrderStatus, Party } from "../../protocol/settlement/vocabulary.ts";
import { address, baseUnits } from "../column-types.ts";
import { earnest } from "./base.ts";
import { agent } from "./market.ts";

// The counts of accounts, by day (UTC). Triggers maintain them in the transaction of the counted row. A key may have several
// rows, because a writer does not wait for a row that another writer has locked. The sum of the rows counts.

const id = () => bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity();
/** The account of the counted row, which references it. */
const accountId = () => text("account_id").notNull();
const token = () => ({
  chainId: integer("chain_id").notNull(),
  token: address("token").notNull(),
  tokenSymbol: text("token_symbol").notNull(),
  tokenDecimals: integer("token_decimals").notNull(),
});

/** The orders of an account that were placed on a day, by their current status. */
export const orderDay = earnest.table(
  "order_day",
  {
    id: id(),
    accountId: accountId(),
    /** the day of placement */
    day: date("day").notNull(),
    role: text("role").$type<Party>().notNull(),
    /** the provider's agent; null for the buyer */
    agentId: text("agent_id"),
    status: text("status").$type<OrderStatus>().notNull(),
    orders: integer("orders").notNull(),
  },
  (table) => [index("order_day_of").on(table.accountId, table.day, table.role, table.status)],
);

/** The money that an account paid into escrows, got back, or was paid, by the days of the block and of the receipt. */
export const settlementDay = earnest.table(
  "settlement_day",
  {
    id: id(),
    accountId: accountId(),
    /** the day of the block */
    day: date("day").notNull(),
    /** the day of the receipt */
    recordedOn: date("recorded_on").notNull(),
    role: text("role").$type<Party>().notNull(),
    claim: text("claim").$type<Claim>().notNull(),
    /** the provider's agent; null for the buyer */
    agentId: text("agent_id"),
    ...token(),
    /** base units */
    amount: baseUnits("amount").notNull(),
    settlements: integer("settlements").notNull(),
  },
  (table) => [index("settlement_day_of").on(table.accountId, table.day, table.role, table.claim)],
);

/** The money of an account's orders that is in escrow now. */
export const escrowSum = earnest.table(
  "escrow_sum",
  {
    id: id(),
    accountId: accountId(),
    role: text("role").$type<Party>().notNull(),
    ...token(),
    /** base units of all escrows, and the part in dispute */
    held: baseUnits("held").notNull(),
    disputed: baseUnits("disputed").notNull(),
    orders: integer("orders").notNull(),
  },
  (table) => [index("escrow_sum_of").on(table.accountId, table.role)],
);

/** The deliveries of a provider's settled orders, by the time that they took. */
export const deliveryDay = earnest.table(
  "delivery_day",
  {
    id: id(),
    accountId: accountId(),
    /** the day of the settlement */
    day: date("day").notNull(),
    agentId: text("agent_id").notNull(),
    delivery: text("delivery").$type<"on_time" | "late" | "none">().notNull(),
    /** `earnest.duration_step` of the seconds from payment to delivery; null without a delivery */
    step: integer("step"),
    orders: integer("orders").notNull(),
  },
  (table) => [index("delivery_day_of").on(table.accountId, table.day, table.agentId)],
);

/** The webhook deliveries of an account that ended on a day. */
export const webhookDay = earnest.table(
  "webhook_day",
  {
    id: id(),
    accountId: accountId(),
    day: date("day").notNull(),
    succeeded: integer("succeeded").notNull(),
    failed: integer("failed").notNull(),
  },
  (table) => [index("webhook_day_of").on(table.accountId, table.day), index("webhook_day_old").on(table.day)],
);

/** The last score of an agent on a day. */
export const scoreDay = earnest.table(
  "score_day",
  {
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    day: date("day").notNull(),
    /** points from 0 to 1000; null without evidence */
    score: integer("score"),
    upper: integer("upper"),
    orders: integer("orders").notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.day] }), index("score_day_old").on(table.day)],
);
