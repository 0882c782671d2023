import { hexToBytes } from "@noble/hashes/utils.js";
import { answer, type LogFailure, LogRejection } from "./errors.ts";
import { type Hash, isSameHash, verifyConsistency } from "./merkle.ts";

/** The first topic of the event `Anchored(address indexed publisher, uint64 size, bytes32 root)`. */
export const anchoredTopic = "0x0cd48d2f0de2b26babeaa563bc19f67e7b14bb998edeaabe4592e8b4472dda6b";

/** The log of an event, as `eth_getLogs` and transaction receipts return it. Only these fields are read. */
export interface ChainLog {
  /** The contract. */
  address: string;
  topics: readonly string[];
  data: string;
}

/** The size and root of a tree, as a publisher recorded them on a chain. Addresses are in lower case. */
export interface Anchor {
  contract: string;
  publisher: string;
  size: number;
  root: Hash;
}

/** Decodes the event of an anchor. Throws `malformed`, or `size_too_large` beyond 2^53 - 1. */
export function readAnchor({ address, topics, data }: ChainLog): Anchor {
  const [topic, publisher = ""] = topics;
  if (
    topics.length !== 2 ||
    topic?.toLowerCase() !== anchoredTopic ||
    !/^0x0{24}[0-9a-f]{40}$/i.test(publisher) ||
    !/^0x[0-9a-f]{40}$/i.test(address) ||
    !/^0x0{48}[0-9a-f]{80}$/i.test(data)
  ) {
    throw new LogRejection("malformed", "The log is not the event of an anchor.");
  }
  const size = Number(BigInt(data.slice(0, 66)));
  if (!Number.isSafeInteger(size)) throw new LogRejection("size_too_large");
  return {
    contract: address.toLowerCase(),
    publisher: `0x${publisher.slice(26).toLowerCase()}`,
    size,
    root: hexToBytes(data.slice(66)),
  };
}

/**
 * Checks that an anchor comes from the expected publisher, and that its tree and the checkpoint's belong to one log: the
 * larger tree continues the smaller one. Never throws. The caller's own node must confirm the event, its block and its
 * depth.
 *
 * @param log the event, from that node
 * @param expected the contract and the publisher of the anchors, both from a source that the caller trusts
 * @param checkpoint a verified checkpoint
 * @param proof the consistency proof from the smaller tree to the larger one; empty for the same size
 */
export function verifyAnchor(
  log: ChainLog,
  expected: { contract: string; publisher: string },
  checkpoint: { size: number; root: Hash },
  proof: readonly Hash[],
): { valid: true; anchor: Anchor } | LogFailure {
  return answer(() => {
    const anchor = readAnchor(log);
    for (const field of ["contract", "publisher"] as const) {
      if (anchor[field] !== expected[field].toLowerCase())
        throw new LogRejection("foreign_anchor", `Its ${field} is ${anchor[field]}.`);
    }
    if (anchor.size === checkpoint.size && !isSameHash(anchor.root, checkpoint.root)) {
      throw new LogRejection("anchored_otherwise", `Both trees have ${anchor.size} entries.`);
    }
    const [older, newer] = anchor.size <= checkpoint.size ? [anchor, checkpoint] : [checkpoint, anchor];
    const { size: oldSize, root: oldRoot } = older;
    const { size, root } = newer;
    if (!verifyConsistency({ oldSize, oldRoot, size, root, proof })) throw new LogRejection("not_consistent");
    return { valid: true, anchor };
  });
}
