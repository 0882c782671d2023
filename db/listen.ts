import pg from "pg";
import { statementSeconds } from "./client.ts";

/** Milliseconds between two questions whether the connection still lives; the answer to one comes before the next. */
const askedEvery = 15_000;
/** Milliseconds that the farewell may take. */
const farewell = 1000;

/**
 * Listens on channels of PostgreSQL over a connection of its own, until the signal or the loss of the connection. Each
 * channel is woken once when listening begins: what was told before is not told again.
 *
 * @param wakes what to do with a notification of each channel, and with the text it carries; null when listening begins
 * @throws the driver's error where no connection can be had
 */
export async function listen(
  wakes: Record<string, (told: string | null) => void>,
  { databaseUrl, signal }: { databaseUrl: string; signal: AbortSignal },
): Promise<void> {
  const client = new pg.Client({
    ...{ connectionString: databaseUrl, application_name: "earnest", keepAlive: true },
    connectionTimeoutMillis: 30_000,
    statement_timeout: 1000 * statementSeconds.request,
  });
  const lost = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  // More than one may follow, and one that nobody listens to ends the process.
  client.on("error", () => lost.resolve());
  client.on("end", () => lost.resolve());
  client.on("notification", ({ channel, payload }) => wakes[channel]?.(payload ?? ""));
  const end = () => over.resolve();
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  // A connection that a network has forgotten says nothing of it until something is asked.
  let answered = true;
  const alive = setInterval(() => {
    if (!answered) return end();
    answered = false;
    client.query("select 1").then(
      () => {
        answered = true;
      },
      () => end(),
    );
  }, askedEvery);
  const listenOn = async () => {
    await client.connect();
    for (const [channel, wake] of Object.entries(wakes)) {
      await client.query(`listen ${channel}`);
      wake(null);
    }
    await lost.promise;
  };
  try {
    // A server may fall silent at any moment, and before it listens too.
    await Promise.race([over.promise, listenOn()]);
  } finally {
    clearInterval(alive);
    signal.removeEventListener("abort", end);
    const late = new Promise((resolve) => setTimeout(resolve, farewell).unref());
    await Promise.race([client.end().catch(() => {}), late]);
  }
}
