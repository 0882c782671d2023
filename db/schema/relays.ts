import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";
import type { PaymentMethod } from "../../protocol/settlement/vocabulary.ts";
import { address, baseUnits, hex } from "../columns.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { order } from "./orders.ts";

/** What our one key was asked to send. */
export const relay = earnest.table(
  "relay",
  {
    id: text("id").primaryKey(),
    /** the same intent again finds this row: `<escrow id>:recordDelivery:<number>` and the like */
    intent: text("intent").notNull().unique(),
    chainId: integer("chain_id").notNull(),
    orderId: text("order_id").references(() => order.id),
    /** whose budget it is on; null for what the worker sends by itself */
    accountId: text("account_id").references(() => account.id),
    to: address("to_address").notNull(),
    data: hex("data").notNull(),
    /** whose wallet the call asks for a signature: where it is a contract, its code runs at our cost */
    signer: address("signer"),
    /** the order was funded when it was queued: a share of the gas of all accounts is kept for these */
    forFunded: boolean("for_funded").notNull().default(false),
    /** the most gas that its transaction may take */
    gasBound: integer("gas_bound").notNull().default(600_000),
    /** queued, signed (stored, perhaps broadcast), mined, failed */
    status: text("status").$type<"queued" | "signed" | "mined" | "failed">().notNull().default("queued"),
    // Of its newest attempt, or of the one that was mined.
    sender: address("sender"),
    nonce: integer("nonce"),
    transactionHash: hex("transaction_hash"),
    /** the block it was mined in: it may leave the chain yet */
    minedBlock: bigint("mined_block", { mode: "bigint" }),
    minedBlockHash: hex("mined_block_hash"),
    error: text("error"),
    /** the span that queued it (W3C Trace Context), where that was traced */
    traceParent: text("trace_parent"),
    createdAt: createdAt(),
    /** when it was queued last: one that failed may be asked for again */
    queuedAt: time("queued_at").notNull().defaultNow(),
    /** gas on the account's budget: its bound until it ended, then what it took */
    gasCharged: integer("gas_charged").notNull().default(0),
    /** the same of the times it was queued before, each less than the budget's window after the one before */
    gasChargedBefore: integer("gas_charged_before").notNull().default(0),
    /** when it was mined and did nothing, and that was its signer's doing: the signer's others are refused for a while */
    revertedAt: time("reverted_at"),
    /** the batch that this call goes with, or went with last: a relay too */
    batchId: text("batch_id"),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("relay_open")
      .on(table.chainId, table.status, table.queuedAt, table.id)
      .where(sql`${table.status} in ('queued', 'signed')`),
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
 * The gas that accounts' relays are charged with, by the minute in which they were queued; triggers of `relay` keep it. Of one
 * minute it may have several rows: each writer takes one that no other has, so that nobody waits.
 */
export const relayGas = earnest.table(
  "relay_gas",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** an account's id, or a chain's */
    scope: text("scope").notNull(),
    minute: time("minute").notNull(),
    charged: bigint("charged", { mode: "number" }).notNull(),
    /** of that, of calls that ended */
    ended: bigint("ended", { mode: "number" }).notNull(),
    /** of that, for orders that were funded */
    funded: bigint("funded", { mode: "number" }).notNull(),
  },
  (table) => [index("relay_gas_minute").on(table.scope, table.minute)],
);

/** Every transaction that was ever signed for a relay, stored before it is broadcast: any of them may be mined. */
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
    /** the chain's head when it was signed */
    signedBlock: bigint("signed_block", { mode: "bigint" }).notNull(),
    /** it was mined and did nothing */
    reverted: boolean("reverted").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [index("relay_attempt_relay").on(table.relayId, table.createdAt)],
);

/** What the workers last saw of their relaying wallet and did with it, for `GET /chain/status` and the metrics. */
export const relayer = earnest.table("relayer", {
  chainId: integer("chain_id").primaryKey(),
  address: address("address").notNull(),
  balance: baseUnits("balance").notNull(),
  /** wei of one unit of gas, tip included, that the chain asks for */
  gasPrice: baseUnits("gas_price"),
  /** why nothing is sent although something is queued */
  waiting: text("waiting").$type<"balance" | "gas_price">(),
  waitingSince: time("waiting_since"),
  seenAt: time("seen_at").notNull(),
  // Counted with what they count, in its transaction.
  mined: bigint("mined", { mode: "number" }).notNull().default(0),
  failed: bigint("failed", { mode: "number" }).notNull().default(0),
  bumped: bigint("bumped", { mode: "number" }).notNull().default(0),
  overtaken: bigint("overtaken", { mode: "number" }).notNull().default(0),
  gasUsed: bigint("gas_used", { mode: "number" }).notNull().default(0),
  /** of that, by transactions that did nothing */
  gasReverted: bigint("gas_reverted", { mode: "number" }).notNull().default(0),
});

/** A call of a payment, in the order in which they are relayed. */
export type PaymentCall = {
  to: Address;
  data: Hex;
  /** the most gas that it may take */
  gasBound: number;
};

/**
 * What a payer signed for an order on the x402 rail. Its calls are relayed one after the other, each under the intent
 * `<payment id>:<step>`.
 */
export const payment = earnest.table(
  "payment",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** who handed it in */
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    method: text("method").$type<PaymentMethod>().notNull(),
    payer: address("payer").notNull(),
    /** the authorization's own, as it was signed: bytes32 in hex, or Permit2's decimal */
    nonce: text("nonce").notNull(),
    calls: jsonb("calls").$type<PaymentCall[]>().notNull(),
    /** the call that is relayed or was relayed last */
    step: integer("step").notNull().default(0),
    status: text("status")
      .$type<"accepted" | "submitted" | "confirmed" | "failed">()
      .notNull()
      .default("accepted"),
    /** why it failed */
    error: text("error"),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("payment_authorization").on(table.orderId, table.method, table.payer, table.nonce),
    uniqueIndex("payment_current").on(table.orderId).where(sql`${table.status} <> 'failed'`),
    index("payment_open").on(table.createdAt).where(sql`${table.status} in ('accepted', 'submitted')`),
  ],
);

/** When each task that workers do once a period is due again. */
export const periodicTask = earnest.table("periodic_task", {
  name: text("name").primaryKey(),
  dueAt: time("due_at").notNull(),
});
