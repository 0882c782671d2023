import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { and, eq, gt, sql } from "../../db/drizzle.ts";
import { subscription } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { readDueSubscriptions, renewSubscription } from "../../trade/subscriptions/renewal.ts";
import type { Checker } from "../../untrusted/schemas/checker.ts";
import { actOnEach } from "../loop.ts";

/**
 * Renews each subscription whose period has begun, each in its own transaction. A failure holds up no other
 * subscription. The worker may be killed at any instant.
 *
 * @returns the seconds until the next period begins; null if none begins within a minute
 */
export async function renewSubscriptions(
  db: Database,
  config: Config,
  { log, checker, signal }: { log: Logger; checker: Checker; signal?: AbortSignal },
): Promise<number | null> {
  const begun = new Date();
  await actOnEach(await readDueSubscriptions(db), async (subscription_id) => {
    if (signal?.aborted) return;
    const renewal = await inTransaction(db, (tx) =>
      renewSubscription(tx, { config, checker }, subscription_id),
    ).catch((error: unknown) => {
      log.error({ err: error, subscription_id }, "a subscription could not be renewed");
      throw error;
    });
    if (renewal && "placed" in renewal) {
      const { orderId: order_id, period } = renewal.placed;
      log.info({ subscription_id, order_id, period }, "subscription's order placed");
    }
    if (renewal && "ended" in renewal)
      log.info({ subscription_id, reason: renewal.ended }, "subscription ended");
  });
  const [next] = await db
    .select({
      after: sql<number | null>`extract(epoch from min(${subscription.nextOrderAt}) - now())::float8`,
    })
    .from(subscription)
    .where(
      and(
        eq(subscription.status, "active"),
        gt(subscription.nextOrderAt, begun),
        sql`${subscription.nextOrderAt} < now() + interval '1 minute'`,
      ),
    );
  return next?.after ?? null;
}
