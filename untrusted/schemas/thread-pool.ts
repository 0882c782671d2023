import type { Logger } from "pino";
import { Tinypool } from "tinypool";

/** Tells whether a thread was ended: by the hard limit, or by Node for its memory. */
export function isEnd(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "AbortError" || ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY");
}

/** The threads that run tasks. */
export function openPool(
  { threads, memory }: { threads: number; memory: number },
  log: Pick<Logger, "warn">,
): Tinypool {
  const pool = new Tinypool({
    filename: new URL("./checker-thread.ts", import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    // The threads get no settings and no keys of this process.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: 32 },
  });
  // A thread that died between two tasks is replaced at the next.
  pool.on("error", (error) => log.warn({ err: error }, "a thread of the checker ended with an error"));
  return pool;
}
