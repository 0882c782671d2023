import { index, onchainTable, primaryKey } from "ponder";

/** The current state of each escrow. Times are unix seconds of the chain's clock. */
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
    /** the records of deliveries and parts */
    deliveryCount: t.integer().notNull(),
    /** what parts have paid, and the provider's highest claim, which is the amount for a recorded delivery */
    paidAmount: t.bigint().notNull(),
    earnedAmount: t.bigint().notNull(),
    /** the payments of parts */
    partCount: t.integer().notNull(),
    /** the time from which the last claim that is not final is accepted */
    claimAcceptedAt: t.bigint(),
    /** the recorded parts, oldest first; the contract takes 64 */
    claims: t.json().$type<{ earned: string; acceptedAt: number }[]>(),
    /** the highest claim that time accepted before the dispute */
    acceptedAmount: t.bigint(),
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

/** The events of the escrow contract that name an escrow, except tallied ones: one row per log, never changed. */
export const escrowEvent = onchainTable(
  "escrow_event",
  (t) => ({
    /** `<chain id>:<block hash>:<log index>`: a log in another block is another fact */
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
    // Rare events, such as refused payouts, among many.
    nameIndex: index().on(table.chainId, table.name, table.blockNumber),
  }),
);

/**
 * Repeatable events of an escrow, one row however often they occur: returned deposits by token, which anybody may send,
 * and the provider's delivery records after the first 16.
 */
export const escrowTally = onchainTable(
  "escrow_tally",
  (t) => ({
    chainId: t.integer().notNull(),
    escrowId: t.hex().notNull(),
    /** the Solidity event's name */
    name: t.text().notNull(),
    /** the returned token; zero for the native coin, and for events without a token */
    token: t.hex().notNull(),
    times: t.integer().notNull(),
    /** the sum of returned amounts, in base units; it stops at 2^256 - 1 */
    amount: t.bigint().notNull(),
    /** the first 16 events */
    first: t.json().$type<Record<string, unknown>[]>().notNull(),
    last: t.json().$type<Record<string, unknown>>().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.escrowId, table.name, table.token] }),
  }),
);

/** ERC-8004 identities that were transferred: the newest transfer of each. */
export const identityTransfer = onchainTable(
  "identity_transfer",
  (t) => ({
    chainId: t.integer().notNull(),
    registry: t.hex().notNull(),
    /** the standard's `agentId` */
    tokenId: t.bigint().notNull(),
    owner: t.hex().notNull(),
    blockNumber: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.registry, table.tokenId] }),
  }),
);

/** ERC-8004 feedback whose file is named by its own hash, as this service's files are. Other feedback is not kept. */
export const agentFeedback = onchainTable(
  "agent_feedback",
  (t) => ({
    chainId: t.integer().notNull(),
    registry: t.hex().notNull(),
    tokenId: t.bigint().notNull(),
    clientAddress: t.hex().notNull(),
    /** the number of the client's feedback to this agent, from 1 */
    feedbackIndex: t.bigint().notNull(),
    feedbackHash: t.hex().notNull(),
    revoked: t.boolean().notNull(),
    blockNumber: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    transactionHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
  }),
  (table) => ({
    pk: primaryKey({
      columns: [table.chainId, table.registry, table.tokenId, table.clientAddress, table.feedbackIndex],
    }),
    hashIndex: index().on(table.feedbackHash),
    blockIndex: index().on(table.chainId, table.blockNumber),
  }),
);

/** Anchored trees of all publishers, each as its publisher first anchored it. */
export const anchorEvent = onchainTable(
  "anchor_event",
  (t) => ({
    chainId: t.integer().notNull(),
    contract: t.hex().notNull(),
    publisher: t.hex().notNull(),
    size: t.bigint().notNull(),
    root: t.hex().notNull(),
    blockNumber: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    transactionHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    timestamp: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.contract, table.publisher, table.size, table.root] }),
    blockIndex: index().on(table.chainId, table.contract, table.publisher, table.blockNumber, table.logIndex),
  }),
);
