import { and, arrayOverlaps, asc, eq, isNull, ne, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Database } from "../db/client.ts";
import { insertEvents } from "../db/events.ts";
import { agent, openRequest, service } from "../db/schema.ts";
import { requestEventData } from "../settlement/events.ts";

/** Accounts told in one transaction. */
const page = 500;

/**
 * Tells the owners of published services that carry a tag of a new open request (`request.matched`), each once. A
 * round that is cut off tells the rest when it runs again; who was told already has the event's key.
 */
export async function announceRequests(
  db: Database,
  { log, signal }: { log: Logger; signal?: AbortSignal },
): Promise<void> {
  const waiting = await db
    .select()
    .from(openRequest)
    .where(isNull(openRequest.announcedAt))
    .orderBy(asc(openRequest.createdAt))
    .limit(100);
  for (const request of waiting) {
    const accounts = await findMatched(db, request);
    for (let at = 0; at < accounts.length; at += page) {
      if (signal?.aborted) return;
      const events = accounts.slice(at, at + page).map((accountId) => ({
        accountId,
        type: "request.matched",
        orderId: null,
        key: `request:${request.id}`,
        data: requestEventData(request),
      }));
      await db.transaction((tx) => insertEvents(tx, events));
    }
    await db.update(openRequest).set({ announcedAt: sql`now()` }).where(eq(openRequest.id, request.id));
    log.info({ request_id: request.id, accounts: accounts.length }, "open request announced");
  }
}

/** Whoever publishes a service with one of the request's tags, but whoever posted it. */
async function findMatched(db: Database, request: typeof openRequest.$inferSelect): Promise<string[]> {
  // One that was closed or ran out before anybody heard of it is nobody's news.
  if (request.status !== "open" || request.expiresAt.getTime() <= Date.now()) return [];
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
