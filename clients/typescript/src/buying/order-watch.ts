import { passes, pause } from "../core/retry.ts";
import type { Events } from "../events.ts";

/** Orders are read so often where the feed tells nothing, in milliseconds. */
const quietMs = 15_000;
/** The same where the feed cannot be read. */
const blindMs = 2_000;

/** Tells when something befell an order: one walk along the feed for all orders that somebody waits for. */
export class OrderWatch {
  readonly #events: Events;
  readonly #waiting = new Map<string, Set<() => void>>();
  #cursor: string | null = null;
  #walk: AbortController | null = null;
  #blind = false;

  constructor(events: Events) {
    this.#events = events;
  }

  /**
   * Reads an order until it is as awaited: at once, at each of its events, and now and then.
   *
   * @param read gives what was awaited, or undefined
   * @throws what `read` throws, and the signal's reason
   */
  async until<T>(orderId: string, read: () => Promise<T | undefined>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      // Listened for before the order is read: an event between the two is not missed.
      const { told, stop } = this.#listen(orderId);
      const quiet = new AbortController();
      try {
        const value = await read().catch((error: unknown) => {
          // An outage of the service ends no waiting.
          if (!passes(error)) throw error;
          return undefined;
        });
        if (value !== undefined) return value;
        const either = signal ? AbortSignal.any([signal, quiet.signal]) : quiet.signal;
        const rest = pause(this.#blind ? blindMs : quietMs, either).catch(() => {});
        await Promise.race([told, rest]);
        signal?.throwIfAborted();
      } finally {
        quiet.abort();
        stop();
      }
    }
  }

  #listen(orderId: string): { told: Promise<void>; stop: () => void } {
    const listeners = this.#waiting.get(orderId) ?? new Set();
    this.#waiting.set(orderId, listeners);
    let tell = () => {};
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    listeners.add(tell);
    if (!this.#walk) void this.#follow();
    const stop = () => {
      listeners.delete(tell);
      if (listeners.size === 0 && this.#waiting.get(orderId) === listeners) this.#waiting.delete(orderId);
      // A moment later somebody may listen again.
      setTimeout(() => this.#rest(), 1_000);
    };
    return { told, stop };
  }

  #rest(): void {
    if (this.#waiting.size > 0) return;
    this.#walk?.abort();
    this.#walk = null;
  }

  async #follow(): Promise<void> {
    const walk = new AbortController();
    this.#walk = walk;
    const stream = this.#events.follow({
      cursor: this.#cursor,
      from: "now",
      signal: walk.signal,
      pollMs: 500,
      onCursor: (cursor) => {
        this.#cursor = cursor;
      },
    });
    try {
      for await (const event of stream) {
        const id = "order" in event.data ? event.data.order.id : null;
        for (const tell of this.#waiting.get(id ?? "") ?? []) tell();
      }
    } catch {
      // A key without webhooks:read, above all: the orders themselves are read instead, more often.
      this.#blind = true;
      await pause(60_000, walk.signal).catch(() => {});
    } finally {
      if (this.#walk === walk) this.#walk = null;
    }
  }
}
