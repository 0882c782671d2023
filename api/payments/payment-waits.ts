import { eventChannel } from "../../db/account-events.ts";
import { listen } from "../../db/listen.ts";
import type { Context } from "../context.ts";
import { createRequestSlots } from "../http/request-slots.ts";

/** The events of one account, for a request that waits. */
export type Watch = {
  /** Resolves at the next event, at once if there was one since the last call, or after the given milliseconds. */
  next(milliseconds: number): Promise<void>;
  close(): void;
};

/** The waits of requests without an account. */
export type Waits = ReturnType<typeof createPaymentWaits>;

/**
 * Makes the waits of this process for changes of orders. One database connection listens for all of them, while there are
 * any. Waits are limited for each address and in total.
 */
export function createPaymentWaits({ config, db, log }: Context) {
  const { address, process: total } = config.buying.waits;
  const slots = createRequestSlots(db, { total, address });
  const watches = new Set<{ accountId: string; wake(): void }>();
  let stop: AbortController | null = null;

  return {
    /** @returns null if no slot is free */
    async open(
      accountId: string,
      origin: { address: string | null; network: string | null },
      signal: AbortSignal,
    ): Promise<Watch | null> {
      const slot = await slots.enter({ accountId, ...origin });
      if ("full" in slot) return null;
      let news = Promise.withResolvers<void>();
      const watch = { accountId, wake: () => news.resolve() };
      watches.add(watch);
      if (!stop) begin();
      return {
        next: async (milliseconds) => {
          const over = Promise.withResolvers<void>();
          const timer = setTimeout(over.resolve, milliseconds);
          signal.addEventListener("abort", over.resolve as () => void, { once: true });
          if (signal.aborted) over.resolve();
          await Promise.race([news.promise, over.promise]);
          clearTimeout(timer);
          signal.removeEventListener("abort", over.resolve as () => void);
          // The reset comes before the caller reads: an event during the read counts again.
          news = Promise.withResolvers();
        },
        close: () => {
          slot.leave();
          watches.delete(watch);
          if (watches.size > 0) return;
          stop?.abort();
          stop = null;
        },
      };
    },
  };

  function begin(): void {
    stop = new AbortController();
    const { signal } = stop;
    void listen({ [eventChannel]: wake }, { databaseUrl: config.databaseDirectUrl, log, signal });
  }

  function wake(accountId: string | null): void {
    for (const watch of watches) if (accountId === null || watch.accountId === accountId) watch.wake();
  }
}
