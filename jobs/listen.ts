import type { Logger } from "pino";
import { listen } from "../db/listen.ts";
import { repeat } from "./loop.ts";

/** Milliseconds after a connection was lost: a server may end each one at once. */
const rest = 500;

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
    return rest;
  };
  await repeat("listening", round, { signal, log });
}
