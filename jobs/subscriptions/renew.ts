import { type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Checker } from "../../checker/checker.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { subscription } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { renewNextSubscription } from "../../trade/subscriptions/renewal.ts";

/** Whether the period of a subscription has begun. */
export const hasBegun: SQL = sql`
  (select min(${subscription.nextOrderAt}) from ${subscription} where ${subscription.status} = 'active') <= now()`;

/** Renews each subscription whose period has begun, each in a transaction of its own. A worker may be killed at any instant. */
export async function renewSubscriptions(
  db: Database,
  config: Config,
  { log, checker, signal }: { log: Logger; checker: Checker; signal?: AbortSignal },
): Promise<void> {
  while (!signal?.aborted) {
    const renewal = await inTransaction(db, (tx) => renewNextSubscription(tx, { config, checker }));
    if (!renewal) return;
    const { subscriptionId: subscription_id } = renewal;
    if ("placed" in renewal) {
      const { orderId: order_id, period } = renewal.placed;
      log.info({ subscription_id, order_id, period }, "subscription's order placed");
    }
    if ("ended" in renewal) log.info({ subscription_id, reason: renewal.ended }, "subscription ended");
  }
}
