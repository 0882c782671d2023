import { and, arrayOverlaps, eq, ne, sql } from "drizzle-orm";
import { insertEvents } from "../../db/account-events.ts";
import type { Database } from "../../db/client.ts";
import { agent, openRequest, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { requestEventData } from "../../protocol/facts/market-events.ts";
import { isOpen, type OpenRequestRow } from "./open-request.ts";

/** Accounts told in one transaction. */
const page = 500;

/**
 * Tells the owners of published services that carry a tag of an open request (`request.matched`), each once. One that is
 * cut off tells the rest when it runs again; who was told already has the event's key.
 *
 * @returns how many accounts match; null where it was cut off
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

/** Finds the accounts that publish a service with one of the request's tags, without the account that posted the request. */
async function findMatched(db: Database, request: OpenRequestRow): Promise<string[]> {
  // One that was closed or ran out before anybody heard of it is nobody's news.
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
