import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { openDatabase } from "../../db/client.ts";

/** Milliseconds between two attempts to take the lock, and between two checks that it is still held. */
const checkEvery = 1000;
/** Seconds to wait for the database's answer. */
const answerWithin = 5;
/** PostgreSQL ends a session that is idle for so long, and frees its lock: its machine is frozen, dead or cut off. */
const longestIdle = "20s";

/** The right of an indexer to run Ponder. */
export type Turn = {
  /** aborts when the lock is lost: its connection has ended, or does not answer */
  lost: AbortSignal;
  /** Frees the lock. */
  end(): Promise<void>;
};

/**
 * Waits until no other indexer of the deployment runs, and takes its advisory lock on a connection of its own.
 *
 * Ponder has a lock, too, but a Ponder that waits for it frees the lock of the other when it ends. Two Ponders then write
 * the same tables. A stand-by therefore starts Ponder only with this lock.
 *
 * @param databaseUrl leads to PostgreSQL without a pooler
 * @returns null if the signal came first
 */
export async function takeTurn(
  databaseUrl: string,
  deployment: string,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<Turn | null> {
  const db = openDatabase(databaseUrl, {
    max: 1,
    applicationName: "earnest_indexer_turn",
    answerSeconds: answerWithin,
  });
  const stopped = new AbortController();
  const lost = new AbortController();
  try {
    const client = await db.$client.connect();
    client.on("error", () => lost.abort());
    await client.query("select set_config('idle_session_timeout', $1, false)", [longestIdle]);
    const lock = "select pg_try_advisory_lock(hashtextextended($1, 0)) as taken";
    for (let round = 1; ; round += 1) {
      const { rows } = await client.query<{ taken: boolean }>(lock, [`indexer ${deployment}`]);
      if (rows[0]?.taken) break;
      if (round === 1) log.info({ deployment }, "another indexer runs: this one waits for its end");
      await sleep(checkEvery, undefined, { signal }).catch(() => {});
      if (!signal.aborted) continue;
      client.release(true);
      await db.$client.end();
      return null;
    }
    const watched = watch(() => client.query("select 1"));
    return {
      lost: lost.signal,
      async end() {
        stopped.abort();
        await watched;
        // The end of the connection frees the lock.
        client.release(true);
        await db.$client.end();
      },
    };
  } catch (error) {
    await db.$client.end();
    throw error;
  }

  async function watch(ask: () => Promise<unknown>): Promise<void> {
    while (!lost.signal.aborted) {
      await sleep(checkEvery, undefined, { signal: stopped.signal }).catch(() => {});
      if (stopped.signal.aborted) return;
      await ask().catch(() => lost.abort());
    }
  }
}
