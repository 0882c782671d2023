import type { Logger } from "pino";
import { listen } from "../db/listen.ts";
import { repeat } from "./loop.ts";

/**
 * Listens on channels of PostgreSQL until the signal, and wakes whoever waits for one. A wake-up only: what is missed
 * here is found by the next look.
 */
export async function keepListening(
  wakes: Record<string, (told: string | null) => void>,
  { databaseUrl, log, signal }: { databaseUrl: string; log: Logger; signal: AbortSignal },
): Promise<void> {
  const round = async () => {
    await listen(wakes, { databaseUrl, signal });
    return 0;
  };
  await repeat("listening", round, { signal, log });
}
