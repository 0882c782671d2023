import {
  type AnyPgColumn,
  bigint,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { ApprovalStatus, Party, Rail } from "../../protocol/settlement/vocabulary.ts";
import { address, baseUnits, byteOrderedText, hex } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, type JsonObject, time } from "./base.ts";
import { agent, type OrderedStage, service } from "./market.ts";

export const order = earnest.table(
  "order",
  {
    id: text("id").primaryKey(),
    /** short name for people, such as E-7K3M9Q */
    reference: byteOrderedText("reference").notNull().unique(),
    buyerAccountId: text("buyer_account_id")
      .notNull()
      .references(() => account.id),
    providerAccountId: text("provider_account_id")
      .notNull()
      .references(() => account.id),
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    /** names as they were at placement; the agreement has the same title and slugs */
    agentSlug: text("agent_slug").notNull(),
    agentName: text("agent_name").notNull(),
    serviceSlug: text("service_slug").notNull(),
    serviceTitle: text("service_title").notNull(),
    settlementRail: text("settlement_rail").$type<Rail>().notNull(),
    pricingModel: text("pricing_model").notNull(),
    /** of a metered order the most units that may be charged */
    quantity: integer("quantity").notNull(),
    /** base units of the token */
    unitPrice: baseUnits("unit_price").notNull(),
    amount: baseUnits("amount").notNull(),
    inputPayload: jsonb("input_payload").$type<JsonObject>(),
    outputPayload: jsonb("output_payload").$type<JsonObject>(),
    /** both are frozen at placement: a change of the service never changes an order */
    inputSchema: jsonb("input_schema").$type<JsonObject>(),
    outputSchema: jsonb("output_schema").$type<JsonObject>(),
    agreement: jsonb("agreement").$type<JsonObject>().notNull(),
    /** since when the words of the provider are erased; `agreement` then has another digest than `orderHash` */
    erasedAt: time("erased_at"),
    /** the stages of the work as agreed; null for an order without stages */
    stages: jsonb("stages").$type<OrderedStage[]>(),

    // The escrow's terms, from which anyone can compute its id and deposit address.
    chainId: integer("chain_id").notNull(),
    escrowContract: address("escrow_contract").notNull(),
    buyerAddress: address("buyer_address").notNull(),
    providerAddress: address("provider_address").notNull(),
    token: address("token").notNull(),
    tokenSymbol: text("token_symbol").notNull(),
    tokenDecimals: integer("token_decimals").notNull(),
    /** the currency that the token was redeemed for at placement, or the token's own symbol */
    currency: text("currency").notNull(),
    fundBy: bigint("fund_by", { mode: "number" }).notNull(),
    deliveryWindow: integer("delivery_window").notNull(),
    // A session has 2^32 - 1.
    acceptanceWindow: bigint("acceptance_window", { mode: "number" }).notNull(),
    disputeWindow: integer("dispute_window").notNull(),
    appealWindow: integer("appeal_window").notNull(),
    arbiter: address("arbiter").notNull(),
    orderHash: hex("order_hash").notNull(),
    escrowId: hex("escrow_id").notNull(),
    depositAddress: address("deposit_address").notNull(),

    // The state folded from the order's facts. Only the recording of facts writes it.
    status: text("status").notNull(),
    fundedAt: time("funded_at"),
    startedAt: time("started_at"),
    deliveredAt: time("delivered_at"),
    deliveryDeadline: time("delivery_deadline"),
    acceptanceEndsAt: time("acceptance_ends_at"),
    autoReleaseAt: time("auto_release_at"),
    releaseDueAt: time("release_due_at"),
    /** the units that the last delivery of a metered order counts, and their price in base units */
    deliveredUnits: integer("delivered_units"),
    charge: baseUnits("charge"),
    /** of an order in stages: the stage of the last delivery, and the number of paid stages */
    deliveredStage: integer("delivered_stage"),
    acceptedStages: integer("accepted_stages"),
    disputedAt: time("disputed_at"),
    completedAt: time("completed_at"),
    /** null if no approval is needed; `lapsed` if the order ended before a decision */
    approvalStatus: text("approval_status").$type<ApprovalStatus>(),
    approvalRequestedAt: time("approval_requested_at"),
    approvalDecidedAt: time("approval_decided_at"),
    /** the account of the person who decided */
    approvalDecidedBy: text("approval_decided_by"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("order_escrow").on(table.chainId, table.escrowId),
    index("order_deposit").on(table.depositAddress),
    // An index for each order of a list. Each ends in the columns of common filters, so that a scan reads matching rows only.
    index("order_buyer").on(
      table.buyerAccountId,
      table.createdAt,
      table.id,
      table.status,
      table.serviceId,
      table.tokenSymbol,
    ),
    index("order_provider").on(
      table.providerAccountId,
      table.createdAt,
      table.id,
      table.status,
      table.serviceId,
      table.tokenSymbol,
    ),
    index("order_buyer_value").on(
      table.buyerAccountId,
      table.tokenSymbol,
      orderValue(table),
      table.id,
      table.status,
      table.serviceId,
    ),
    index("order_provider_value").on(
      table.providerAccountId,
      table.tokenSymbol,
      orderValue(table),
      table.id,
      table.status,
      table.serviceId,
    ),
    index("order_buyer_deadline").on(
      table.buyerAccountId,
      orderDeadline(table),
      table.id,
      table.status,
      table.serviceId,
      table.tokenSymbol,
    ),
    index("order_provider_deadline").on(
      table.providerAccountId,
      orderDeadline(table),
      table.id,
      table.status,
      table.serviceId,
      table.tokenSymbol,
    ),
    // Few of many orders may have a status. The indexes list and count them without reading the others.
    index("order_buyer_status").on(table.buyerAccountId, table.status, table.createdAt, table.id),
    index("order_provider_status").on(table.providerAccountId, table.status, table.createdAt, table.id),
    index("order_service").on(table.serviceId, table.status),
    index("order_agent").on(table.agentId, table.status),
    index("order_open").on(table.status, table.fundBy),
    // A sweep of the deposits of old orders reads one of 32 lanes after another.
    index("order_unpaid")
      .on(sql`(hashtext(${table.id}) & 31)`, table.id)
      .where(sql`${table.status} = 'created'`),
    index("order_unpaid_x402")
      .on(table.id)
      .where(sql`${table.status} = 'created' and ${table.settlementRail} = 'x402'`),
    // Unpaid orders are counted before another order may be placed.
    index("order_unpaid_buyer")
      .on(table.buyerAccountId, table.fundBy)
      .where(sql`${table.status} = 'created'`),
    index("order_unpaid_provider")
      .on(table.providerAccountId, table.fundBy)
      .where(sql`${table.status} = 'created'`),
    index("order_paid_buyer").on(table.buyerAccountId).where(sql`${table.fundedAt} is not null`),
    index("order_approval")
      .on(table.buyerAccountId, table.createdAt, table.id)
      .where(sql`${table.approvalStatus} = 'pending'`),
    // Orders whose payloads are to be removed. The removal empties the index.
    index("order_expired_payload")
      .on(table.fundBy)
      .where(
        sql`${table.status} = 'expired' and (${table.inputPayload} is not null or ${table.inputSchema} is not null or ${table.outputSchema} is not null)`,
      ),
    index("order_disputed_now").on(table.disputedAt, table.id).where(sql`${table.status} = 'disputed'`),
    index("order_disputed_buyer")
      .on(table.buyerAccountId, table.disputedAt, table.id)
      .where(sql`${table.disputedAt} is not null`),
    index("order_disputed_provider")
      .on(table.providerAccountId, table.disputedAt, table.id)
      .where(sql`${table.disputedAt} is not null`),
    index("order_arbiter")
      .on(table.arbiter, table.disputedAt, table.id)
      .where(sql`${table.disputedAt} is not null`),
    // Orders that anyone may settle after a time, as far as the ledger knows. The chain's index knows more of disputes.
    index("order_due")
      .on(table.chainId, dueTime(table))
      .where(sql`${table.status} in ('funded', 'started', 'delivered')`),
  ],
);

/** The last output of each stage of an order. The row of the order has that of the last delivery. */
export const stageOutput = earnest.table(
  "stage_output",
  {
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    stage: integer("stage").notNull(),
    output: jsonb("output").$type<JsonObject>(),
    outputHash: hex("output_hash").notNull(),
    deliveredAt: time("delivered_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.stage] })],
);

/** Selects the amount of an order in whole tokens, so that amounts of tokens with other decimals compare. */
export function orderValue(table: Record<"amount" | "tokenDecimals", AnyPgColumn>) {
  return sql`earnest.in_tokens(${table.amount}, ${table.tokenDecimals})`;
}

/** Selects the delivery deadline of an order, or the funding deadline of an order that was never funded. */
export function orderDeadline(table: Record<"deliveryDeadline" | "fundBy", AnyPgColumn>) {
  return sql`earnest.order_deadline(${table.deliveryDeadline}, ${table.fundBy})`;
}

/**
 * Selects when the service may settle an order by time alone: refund it if no delivery is recorded on the chain, else release
 * it. Null if the record matches no delivery.
 */
export function dueTime(table: Record<"autoReleaseAt" | "deliveryDeadline" | "releaseDueAt", AnyPgColumn>) {
  return sql`(case when ${table.autoReleaseAt} is null then ${table.deliveryDeadline} else ${table.releaseDueAt} end)`;
}

/**
 * A service that an account has bought or sold, with each pair of names that its orders have. A trigger of `order` writes the
 * rows. An account has far fewer of them than orders, so a search for words reads them first.
 */
export const tradedService = earnest.table(
  "traded_service",
  {
    accountId: text("account_id").notNull(),
    side: text("side").$type<Party>().notNull(),
    serviceId: text("service_id").notNull(),
    serviceTitle: text("service_title").notNull(),
    agentName: text("agent_name").notNull(),
    agentSlug: text("agent_slug").notNull(),
    words: text("words")
      .notNull()
      .generatedAlwaysAs(sql`earnest.fold_text(service_title || chr(10) || agent_name)`),
  },
  (table) => [
    primaryKey({
      name: "traded_service_pk",
      columns: [table.accountId, table.side, table.serviceId, table.serviceTitle, table.agentName],
    }),
    index("traded_service_of").on(table.serviceId),
  ],
);
