import type { Hex } from "viem";
import type { Actor } from "../settlement/vocabulary.ts";
import type { ChainFact } from "./chain-facts.ts";
import type { FactType } from "./fact.ts";

/** One step of an order as the trail shows it. */
export type TrailEntry = {
  id: string;
  type: FactType | "deposit.returned";
  actor: Actor;
  occurred_at: string;
  /** false for a chain event without enough confirmations */
  confirmed: boolean;
  transaction: { chain_id: number; hash: Hex; block_number: number; log_index: number } | null;
  data: Record<string, unknown>;
};

/** Presents a recorded fact as an entry of the trail. */
export function presentFact(fact: {
  id: string;
  type: TrailEntry["type"];
  actor: Actor;
  occurredAt: Date;
  data: Record<string, unknown>;
  chainId: number | null;
  blockNumber: bigint | null;
  transactionHash: Hex | null;
  logIndex: number | null;
}): TrailEntry {
  return {
    id: fact.id,
    type: fact.type,
    actor: fact.actor,
    occurred_at: fact.occurredAt.toISOString(),
    confirmed: true,
    transaction:
      fact.chainId !== null && fact.transactionHash !== null
        ? {
            chain_id: fact.chainId,
            hash: fact.transactionHash,
            block_number: Number(fact.blockNumber),
            log_index: fact.logIndex ?? 0,
          }
        : null,
    data: fact.data,
  };
}

/** Presents an unconfirmed chain event as an entry of the trail. Its id is that of the later fact. */
export function presentPending(fact: Omit<ChainFact, "type"> & { type: TrailEntry["type"] }): TrailEntry {
  return { ...presentFact({ id: fact.key, ...fact, ...fact.chain }), confirmed: false };
}
