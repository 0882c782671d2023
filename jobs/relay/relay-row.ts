import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Hex } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import type { relay, relayAttempt } from "../../db/schema.ts";
import type { RelayRow } from "../../trade/relay/relay-queue.ts";

/** A signed transaction of a relay. */
export type Attempt = typeof relayAttempt.$inferSelect;

/** A transaction to store. */
export type SignedTransaction = Omit<Attempt, "relayId" | "reverted" | "createdAt">;

/** The block of a mined transaction, and the gas that the transaction used. */
export type MinedBlock = {
  blockNumber: bigint;
  blockHash: Hex;
  gasUsed: bigint;
  /** the gas that budgets are charged with, including a fee for data */
  gasCharged: bigint;
};

/** A relay with every transaction that was signed for it, oldest first. */
export type Relay = RelayRow & { attempts: Attempt[] };

/** Changes a row if it still has the state that was read. */
export type ChangeRelay = (
  target: Database | Transaction,
  row: RelayRow,
  values: PgUpdateSetSource<typeof relay>,
) => Promise<boolean>;

/** Adds to a counter of the relayer's wallet. */
export type CountForRelayer = (
  tx: Transaction,
  what: "mined" | "failed" | "bumped" | "overtaken" | "gasUsed" | "gasReverted",
  by?: number,
) => Promise<void>;
