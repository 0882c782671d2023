import pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { repeat } from "./loop.ts";

/**
 * Listens on channels of PostgreSQL until the signal, and wakes whoever waits for one. A wake-up only: what is missed
 * here is found by the next look.
 */
export async function keepListening(
  { databaseUrl }: Pick<Config, "databaseUrl">,
  wakes: Record<string, () => void>,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  await repeat(
    "listening",
    async () => {
      const client = new pg.Client({ connectionString: databaseUrl, application_name: "earnest" });
      const ended = new Promise<void>((resolve) => {
        client.once("error", () => resolve());
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      client.on("notification", ({ channel }) => wakes[channel]?.());
      try {
        await client.connect();
        for (const [channel, wake] of Object.entries(wakes)) {
          await client.query(`listen ${channel}`);
          wake();
        }
        await ended;
      } finally {
        await client.end().catch(() => {});
      }
    },
    { pause: 0, signal, log },
  );
}
