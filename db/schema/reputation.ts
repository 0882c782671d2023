import { sql } from "drizzle-orm";
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
import type { Party } from "../../protocol/settlement/vocabulary.ts";
import { address, baseUnits } from "../columns.ts";
import { account } from "./accounts.ts";
import { earnest, type JsonObject, time } from "./base.ts";
import { agent, service } from "./market.ts";
import { order } from "./orders.ts";

/** A buyer's account among those that an agent worked for, under a name that says nothing of it: `c<number>`. */
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
    // What it brought to the agent's score when that was last computed; null while it does not count.
    orders: integer("orders"),
    /** millionths of whole tokens that were released to the agent */
    paid: baseUnits("paid"),
    /** that funded its orders, the earliest first */
    wallets: address("wallets").array(),
    /** since when the oldest of its wallets is in use; null where nobody knows */
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
 * An order that stands as settled, as reputation counts it: written, changed and deleted by the ledger's writer in the
 * transaction of the fact, and never otherwise, but for `apart`.
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
    providerAddress: address("provider_address").notNull(),
    buyerAddress: address("buyer_address").notNull(),
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
    /** why its parties are not at arm's length; null where nothing says so */
    apart: text("apart").$type<Outcome["apart"]>(),
    /** when the ledger learned of the settlement */
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
    index("order_outcome_payer").on(table.agentId, table.buyerAddress),
    index("order_outcome_pair").on(
      table.providerAccountId,
      table.buyerAddress,
      table.chainId,
      table.token,
      table.agentId,
    ),
    check("order_outcome_whole", sql`${table.released} + ${table.refunded} = ${table.amount}`),
  ],
);

/** Where agents' outcomes were paid: a trigger of `order_outcome` adds, and what once was stays. */
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
 * Wallets that an account ever proved: a trigger of `wallet` adds, and what once was stays. Nobody is at arm's length with
 * himself because he removed a wallet.
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

/** Which wallet paid which at arm's length, by how many outcomes; kept by triggers of `order_outcome`. */
export const walletPaid = earnest.table(
  "wallet_paid",
  {
    chainId: integer("chain_id").notNull(),
    buyerAddress: address("buyer_address").notNull(),
    providerAddress: address("provider_address").notNull(),
    orders: integer("orders").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.buyerAddress, table.providerAddress, table.chainId] }),
    index("wallet_paid_by").on(table.providerAddress, table.buyerAddress),
  ],
);

/** Whether a buyer's wallet has its money from the provider that it pays, as the chain's transfers of the token say. */
export const provenance = earnest.table(
  "provenance",
  {
    providerAccountId: text("provider_account_id")
      .notNull()
      .references(() => account.id),
    buyerAddress: address("buyer_address").notNull(),
    chainId: integer("chain_id").notNull(),
    token: address("token").notNull(),
    /** base units that went from the provider's wallets straight to the buyer's, as last counted */
    sent: baseUnits("sent").notNull().default(sql`0`),
    /** whether that makes them one money */
    tied: boolean("tied").notNull().default(false),
    /** when the node last answered in full; null while it never did */
    checkedAt: time("checked_at"),
    /** when it was last asked, answered or not */
    attemptedAt: time("attempted_at"),
    nextCheckAt: time("next_check_at").defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.providerAccountId, table.buyerAddress, table.chainId, table.token] }),
    index("provenance_due").on(table.nextCheckAt).where(sql`${table.nextCheckAt} is not null`),
    index("provenance_attempted").on(table.providerAccountId, table.attemptedAt),
  ],
);

/** The record and the score of an agent, or of one of its services, as they were last computed from outcomes. */
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
    // Points from 0 to 1000: the interval's ends, and the share that it is around; null without evidence.
    score: integer("score"),
    upper: integer("upper"),
    share: integer("share"),
    /** thousandths of a counterparty of full weight */
    evidence: integer("evidence").notNull(),
    // Of arm's length, ever.
    orders: integer("orders").notNull(),
    /** thousandths of those orders that were delivered on time; null without orders */
    onTime: integer("on_time"),
    /** all that were folded, those apart too: it is how long folding them takes */
    outcomes: integer("outcomes").notNull(),
    /** `outcomesRootOf` what was folded; null in a service's row */
    outcomesRoot: text("outcomes_root"),
    asOf: time("as_of").notNull(),
    /** the `as_of` of the agent's statement; null where there is none, or it was signed by a key that is no longer good */
    statedAsOf: time("stated_as_of"),
    /** of the way it was computed: another one has all computed again */
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

/** The newest signed statement of an agent's record, as a worker left it. */
export const recordStatement = earnest.table(
  "record_statement",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agent.id),
    document: jsonb("document").$type<JsonObject>().notNull(),
    /** the DID URL of the key that signed */
    keyId: text("key_id").notNull(),
  },
  (table) => [index("record_statement_key").on(table.keyId)],
);

/** Agents whose outcomes changed since their record was computed; triggers of `order_outcome` write it. */
export const recordDue = earnest.table(
  "record_due",
  {
    agentId: text("agent_id")
      .primaryKey()
      .references(() => agent.id),
    /** counts the changes, so that one made meanwhile is not taken for computed */
    changes: bigint("changes", { mode: "number" }).notNull().default(1),
    dueAt: time("due_at").notNull(),
    /** when the ages of wallets may be known for which it is computed once more; null where none were asked for */
    agesDueAt: time("ages_due_at"),
  },
  (table) => [index("record_due_at").on(table.dueAt)],
);
