import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { asc, isNull, type SQL, sql } from "../../db/drizzle.ts";
import { openRequest } from "../../db/schema.ts";
import { announceRequest } from "../../trade/requests/announcement.ts";

/** Whether an open request is not yet announced. */
export const hasUnannounced: SQL = sql`
  (select min(${openRequest.createdAt}) from ${openRequest} where ${openRequest.announcedAt} is null) is not null`;

/** Announces the open requests that are not yet announced, oldest first. */
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
    const accounts = await announceRequest(db, request, signal);
    if (accounts === null) return;
    log.info({ request_id: request.id, accounts }, "open request announced");
  }
}
