import type { Logger } from "pino";

/** A wait that something else may cut short. One cut short while nobody waits ends the next wait at once. */
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

/** Does something with each, one after the other. A failure holds up none behind it; the first is thrown at the end. */
export async function actOnEach<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) await act(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** The longest rest after failures, in milliseconds. */
const longestRest = 30_000;

/**
 * Runs rounds until the signal. A round that throws is logged and tried again after a rest that doubles each time; it
 * never ends the loop.
 *
 * @param round returns the milliseconds until the next
 */
export async function repeat(
  name: string,
  round: () => Promise<number>,
  options: { signal: AbortSignal; log: Logger; pause?: Pause },
): Promise<void> {
  const { signal, log, pause = createPause() } = options;
  const rest = createPause();
  let failures = 0;
  while (!signal.aborted) {
    try {
      const milliseconds = await round();
      failures = 0;
      await pause.wait(milliseconds, signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const restFor = Math.min(500 * 2 ** failures, longestRest);
      log.error(
        { err: error, part: name, rest_ms: restFor },
        "a part of the worker failed and is tried again",
      );
      await rest.wait(restFor, signal);
    }
  }
}
