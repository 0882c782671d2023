import type { RelayParts } from "./attempts.ts";
import { aboutOf } from "./attempts.ts";
import type { Relay } from "./book.ts";
import type { Head } from "./node.ts";

/** How often the contract must refuse an intent before it has failed: a node may lag behind the one asked before. */
const refusalsToFail = 3;
/** The longest pause between two tries, in milliseconds. */
const longestPause = 3000;
/** How long a refusal is waited out where the chain took something of the order back, in milliseconds. */
const patience = 600_000;

/**
 * Says when a refused relay has failed. The contract may say yes in a moment: to another node, after an earlier relay of
 * the order, or when a transaction that a reorganisation dropped is mined again.
 */
export function createRefusals(
  { chain, book, node, log }: RelayParts,
  reopenLost: (head: Head, orderId: string) => Promise<number>,
) {
  const refused = new Map<string, { times: number; since: number; last: number }>();
  // So long as an event takes until it counts: a chain's polls are two or three to a block.
  const steady = 3 * chain.confirmations * chain.polling_interval;

  /** @returns milliseconds until the relay is tried again, or null where it has failed */
  return async function refuse(row: Relay, reason: string, head: Head): Promise<number | null> {
    const now = Date.now();
    for (const [id, { last }] of refused) if (now - last > patience) refused.delete(id);
    const { times, since } = refused.get(row.id) ?? { times: 0, since: now };
    refused.set(row.id, { times: times + 1, since, last: now });
    const pause = Math.min((chain.polling_interval / 2) * 2 ** times, longestPause);
    const waited = now - since;
    if (times + 1 < refusalsToFail || waited < steady) return pause;
    if (await book.orderHasSigned(row)) return pause;
    if (waited < patience && row.orderId !== null && (await isTakenBack(row.orderId, head))) return pause;
    refused.delete(row.id);
    await book.refuse(row, reason);
    log?.error({ ...aboutOf(row), reason }, "relay refused by the contract");
    return null;
  };

  /** Whether the chain dropped, a short while ago, something that the order's relays stand on. */
  async function isTakenBack(orderId: string, head: Head): Promise<boolean> {
    if ((await reopenLost(head, orderId)) > 0) return true;
    const { reverted, blocks } = await book.readPlaces(orderId, patience);
    if (reverted) return true;
    const hashes = await Promise.all(blocks.map(({ blockNumber }) => node.readBlockHash(blockNumber)));
    return blocks.some(({ blockHash }, index) => hashes[index] !== blockHash);
  }
}
