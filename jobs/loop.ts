import type { Logger } from "pino";

/** A wait that can be cut short. A cut without a waiter ends the next wait at once. */
export type Pause = { wait(milliseconds: number, signal: AbortSignal): Promise<void>; cutShort(): void };

export function createPause(): Pause {
  let isCut = false;
  let end = () => {};
  return {
    cutShort: () => {
      isCut = true;
      end();
    },
    wait: async (milliseconds, signal) => {
      if (!isCut && !signal.aborted) {
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
      isCut = false;
    },
  };
}

/**
 * Runs an action for each item in turn. A failure does not stop the items behind it; the first error is thrown at the
 * end.
 */
export async function actOnEach<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) await act(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** The longest backoff after failures, in milliseconds. */
const longestBackoff = 30_000;

/**
 * Runs rounds until the signal. A round that throws is logged and retried after a backoff that doubles each time.
 * @param round returns the milliseconds until the next round
 */
export async function repeatRounds(
  name: string,
  round: () => Promise<number>,
  options: { signal: AbortSignal; log: Logger; pause?: Pause },
): Promise<void> {
  const { signal, log, pause = createPause() } = options;
  const backoff = createPause();
  let failures = 0;
  while (!signal.aborted) {
    try {
      const milliseconds = await round();
      failures = 0;
      await pause.wait(milliseconds, signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const backoffMs = Math.min(500 * 2 ** failures, longestBackoff);
      log.error({ err: error, part: name, rest_ms: backoffMs }, "a part of the worker failed and is retried");
      await backoff.wait(backoffMs, signal);
    }
  }
}
