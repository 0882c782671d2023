import { index, onchainTable, primaryKey } from "ponder";

/** The current state of each escrow, as the chain has it. Times are unix seconds of the chain's clock. */
export const escrow = onchainTable(
  "escrow",
  (t) => ({
    chainId: t.integer().notNull(),
    escrowId: t.hex().notNull(),
    contract: t.hex().notNull(),
    orderHash: t.hex().notNull(),
    /** funded, disputed, decided, released, refunded or split */
    status: t.text().notNull(),
    buyer: t.hex().notNull(),
    provider: t.hex().notNull(),
    token: t.hex().notNull(),
    amount: t.bigint().notNull(),
    arbiter: t.hex().notNull(),
    fundedAt: t.bigint().notNull(),
    deliveryDeadline: t.bigint().notNull(),
    deliveryCount: t.integer().notNull(),
    deliveredAt: t.bigint(),
    autoReleaseAt: t.bigint(),
    outputHash: t.hex(),
    disputedAt: t.bigint(),
    decideBy: t.bigint(),
    decidedProviderAmount: t.bigint(),
    settleableAt: t.bigint(),
    releasedAmount: t.bigint().notNull(),
    refundedAmount: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.escrowId] }),
  }),
);

/** Every event of the escrow contract that names an escrow: one row per log, never changed. */
export const escrowEvent = onchainTable(
  "escrow_event",
  (t) => ({
    /** `<chain id>:<block hash>:<log index>`: the same log in another block is another fact */
    id: t.text().primaryKey(),
    chainId: t.integer().notNull(),
    escrowId: t.hex().notNull(),
    contract: t.hex().notNull(),
    /** the Solidity event's name */
    name: t.text().notNull(),
    /** the event's arguments; integers wider than 53 bits as decimal strings */
    args: t.json().$type<Record<string, unknown>>().notNull(),
    blockNumber: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    transactionHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    timestamp: t.bigint().notNull(),
  }),
  (table) => ({
    escrowIndex: index().on(table.chainId, table.escrowId),
    blockIndex: index().on(table.chainId, table.blockNumber),
  }),
);
