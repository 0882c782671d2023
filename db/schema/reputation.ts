import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Outcome } from "../../protocol/reputation/public-outcome.ts";
import type { Volume } from "../../protocol/reputation/volume.ts";
import type { Party } from "../../protocol/settlement/vocabulary.ts";
import { address, baseUnits } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { earnest, type JsonObject, time } from "./base.ts";
import { agent, service } from "./market.ts";
import { order } from "./orders.ts";

/** A buyer of an agent, under the anonymous name `c<number>`. */
export const counterparty = earnest.table(
  "counterparty",
  {
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    buyerAccountId: text("buyer_account_id")
      .notNull()
      .references(() => account.id),
    number: integer("number").notNull(),
    // Contribution to the agent's score at its last computation; null while the buyer does not count.
    orders: integer("orders"),
    /** money released to the agent, by currency */
    paid: jsonb("paid").$type<Volume>(),
    /** its proved wallets, the first used first, without those of an earlier counterparty */
    wallets: address("wallets").array(),
    /** first use of its oldest wallet; null if unknown */
    walletSince: time("wallet_since"),
    otherProviders: integer("other_providers"),
    firstFundedAt: time("first_funded_at"),
    lastSettledAt: time("last_settled_at"),
    /** millionths */
    weight: integer("weight"),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.buyerAccountId] }),
    uniqueIndex("counterparty_number").on(table.agentId, table.number),
    index("counterparty_counted").on(table.agentId, table.number).where(sql`${table.weight} is not null`),
  ],
);

/**
 * The outcome of a settled order, for reputation. Only the recording of facts inserts, changes and deletes it. Only `apart`
 * also changes later.
 */
export const orderOutcome = earnest.table(
  "order_outcome",
  {
    orderId: text("order_id")
      .primaryKey()
      .references(() => order.id),
    agentId: text("agent_id").notNull(),
    serviceId: text("service_id")
      .notNull()
      .references(() => service.id),
    providerAccountId: text("provider_account_id")
      .notNull()
      .references(() => account.id),
    buyerAccountId: text("buyer_account_id").notNull(),
    chainId: integer("chain_id").notNull(),
    token: address("token").notNull(),
    tokenDecimals: integer("token_decimals").notNull(),
    currency: text("currency").notNull(),
    providerAddress: address("provider_address").notNull(),
    buyerAddress: address("buyer_address").notNull(),
    /**
     * the wallet that counts as the buyer's: `buyer_address` if the buyer's account has proved it, else the payer of the
     * escrow, because a purchase without an account may name anybody's wallet as the buyer's
     */
    wallet: address("wallet").notNull(),
    /** whether the buyer's account had proved `wallet` by the settlement; only then do its age and its payments count */
    walletProved: boolean("wallet_proved").notNull(),
    // Base units; `released` and `refunded` come to `amount`.
    amount: baseUnits("amount").notNull(),
    released: baseUnits("released").notNull(),
    refunded: baseUnits("refunded").notNull(),
    promisedSeconds: integer("promised_seconds").notNull(),
    fundedAt: time("funded_at").notNull(),
    settledAt: time("settled_at").notNull(),
    deliveredAt: time("delivered_at"),
    ended: text("ended").$type<Outcome["ended"]>().notNull(),
    dispute: text("dispute").$type<Outcome["dispute"]>(),
    disputedBy: text("disputed_by").$type<Party>(),
    disputedAt: time("disputed_at"),
    /** reason why its parties are not at arm's length; null if none is known */
    apart: text("apart").$type<Outcome["apart"]>(),
    /** when the ledger recorded the settlement */
    recordedAt: time("recorded_at").notNull(),
  },
  (table) => [
    foreignKey({
      name: "order_outcome_counterparty",
      columns: [table.agentId, table.buyerAccountId],
      foreignColumns: [counterparty.agentId, counterparty.buyerAccountId],
    }),
    index("order_outcome_agent").on(table.agentId, table.settledAt, table.orderId),
    index("order_outcome_buyer").on(table.agentId, table.buyerAccountId, table.settledAt),
    index("order_outcome_wallet").on(table.agentId, table.wallet),
    index("order_outcome_pair").on(
      table.providerAccountId,
      table.wallet,
      table.chainId,
      table.token,
      table.agentId,
    ),
    check("order_outcome_whole", sql`${table.released} + ${table.refunded} = ${table.amount}`),
  ],
);

/** A wallet that was paid for an agent's outcomes. A trigger of `order_outcome` adds rows, and none is removed. */
export const agentWallet = earnest.table(
  "agent_wallet",
  {
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    address: address("address").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.address] }),
    index("agent_wallet_of").on(table.address, table.agentId),
  ],
);

/**
 * A wallet that an account has ever proved. A trigger of `wallet` adds rows, and none is removed: the removal of a wallet
 * does not put an account at arm's length with itself.
 */
export const provedWallet = earnest.table(
  "proved_wallet",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    address: address("address").notNull(),
    /** the chain of a contract; null for a key */
    chainId: integer("chain_id"),
  },
  (table) => [
    uniqueIndex("proved_wallet_of").on(table.accountId, table.address, sql`coalesce(${table.chainId}, 0)`),
  ],
);

/** The number of arm's-length outcomes by which one wallet paid another. Triggers of `order_outcome` maintain it. */
export const walletPaid = earnest.table(
  "wallet_paid",
  {
    chainId: integer("chain_id").notNull(),
    wallet: address("wallet").notNull(),
    providerAddress: address("provider_address").notNull(),
    orders: integer("orders").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.wallet, table.providerAddress, table.chainId] }),
    index("wallet_paid_by").on(table.providerAddress, table.wallet),
  ],
);

/** Whether a buyer's wallet has its money from the provider that it pays, by the token's transfers on the chain. */
export const provenance = earnest.table(
  "provenance",
  {
    providerAccountId: text("provider_account_id")
      .notNull()
      .references(() => account.id),
    wallet: address("wallet").notNull(),
    chainId: integer("chain_id").notNull(),
    token: address("token").notNull(),
    /** base units sent directly from the provider's wallets to the buyer's, at the last count */
    sent: baseUnits("sent").notNull().default(sql`0`),
    /** whether these transfers tie the buyer's money to the provider */
    tied: boolean("tied").notNull().default(false),
    /** last complete answer of the node; null before the first */
    checkedAt: time("checked_at"),
    /** last attempt, with or without an answer */
    attemptedAt: time("attempted_at"),
    nextCheckAt: time("next_check_at").defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.providerAccountId, table.wallet, table.chainId, table.token] }),
    index("provenance_due").on(table.chainId, table.nextCheckAt).where(sql`${table.nextCheckAt} is not null`),
    index("provenance_attempted").on(table.providerAccountId, table.attemptedAt),
  ],
);

/** The record and the score of an agent, or of a service, at the last computation from outcomes. */
export const agentRecord = earnest.table(
  "agent_record",
  {
    /** the agent's or the service's id */
    id: text("id").primaryKey(),
    agentId: text("agent_id")
      .notNull()
      .references(() => agent.id),
    /** null in the agent's own row */
    serviceId: text("service_id").references(() => service.id),
    /** `ever`, `days_90` and `days_30` */
    record: jsonb("record").$type<JsonObject>().notNull(),
    // Points from 0 to 1000: the bounds of the interval, and the share between them; null without evidence.
    score: integer("score"),
    upper: integer("upper"),
    share: integer("share"),
    /** thousandths of a counterparty of full weight */
    evidence: integer("evidence").notNull(),
    // Counts of all arm's-length outcomes.
    orders: integer("orders").notNull(),
    /** thousandths of those orders that were delivered on time; null without orders */
    onTime: integer("on_time"),
    /** all folded outcomes, also those not at arm's length; the cost of a computation */
    outcomes: integer("outcomes").notNull(),
    /** `outcomesRootOf` the folded outcomes; null in a service's row */
    outcomesRoot: text("outcomes_root"),
    asOf: time("as_of").notNull(),
    /** `as_of` of the agent's statement; null without a statement, or if its key is retired or compromised */
    statedAsOf: time("stated_as_of"),
    /** version of the computation; a new version has all records computed again */
    version: integer("version").notNull(),
  },
  (table) => [
    index("agent_record_agent").on(table.agentId, table.score),
    index("agent_record_old").on(table.asOf).where(sql`${table.serviceId} is null`),
    index("agent_record_unstated")
      .on(table.asOf)
      .where(
        sql`${table.outcomesRoot} is not null and (${table.statedAsOf} is null or ${table.statedAsOf} < ${table.asOf})`,
      ),
  ],
);

/** The newest signed statement of an agent's record. */
export const recordStatement = earnest.table(
  "record_statement",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agent.id),
    document: jsonb("document").$type<JsonObject>().notNull(),
    /** DID URL of the signing key */
    keyId: text("key_id").notNull(),
  },
  (table) => [index("record_statement_key").on(table.keyId)],
);

/** An agent whose outcomes changed since the last computation. Triggers of `order_outcome` write it. */
export const recordDue = earnest.table(
  "record_due",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agent.id),
    /** number of changes, by which a change during a computation is detected */
    changes: bigint("changes", { mode: "number" }).notNull().default(1),
    dueAt: time("due_at").notNull(),
    /** when the ages of wallets may be known, for one more computation; null if no age is pending */
    agesDueAt: time("ages_due_at"),
  },
  (table) => [index("record_due_at").on(table.dueAt)],
);
