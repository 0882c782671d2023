import type { Logger } from "pino";
import { openPostgres } from "./postgres.ts";

/**
 * Listens on channels of PostgreSQL until the signal, over a connection of its own. `postgres` replaces a lost connection.
 * PostgreSQL keeps no notification for an absent listener, so each handler is also called whenever listening begins.
 *
 * @param handlers by channel; each gets the text of a notification, or null when listening begins
 */
export async function listen(
  handlers: Record<string, (text: string | null) => void>,
  { databaseUrl, log, signal }: { databaseUrl: string; log: Pick<Logger, "warn">; signal: AbortSignal },
): Promise<void> {
  if (signal.aborted) return;
  const sql = openPostgres(databaseUrl, { applicationName: "earnest" });
  for (const [channel, handle] of Object.entries(handlers)) {
    sql
      .listen(channel, handle, () => handle(null))
      .catch((error) => {
        if (!signal.aborted)
          log.warn({ err: error, channel }, "listening on a channel of the database failed");
      });
  }
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await sql.end({ timeout: 1 });
}
