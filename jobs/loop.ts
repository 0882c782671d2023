import type { Logger } from "pino";
import { isWithoutIndex } from "../db/chain.ts";

/** Lets one part sleep and another wake it. A wake while nobody sleeps is kept for the next sleep. */
export type Waker = { wake(): void; sleep(milliseconds: number, signal: AbortSignal): Promise<void> };

export function createWaker(): Waker {
  let woken = false;
  let end = () => {};
  return {
    wake: () => {
      woken = true;
      end();
    },
    sleep: async (milliseconds, signal) => {
      if (!woken && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
          signal.addEventListener("abort", end, { once: true });
        });
        signal.removeEventListener("abort", end);
        end = () => {};
      }
      woken = false;
    },
  };
}

/** The longest rest after failures, in milliseconds. */
const longestRest = 30_000;

/**
 * Runs rounds until the signal. A round that throws is logged and tried again after a rest that doubles each time; it
 * never ends the loop.
 *
 * @param options.pause milliseconds between rounds, unless the waker cuts it short
 */
export async function repeat(
  name: string,
  round: () => Promise<void>,
  options: { pause: number; signal: AbortSignal; log: Logger; waker?: Waker },
): Promise<void> {
  const { pause, signal, log, waker = createWaker() } = options;
  const rest = createWaker();
  let failures = 0;
  while (!signal.aborted) {
    try {
      await round();
      failures = 0;
      await waker.sleep(pause, signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const restFor = Math.min(500 * 2 ** failures, longestRest);
      log.error(
        { err: error, part: name, rest_ms: restFor },
        "a part of the worker failed and is tried again",
      );
      await rest.sleep(restFor, signal);
    }
  }
}

/** A round that has nothing to do before the indexer was started on this database. */
export function skipWithoutIndex(round: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    try {
      await round();
    } catch (error) {
      if (!isWithoutIndex(error)) throw error;
    }
  };
}
