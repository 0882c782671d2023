import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { inTransaction } from "../../db/transaction.ts";
import { queueDue, readDueOrders } from "../../trade/orders/due-settlements.ts";
import { actOnEach } from "../loop.ts";

/**
 * Queues the releases, refunds and settlements that time has opened to anyone, one relay each. The clock is the indexed
 * chain's. See `queueDue`. The job may be killed at any instant, and several may run at once.
 * @returns how many calls were queued
 */
export async function settleDue(
  db: Database,
  { chains }: Pick<Config, "chains">,
  { log }: { log?: Logger } = {},
): Promise<number> {
  const clock = await readIndexedBlocks(db);
  let queued = 0;
  await actOnEach(chains, async (chain) => {
    const now = clock.get(chain.chain_id)?.timestamp;
    if (now === undefined) return;
    await actOnEach(readDueOrders(db, chain, now), async (orderId) => {
      const due = await inTransaction(db, (tx) => queueDue(tx, chain, orderId, now));
      if (!due) return;
      queued += 1;
      log?.info({ order_id: orderId, function: due }, "a settlement that time opened is queued");
    });
  });
  return queued;
}
