import type { Logger } from "pino";
import { openPostgres } from "./postgres.ts";

/**
 * Listens on channels of PostgreSQL until the signal, over a connection of its own. `postgres` makes a lost connection
 * again. PostgreSQL keeps no notification for a listener that is away, so each channel is woken whenever listening begins.
 *
 * @param wakes what to do with a notification of each channel, and with the text it carries; null when listening begins
 */
export async function listen(
  wakes: Record<string, (told: string | null) => void>,
  { databaseUrl, log, signal }: { databaseUrl: string; log: Pick<Logger, "warn">; signal: AbortSignal },
): Promise<void> {
  if (signal.aborted) return;
  const sql = openPostgres(databaseUrl, { applicationName: "earnest" });
  for (const [channel, wake] of Object.entries(wakes)) {
    sql
      .listen(channel, wake, () => wake(null))
      .catch((error) => {
        if (!signal.aborted) log.warn({ err: error, channel }, "cannot listen yet to the database");
      });
  }
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await sql.end({ timeout: 1 });
}
