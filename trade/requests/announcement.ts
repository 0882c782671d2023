import { insertEvents } from "../../db/account-events.ts";
import type { Database } from "../../db/client.ts";
import { and, arrayOverlaps, eq, ne, sql } from "../../db/drizzle.ts";
import { agent, openRequest, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { requestEventData } from "../../protocol/facts/market-events.ts";
import { isOpen, type OpenRequestRow } from "./open-request.ts";

/** Accounts per transaction. */
const page = 500;

/**
 * Writes the event `request.matched` for each owner of a published service with a tag of an open request. An
 * interrupted run can be repeated, because the events' keys are unique.
 *
 * @returns the number of matching accounts; null if interrupted
 */
export async function announceRequest(
  db: Database,
  request: OpenRequestRow,
  signal?: AbortSignal,
): Promise<number | null> {
  const accounts = await findMatched(db, request);
  for (let at = 0; at < accounts.length; at += page) {
    if (signal?.aborted) return null;
    const events = accounts.slice(at, at + page).map((accountId) => ({
      accountId,
      type: "request.matched",
      orderId: null,
      key: `request:${request.id}`,
      data: requestEventData(request),
    }));
    await inTransaction(db, (tx) => insertEvents(tx, events));
  }
  await db.update(openRequest).set({ announcedAt: sql`now()` }).where(eq(openRequest.id, request.id));
  return accounts.length;
}

/** Finds the accounts that publish a service with one of the request's tags, except the request's own account. */
async function findMatched(db: Database, request: OpenRequestRow): Promise<string[]> {
  // A request that closed or expired before its announcement is not announced.
  if (!isOpen(request)) return [];
  const rows = await db
    .selectDistinct({ accountId: agent.accountId })
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(
      and(
        eq(service.status, "published"),
        eq(agent.status, "published"),
        arrayOverlaps(service.tags, request.tags),
        ne(agent.accountId, request.accountId),
      ),
    );
  return rows.map(({ accountId }) => accountId);
}
