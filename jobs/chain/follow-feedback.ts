import type { Logger } from "pino";
import type { Chain, Config } from "../../config/config.ts";
import { agentFeedback, readReadyBlock } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import {
  confirmFeedback,
  findGivenFeedback,
  findLostFeedback,
  type LostFeedback,
  markSubmitted,
  reopenFeedback,
} from "../../db/feedback.ts";
import { feedback } from "../../db/schema.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import { clientOf } from "../chain-client.ts";
import { anyOf } from "../due-jobs.ts";
import { isRecent } from "./index-watch.ts";

/**
 * Blocks before the last round's newest block that a round reads again, and blocks in which lost feedback is searched.
 */
const overlap = 128n;
const depth = 1000n;

export type FeedbackProgress = {
  /** the block up to which each chain's index was read */
  seen: Map<number, bigint>;
  /** the time (ms) of the last full read of the index */
  lastFullReadAt: number;
  /** the time (ms) since which an order's event is missing from the index without a break */
  missing: Map<string, number>;
};

/** Makes the state that a worker keeps between rounds. The state only saves work. */
export function newFeedbackProgress(): FeedbackProgress {
  return { seen: new Map(), lastFullReadAt: 0, missing: new Map() };
}

/** Milliseconds between two full reads of the index's feedback. */
const fullReadEvery = 3_600_000;

/**
 * Follows ERC-8004 feedback on the chain. Feedback for an order is found by its file's hash, whichever wallet sent it.
 * It is confirmed once its block is, and prepared again if its block leaves the chain.
 *
 * @param options.missingMs milliseconds for which an event must be missing from the index before the node is asked
 */
export async function followFeedback(
  db: Database,
  config: Pick<Config, "chains">,
  progress: FeedbackProgress,
  options: { log?: Logger; missingMs?: number } = {},
): Promise<{ found: number; confirmed: number; reopened: number }> {
  const { log, missingMs = 5000 } = options;
  const result = { found: 0, confirmed: 0, reopened: 0 };
  const stillMissing = new Set<string>();
  const startedAt = Date.now();
  const isFullRead = startedAt - progress.lastFullReadAt >= fullReadEvery;
  let complete = true;

  for (const chain of config.chains) {
    if (!chain.erc8004) continue;
    const chainId = chain.chain_id;
    const head = await readReadyBlock(db, chainId);
    if (head === undefined) {
      complete = false;
      continue;
    }
    const from = isFullRead ? 0n : (progress.seen.get(chainId) ?? 0n) - overlap;
    for (const { orderId, seen } of await findGivenFeedback(db, chainId, from)) {
      if (!(await markSubmitted(db, orderId, seen))) continue;
      result.found += 1;
      log?.info({ order_id: orderId, transaction: seen.transactionHash }, "feedback found on the chain");
    }
    progress.seen.set(chainId, head);
    const confirmed = await confirmFeedback(db, chainId, confirmedBlock(head, chain));
    result.confirmed += confirmed.length;
    for (const orderId of confirmed) log?.info({ order_id: orderId }, "feedback confirmed");

    for (const lost of await findLostFeedback(db, chainId, { from: head - depth, to: head })) {
      stillMissing.add(lost.orderId);
      const since = progress.missing.get(lost.orderId) ?? startedAt;
      progress.missing.set(lost.orderId, since);
      // The indexer drops and rewrites its newest rows on every start.
      if (startedAt - since < missingMs || !(await hasLeft(chain, lost, log))) continue;
      if (await reopenFeedback(db, lost)) {
        result.reopened += 1;
        log?.warn(
          { order_id: lost.orderId, block_hash: lost.blockHash },
          "the block of feedback left the chain",
        );
      }
      stillMissing.delete(lost.orderId);
    }
  }
  if (isFullRead && complete) progress.lastFullReadAt = startedAt;
  for (const orderId of progress.missing.keys()) {
    if (!stillMissing.has(orderId)) progress.missing.delete(orderId);
  }
  return result;
}

/** Selects the newest feedback of each chain's index. */
export function selectNewestFeedback({ chains }: Pick<Config, "chains">): SQL {
  const newest = chains.map(
    ({ chain_id }) => sql`(
      select block_number || ' ' || block_hash || ' ' || log_index from ${agentFeedback}
      where chain_id = ${chain_id} order by block_number desc limit 1)`,
  );
  return sql`concat_ws(' ', ${sql.join(newest, sql`, `)})`;
}

/** Whether there is unconfirmed feedback, or feedback in one of the newest blocks, which may leave the chain. */
export function hasOpenFeedback({ chains }: Pick<Config, "chains">): SQL {
  const newest = sql`(select max(${feedback.blockNumber}) from ${feedback} where ${feedback.status} <> 'prepared')`;
  return anyOf([
    sql`(select min(${feedback.updatedAt}) from ${feedback} where ${feedback.status} = 'submitted') is not null`,
    ...chains.map((chain) => isRecent(newest, chain, depth)),
  ]);
}

/** Whether the node has another block at the height of the feedback's block. */
async function hasLeft(chain: Chain, lost: LostFeedback, log: Logger | undefined): Promise<boolean> {
  try {
    return (await clientOf(chain).getBlock({ blockNumber: lost.blockNumber })).hash !== lost.blockHash;
  } catch (error) {
    log?.warn(
      { err: error, order_id: lost.orderId },
      "the node did not answer whether a block left the chain",
    );
    return false;
  }
}
