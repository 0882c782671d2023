import { isTemporary, pause } from "../core/retry.ts";
import type { Events } from "../events.ts";

/** Milliseconds between two reads of an order without an event. */
const quietMs = 15_000;
/** Milliseconds between two reads while the feed cannot be read. */
const blindMs = 2_000;

/** Watches orders through one subscription to the event feed. */
export class OrderWatch {
  readonly #events: Events | null;
  readonly #waiting = new Map<string, Set<() => void>>();
  #cursor: string | null = null;
  #walk: AbortController | null = null;
  #blind: boolean;

  /** @param events null for a caller that cannot read the feed */
  constructor(events: Events | null) {
    this.#events = events;
    this.#blind = events === null;
  }

  /**
   * Reads an order until `read` returns a value: at once, at each event of the order, and at intervals.
   *
   * @param read returns the awaited value, or undefined
   * @throws the error of `read`, or the signal's reason
   */
  async until<T>(orderId: string, read: () => Promise<T | undefined>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      // Listening starts before the read, so an event between the two is not missed.
      const { notified, stop } = this.#listen(orderId);
      const quiet = new AbortController();
      try {
        const value = await read().catch((error: unknown) => {
          // A temporary failure of the service does not end the wait.
          if (!isTemporary(error)) throw error;
          return undefined;
        });
        if (value !== undefined) return value;
        const either = signal ? AbortSignal.any([signal, quiet.signal]) : quiet.signal;
        const rest = pause(this.#blind ? blindMs : quietMs, either).catch(() => {});
        await Promise.race([notified, rest]);
        signal?.throwIfAborted();
      } finally {
        quiet.abort();
        stop();
      }
    }
  }

  #listen(orderId: string): { notified: Promise<void>; stop: () => void } {
    const listeners = this.#waiting.get(orderId) ?? new Set();
    this.#waiting.set(orderId, listeners);
    let notify = () => {};
    const notified = new Promise<void>((resolve) => {
      notify = resolve;
    });
    listeners.add(notify);
    if (!this.#walk && this.#events) void this.#follow(this.#events);
    const stop = () => {
      listeners.delete(notify);
      if (listeners.size === 0 && this.#waiting.get(orderId) === listeners) this.#waiting.delete(orderId);
      // Another wait may start a moment later.
      setTimeout(() => this.#stopIfIdle(), 1_000);
    };
    return { notified, stop };
  }

  #stopIfIdle(): void {
    if (this.#waiting.size > 0) return;
    this.#walk?.abort();
    this.#walk = null;
  }

  async #follow(events: Events): Promise<void> {
    const walk = new AbortController();
    this.#walk = walk;
    const stream = events.follow({
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
        for (const notify of this.#waiting.get(id ?? "") ?? []) notify();
      }
    } catch {
      // The key may lack webhooks:read. Orders are then read more often.
      this.#blind = true;
      await pause(60_000, walk.signal).catch(() => {});
    } finally {
      if (this.#walk === walk) this.#walk = null;
    }
  }
}
