import { typeid } from "typeid-js";
import type { Transaction } from "./client.ts";
import { sql } from "./drizzle.ts";
import { wakeListeners } from "./notify.ts";

/** Channel that wakes executors. A lost notification delays an execution and loses none. */
export const executionChannel = "earnest_execution";

/**
 * Queues the execution of an order at its service's endpoint, if the service has one. Call it in the transaction of the
 * facts, under the order's lock. An order is executed once when it is funded, and once when its buyer requests a revision of
 * an executed delivery. If a reorganisation removes the funding and the order is funded again, its execution continues.
 */
export async function queueExecution(
  tx: Transaction,
  order: { id: string; serviceId: string; providerAccountId: string },
  facts: readonly { type: string }[],
): Promise<void> {
  const isFunded = facts.some(({ type }) => type === "order.funded");
  const isRevision = facts.some(({ type }) => type === "order.revision_requested");
  if (!isFunded && !isRevision) return;
  const { rowCount } = await tx.execute(sql`
    insert into earnest.execution as existing (id, order_id, is_revision, service_id, account_id)
    select ${typeid("exe").toString()}, ${order.id}, ${isRevision}, id, ${order.providerAccountId}
    from earnest.service
    where id = ${order.serviceId} and execution_url is not null
      and (not ${isRevision}::boolean or exists (
        select from earnest.execution first
        where first.order_id = ${order.id} and not first.is_revision and first.status = 'delivered'))
    on conflict (order_id, is_revision) do update
    set status = 'pending', reason = null, attempts = 0, rejections = 0, next_attempt_at = now(), finished_at = null
    where existing.status = 'cancelled'`);
  if (rowCount) await wakeListeners(tx, executionChannel);
}
