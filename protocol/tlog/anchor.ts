import { hexToBytes } from "@noble/hashes/utils.js";
import { answer, type LogFailure, LogRejection } from "./errors.ts";
import { type Hash, isSameHash, verifyConsistency } from "./merkle.ts";

/** The first topic of the event `Anchored(address indexed publisher, uint64 size, bytes32 root)`. */
export const anchoredTopic = "0x0cd48d2f0de2b26babeaa563bc19f67e7b14bb998edeaabe4592e8b4472dda6b";

/** A log of a chain, as `eth_getLogs` and transaction receipts have it; what else they say of it is not looked at. */
export interface ChainLog {
  /** The contract. */
  address: string;
  topics: readonly string[];
  data: string;
}

/** A tree that somebody wrote down on a chain. Addresses are in lower case. */
export interface Anchor {
  contract: string;
  publisher: string;
  size: number;
  root: Hash;
}

/** Reads the event of an anchor, byte by byte. Throws `malformed`, or `size_too_large` beyond 2^53 - 1. */
export function readAnchor({ address, topics, data }: ChainLog): Anchor {
  const [topic, publisher = ""] = topics;
  if (
    topics.length !== 2 ||
    topic?.toLowerCase() !== anchoredTopic ||
    !/^0x0{24}[0-9a-f]{40}$/i.test(publisher) ||
    !/^0x[0-9a-f]{40}$/i.test(address) ||
    !/^0x0{48}[0-9a-f]{80}$/i.test(data)
  ) {
    throw new LogRejection("malformed", "It is not the event of an anchor.");
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
 * Checks that an anchor is of the publisher who was expected, and that its tree and a checkpoint's are the same log's: the
 * larger one continues the other. Never throws. That the event is on the chain, in which block and how deep, is for the
 * caller's own node to say.
 *
 * @param log the event, from that node
 * @param expected.contract the contract of anchors, and `publisher` whose anchors count, both from a source of the caller's
 * @param checkpoint one that was verified
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
    for (const who of ["contract", "publisher"] as const) {
      if (anchor[who] !== expected[who].toLowerCase())
        throw new LogRejection("foreign_anchor", `Its ${who} is ${anchor[who]}.`);
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
