import { check, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { fact } from "./facts.ts";
import { order } from "./orders.ts";

/** Statements of an account about itself, for invoices. */
export type BillingDetails = {
  name: string;
  address_lines: string[];
  /** ISO 3166-1 alpha-2 */
  country: string;
  tax_id: string | null;
  /** percent, with at most two decimals; null: the account states no tax */
  tax_rate: string | null;
};

/** The details that go on an account's invoices. */
export const billingDetails = earnest.table("billing_details", {
  accountId: text("account_id")
    .primaryKey()
    .references(() => account.id),
  details: jsonb("details").$type<BillingDetails>().notNull(),
  updatedAt: time("updated_at").notNull().defaultNow(),
});

/**
 * An invoice of a settled order. It has the details that both parties had at the first request. An erasure of an account keeps
 * the row, because tax law asks the other party for it.
 */
export const invoice = earnest.table(
  "invoice",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** the settlement that the invoice is about. After a reorganisation, an order may settle again, with another invoice */
    factId: text("fact_id")
      .notNull()
      .references(() => fact.id),
    sellerAccountId: text("seller_account_id")
      .notNull()
      .references(() => account.id),
    /** counts the seller's invoices, without gaps */
    number: integer("number").notNull(),
    seller: jsonb("seller").$type<BillingDetails>().notNull(),
    /** null if the buyer had no details */
    buyer: jsonb("buyer").$type<BillingDetails>(),
    /** what was sold, as the order named it: an erasure of the seller removes it from the order */
    serviceTitle: text("service_title").notNull(),
    agentName: text("agent_name").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("invoice_settlement").on(table.orderId, table.factId),
    uniqueIndex("invoice_number").on(table.sellerAccountId, table.number),
    check("invoice_number_counts", sql`${table.number} > 0`),
  ],
);
