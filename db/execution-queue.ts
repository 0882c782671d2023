import { sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Transaction } from "./client.ts";
import { wake } from "./notify.ts";

/** Where executors listen: a wake-up, not the truth. */
export const executionChannel = "earnest_execution";

/**
 * Has an order executed at its service's endpoint, if the service has one, in the transaction of the fact that calls for
 * it and under the order's lock: once when it is funded, once when changes are asked for of what such an execution
 * delivered. An order that is funded again after its funding left the chain goes on where it was.
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
    insert into earnest.execution as standing (id, order_id, is_revision, service_id, account_id)
    select ${typeid("exe").toString()}, ${order.id}, ${isRevision}, id, ${order.providerAccountId}
    from earnest.service
    where id = ${order.serviceId} and execution_url is not null
      and (not ${isRevision}::boolean or exists (
        select from earnest.execution first
        where first.order_id = ${order.id} and not first.is_revision and first.status = 'delivered'))
    on conflict (order_id, is_revision) do update
    set status = 'pending', reason = null, attempts = 0, rejections = 0, next_attempt_at = now(), finished_at = null
    where standing.status = 'cancelled'`);
  if (rowCount) await wake(tx, executionChannel);
}
