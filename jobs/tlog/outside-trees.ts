import type { Address } from "viem";
import type { Chain } from "../../config/config.ts";
import { isIndexMissing, readReadyBlock } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { type AnchorRow, readLargestAnchor, readPublishers } from "../../db/log-anchors.ts";
import type { Policy } from "../../protocol/tlog/policy.ts";
import { clientOf } from "../chain-client.ts";
import { readWitnessed, type Send } from "./witness-client.ts";

/** The chain that anchors the log, and the wallet that does; null for the wallet of the last anchor. */
export type Anchored = { chain: Chain; publisher: Address | null };

/** Published trees of the log: the witnesses and the chain have them. A restored database or disk cannot change them. */
export type OutsideTrees = ReturnType<typeof createOutsideTrees>;

export function createOutsideTrees(
  db: Database,
  { origin, policy, anchored }: { origin: string; policy: Policy; anchored: Anchored | null },
  send: Send,
) {
  return {
    /** Reads the checkpoints that the witnesses signed last. Witnesses that do not answer are left out. */
    async readWitnessed(): Promise<string[]> {
      const urls = policy.witnesses.flatMap(({ url }) => url ?? []);
      const notes = urls.map((url) => readWitnessed(url.replace(/\/+$/, ""), origin, send).catch(() => null));
      return (await Promise.all(notes)).filter((note) => note !== null);
    },

    /** Reads the largest tree that our wallet anchored, as far as the chain is indexed. */
    async readAnchor(): Promise<AnchorRow | null> {
      const contract = anchored?.chain.anchors?.contract;
      if (!contract) return null;
      const chainId = anchored.chain.chain_id;
      const publisher = anchored.publisher ?? (await readPublishers(db, chainId))[0];
      if (!publisher) return null;
      const of = { chainId, contract, publisher };
      return readLargestAnchor(db, of).catch(orWithoutIndex(null));
    },

    /** Whether the index has reached the chain's head: an old copy of the database has an old index. */
    async isIndexed(): Promise<boolean> {
      if (!anchored?.chain.anchors) return true;
      const head = await clientOf(anchored.chain).getBlockNumber();
      const block = await readReadyBlock(db, anchored.chain.chain_id).catch(orWithoutIndex(undefined));
      return block !== undefined && block >= head;
    },
  };
}

function orWithoutIndex<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (isIndexMissing(error)) return otherwise;
    throw error;
  };
}
