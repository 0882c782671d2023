import { setImmediate } from "node:timers/promises";

/** Milliseconds for which a long piece of work keeps the event loop, which the other jobs share. */
const longest = 3;

/** Makes what long work asks between its parts: it waits until the others had their turn, where they have waited for some time. */
export function createBreath(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longest) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
