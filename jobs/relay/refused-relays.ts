import type { Hex } from "viem";
import type { Database } from "../../db/client.ts";
import { and, desc, eq, gt, isNotNull, sql } from "../../db/drizzle.ts";
import { fact } from "../../db/schema.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import type { createAccountExecutions } from "./account-executions.ts";
import type { Head } from "./relay-node.ts";
import type { Relay } from "./relay-row.ts";
import { logFieldsOf, type RelayParts } from "./transactions.ts";

/** Refusals after which a relay fails: a node can lag behind another. */
const refusalsToFail = 3;
/** The longest pause between two simulations, in milliseconds. */
const longestPause = 3000;
/** Milliseconds for which a refused relay is retried while the chain has dropped events of its order. */
const retryMs = 600_000;

/**
 * Decides when a refused relay fails. The contract may accept the call soon: on another node, after an earlier relay of
 * the order, or when a dropped transaction is mined again.
 */
export function createRefusals(
  db: Database,
  { chain, relays, node, log }: RelayParts,
  reopenLost: (head: Head, orderId: string) => Promise<number>,
  findOvertaking: ReturnType<typeof createAccountExecutions>,
) {
  const refused = new Map<string, { times: number; since: number; last: number }>();
  // The time that an event needs to be confirmed: a block takes two or three polls.
  const confirmationMs = 3 * chain.confirmations * chain.polling_interval;

  /** @returns milliseconds until the next simulation, or null if the relay has failed */
  return async function refuse(row: Relay, reason: string, head: Head): Promise<number | null> {
    const now = Date.now();
    for (const [id, { last }] of refused) if (now - last > retryMs) refused.delete(id);
    const { times, since } = refused.get(row.id) ?? { times: 0, since: now };
    refused.set(row.id, { times: times + 1, since, last: now });
    const pause = Math.min((chain.polling_interval / 2) * 2 ** times, longestPause);
    const waited = now - since;
    if (times + 1 < refusalsToFail || waited < confirmationMs) return pause;
    if (await relays.orderHasSigned(row)) return pause;
    if (waited < retryMs && row.orderId !== null && (await wasDropped(row.orderId, head))) return pause;
    refused.delete(row.id);
    const overtaking = await findOvertaking(row, confirmedBlock(head.number, chain));
    if (overtaking) {
      await relays.finishElsewhere(row, overtaking.transactionHash);
      log?.info(logFieldsOf(row), "another transaction made the calls of a relay");
      return null;
    }
    await relays.refuse(row, reason);
    log?.error({ ...logFieldsOf(row), reason }, "relay refused by the contract");
    return null;
  };

  /** Whether the chain recently dropped something that the order's relays depend on. */
  async function wasDropped(orderId: string, head: Head): Promise<boolean> {
    if ((await reopenLost(head, orderId)) > 0) return true;
    if (await wasReverted(orderId)) return true;
    const blocks = await readBlocks(orderId);
    const hashes = await Promise.all(blocks.map(({ blockNumber }) => node.readBlockHash(blockNumber)));
    return blocks.some(({ blockHash }, index) => hashes[index] !== blockHash);
  }

  /** Whether a fact of the order was reverted recently. */
  async function wasReverted(orderId: string): Promise<boolean> {
    const isRecent = gt(fact.recordedAt, sql`now() - make_interval(secs => ${retryMs / 1000})`);
    const [found] = await db
      .select({ seq: fact.seq })
      .from(fact)
      .where(and(eq(fact.orderId, orderId), eq(fact.type, "fact.reverted"), isRecent))
      .limit(1);
    return found !== undefined;
  }

  /** Reads the blocks of the order's newest facts. */
  async function readBlocks(orderId: string): Promise<{ blockNumber: bigint; blockHash: Hex }[]> {
    const isReverted = sql`exists (
      select 1 from earnest.fact x
      where x.order_id = ${orderId} and x.type = 'fact.reverted' and x.data ->> 'fact_id' = ${fact.id})`;
    const blocks = await db
      .select({ blockNumber: fact.blockNumber, blockHash: fact.blockHash })
      .from(fact)
      .where(and(eq(fact.orderId, orderId), isNotNull(fact.blockNumber), sql`not ${isReverted}`))
      .orderBy(desc(fact.seq))
      .limit(3);
    return blocks as { blockNumber: bigint; blockHash: Hex }[];
  }
}
