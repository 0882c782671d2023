import { setImmediate } from "node:timers/promises";

/** The most milliseconds for which long work blocks the event loop. */
const slice = 3;

/**
 * Returns a function that long work awaits between its steps. It yields to other jobs once the time slice is used up.
 */
export function createTimeSlice(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < slice) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
