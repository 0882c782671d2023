import type { Logger } from "pino";
import { Tinypool } from "tinypool";

/** Tells whether a thread was ended: by the hard limit, or by Node for its memory. */
export function isEnd(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "AbortError" || ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY");
}

/**
 * Opens the threads that run the tasks of a file.
 *
 * @param filename the URL of the file
 * @param memory the megabytes of a thread
 */
export function openPool(
  { filename, threads, memory }: { filename: string; threads: number; memory: number },
  log: Pick<Logger, "warn">,
): Tinypool {
  const pool = new Tinypool({
    filename,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    // The threads get no settings and no keys of this process.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: 32 },
  });
  // A thread that died between two tasks is replaced at the next.
  pool.on("error", (error) => log.warn({ err: error }, "a thread ended with an error"));
  return pool;
}
