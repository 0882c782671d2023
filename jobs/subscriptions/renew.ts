import { and, eq, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Checker } from "../../checker/checker.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { subscription } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { renewNextSubscription } from "../../trade/subscriptions/renewal.ts";

/**
 * Renews each subscription whose period has begun, each in a transaction of its own. A worker may be killed at any instant.
 *
 * @returns the seconds until the next period begins; null where none begins within a minute
 */
export async function renewSubscriptions(
  db: Database,
  config: Config,
  { log, checker, signal }: { log: Logger; checker: Checker; signal?: AbortSignal },
): Promise<number | null> {
  while (!signal?.aborted) {
    const renewal = await inTransaction(db, (tx) => renewNextSubscription(tx, { config, checker }));
    if (!renewal) break;
    const { subscriptionId: subscription_id } = renewal;
    if ("placed" in renewal) {
      const { orderId: order_id, period } = renewal.placed;
      log.info({ subscription_id, order_id, period }, "subscription's order placed");
    }
    if ("ended" in renewal) log.info({ subscription_id, reason: renewal.ended }, "subscription ended");
  }
  const [next] = await db
    .select({
      after: sql<number | null>`extract(epoch from min(${subscription.nextOrderAt}) - now())::float8`,
    })
    .from(subscription)
    .where(
      and(
        eq(subscription.status, "active"),
        sql`${subscription.nextOrderAt} between now() and now() + interval '1 minute'`,
      ),
    );
  return next?.after ?? null;
}
