import { bigint, boolean, index, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";
import type { PaymentMethod } from "../../protocol/settlement/vocabulary.ts";
import { address, baseUnits, hex } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { order } from "./orders.ts";

/** A call that a relaying wallet sends. */
export const relay = earnest.table(
  "relay",
  {
    id: text("id").primaryKey(),
    /** key under which the call is queued once, such as `<escrow id>:recordDelivery:<number>` */
    key: text("key").notNull().unique(),
    chainId: integer("chain_id").notNull(),
    orderId: text("order_id").references(() => order.id),
    /** account whose gas budget pays; null for calls of the worker itself */
    accountId: text("account_id").references(() => account.id),
    to: address("to_address").notNull(),
    data: hex("data").notNull(),
    /** wallet whose signature the call checks; the code of a contract wallet runs at our cost */
    signer: address("signer"),
    /** whether the order was funded when the call was queued; funded orders have a reserved share of gas */
    forFunded: boolean("for_funded").notNull().default(false),
    /** gas limit of its transaction */
    gasBound: integer("gas_bound").notNull().default(600_000),
    /** queued, signed (stored, perhaps broadcast), mined, failed */
    status: text("status").$type<"queued" | "signed" | "mined" | "failed">().notNull().default("queued"),
    // The newest attempt, or the mined attempt.
    sender: address("sender"),
    nonce: integer("nonce"),
    transactionHash: hex("transaction_hash"),
    /** block in which it was mined, which may still leave the chain */
    minedBlock: bigint("mined_block", { mode: "bigint" }),
    minedBlockHash: hex("mined_block_hash"),
    error: text("error"),
    /** span that queued it (W3C Trace Context); null without tracing */
    traceParent: text("trace_parent"),
    createdAt: createdAt(),
    /** when it was last queued; a failed call may be queued again */
    queuedAt: time("queued_at").notNull().defaultNow(),
    /** gas on the account's budget: the bound until the call ends, then the gas used */
    gasCharged: integer("gas_charged").notNull().default(0),
    /** gas of earlier attempts, each within the budget's window of the next */
    gasChargedBefore: integer("gas_charged_before").notNull().default(0),
    /** when it was mined and reverted because of its signer, whose other calls are refused for a while */
    revertedAt: time("reverted_at"),
    /** relay of the batch that has, or last had, this call */
    batchId: text("batch_id"),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("relay_open")
      .on(table.chainId, table.status, table.queuedAt, table.id)
      .where(sql`${table.status} in ('queued', 'signed')`),
    index("relay_waiting")
      .on(table.queuedAt)
      .where(sql`${table.status} in ('queued', 'signed') and ${table.key} not like 'batch:%'`),
    index("relay_order").on(table.orderId),
    index("relay_budget").on(table.accountId, table.queuedAt).where(sql`${table.accountId} is not null`),
    index("relay_hour").on(table.chainId, table.queuedAt).where(sql`${table.accountId} is not null`),
    index("relay_reverted").on(table.chainId, table.revertedAt).where(sql`${table.revertedAt} is not null`),
    index("relay_batch").on(table.batchId).where(sql`${table.batchId} is not null`),
    index("relay_mined").on(table.chainId, table.minedBlock).where(sql`${table.status} = 'mined'`),
    uniqueIndex("relay_nonce")
      .on(table.chainId, table.sender, table.nonce)
      .where(sql`${table.status} in ('signed', 'mined')`),
  ],
);

/**
 * Gas charged to accounts' relays, by the minute in which they were queued. Triggers of `relay` maintain it. A minute may have
 * several rows: each writer takes an unlocked row, so that no writer waits.
 */
export const relayGas = earnest.table(
  "relay_gas",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** id of an account or of a chain, or a chain with a network */
    scope: text("scope").notNull(),
    minute: time("minute").notNull(),
    charged: bigint("charged", { mode: "number" }).notNull(),
    /** part of calls that ended */
    ended: bigint("ended", { mode: "number" }).notNull(),
    /** part for funded orders */
    funded: bigint("funded", { mode: "number" }).notNull(),
  },
  (table) => [index("relay_gas_minute").on(table.scope, table.minute)],
);

/** A transaction that was signed for a relay. It is stored before its broadcast, because any of them may be mined. */
export const relayAttempt = earnest.table(
  "relay_attempt",
  {
    transactionHash: hex("transaction_hash").primaryKey(),
    relayId: text("relay_id")
      .notNull()
      .references(() => relay.id),
    sender: address("sender").notNull(),
    nonce: integer("nonce").notNull(),
    rawTransaction: hex("raw_transaction").notNull(),
    /** head of the chain at its signature */
    signedBlock: bigint("signed_block", { mode: "bigint" }).notNull(),
    /** whether it was mined and reverted */
    reverted: boolean("reverted").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [index("relay_attempt_relay").on(table.relayId, table.createdAt)],
);

/** The state of the relaying wallet of a chain, for `GET /chain/status` and the metrics. */
export const relayer = earnest.table("relayer", {
  chainId: integer("chain_id").primaryKey(),
  address: address("address").notNull(),
  balance: baseUnits("balance").notNull(),
  /** gas price of the chain in wei, with the tip */
  gasPrice: baseUnits("gas_price"),
  /** reason why queued calls are not sent */
  waiting: text("waiting").$type<"balance" | "gas_price">(),
  waitingSince: time("waiting_since"),
  seenAt: time("seen_at").notNull(),
  // Counters, each written in the transaction of the counted event.
  mined: bigint("mined", { mode: "number" }).notNull().default(0),
  failed: bigint("failed", { mode: "number" }).notNull().default(0),
  bumped: bigint("bumped", { mode: "number" }).notNull().default(0),
  overtaken: bigint("overtaken", { mode: "number" }).notNull().default(0),
  gasUsed: bigint("gas_used", { mode: "number" }).notNull().default(0),
  /** part of reverted transactions */
  gasReverted: bigint("gas_reverted", { mode: "number" }).notNull().default(0),
});

/** A call of a payment, in the order in which they are relayed. */
export type PaymentCall = {
  to: Address;
  data: Hex;
  /** gas limit */
  gasBound: number;
};

/**
 * A payment that a payer signed for an order: on the rail x402, or by calls of a passkey account on either rail. Its calls
 * are relayed one after the other, each under the key `<payment id>:<step>`.
 */
export const payment = earnest.table(
  "payment",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** account that submitted it */
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    method: text("method").$type<PaymentMethod>().notNull(),
    payer: address("payer").notNull(),
    /** nonce of the signed authorization: bytes32 in hex, or the decimal of Permit2 or of a passkey account */
    nonce: text("nonce").notNull(),
    /** the payer's name of a purchase, of x402's extension `payment-identifier` */
    identifier: text("identifier"),
    calls: jsonb("calls").$type<PaymentCall[]>().notNull(),
    /** index of the current or last relayed call */
    step: integer("step").notNull().default(0),
    status: text("status")
      .$type<"accepted" | "submitted" | "confirmed" | "failed">()
      .notNull()
      .default("accepted"),
    /** reason of the failure */
    error: text("error"),
    /** when x402's facilitator gave the payment to the one request of a resource server that may be told of its success */
    claimedAt: time("claimed_at"),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("payment_authorization").on(table.orderId, table.method, table.payer, table.nonce),
    uniqueIndex("payment_current").on(table.orderId).where(sql`${table.status} <> 'failed'`),
    index("payment_open").on(table.createdAt).where(sql`${table.status} in ('accepted', 'submitted')`),
    // Finds the order that a purchase has paid already, by the nonce that all its signatures have.
    index("payment_nonce").on(table.nonce),
    index("payment_identifier").on(table.payer, table.identifier).where(sql`${table.identifier} is not null`),
  ],
);

/** The next run of a periodic task of the workers. */
export const periodicTask = earnest.table("periodic_task", {
  name: text("name").primaryKey(),
  dueAt: time("due_at").notNull(),
});
