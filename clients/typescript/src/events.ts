import { type ApiError, type ConnectionError, EarnestError } from "./core/errors.ts";
import { passes, pause, waitAfter } from "./core/retry.ts";
import type { FollowOptions } from "./follow-options.ts";
import { EventsResource } from "./generated/resources/events.ts";
import type { FeedEvent, FeedPage } from "./generated/types.ts";
import { LiveStream } from "./live-stream.ts";

/**
 * The feed without an end. Iterate over it; keep `cursor` to go on after a crash. It goes on through outages of the service,
 * throws what waiting does not mend, and ends where its signal aborts.
 */
export class EventStream implements AsyncIterable<FeedEvent> {
  /**
   * Everything before it was handled: it moves on once the event after was asked for, a page at a time. Who goes on from it
   * may get some events twice and misses none, so handle each event's `id` once.
   */
  cursor: string | null;
  readonly #options: FollowOptions;
  readonly #list: (cursor: string | null) => PromiseLike<FeedPage>;

  constructor(options: FollowOptions, list: (cursor: string | null) => PromiseLike<FeedPage>) {
    this.cursor = options.cursor ?? null;
    this.#options = options;
    this.#list = list;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedEvent, void, void> {
    const { pollMs = 2_000, from = "start", signal, onCursor } = this.#options;
    let skipping = this.cursor === null && from === "now";
    let failures = 0;
    while (!signal?.aborted) {
      const page = await this.#ask();
      if (page instanceof EarnestError) {
        failures += 1;
        await pause(waitAfter(page, failures, pollMs), signal).catch(() => {});
        continue;
      }
      if (page === null) return;
      failures = 0;
      if (!skipping) yield* page.items;
      if (this.cursor !== page.next_cursor) {
        this.cursor = page.next_cursor;
        await onCursor?.(page.next_cursor);
      }
      if (page.has_more) continue;
      skipping = false;
      await pause(pollMs, signal).catch(() => {});
    }
  }

  /** The next page; null once the signal aborted, and the error where waiting may mend it. */
  async #ask(): Promise<FeedPage | ApiError | ConnectionError | null> {
    try {
      return await this.#list(this.cursor);
    } catch (error) {
      if (this.#options.signal?.aborted) return null;
      if (!passes(error)) throw error;
      return error;
    }
  }
}

/** The account's events, page by page or without an end. */
export class Events extends EventsResource {
  /**
   * Follows the feed.
   *
   * @example
   * const stream = earnest.events.follow({ cursor: await readCursor(), onCursor: keepCursor, types: ["order.funded"] });
   * for await (const event of stream) await handle(event);
   */
  follow(options: FollowOptions = {}): EventStream {
    const { signal, timeoutMs, organisation, types: type } = options;
    return new EventStream(options, (cursor) =>
      this.list({ cursor: cursor ?? undefined, type, limit: 100 }, { signal, timeoutMs, organisation }),
    );
  }

  /**
   * The feed as it happens: an event comes well within a second. Where no stream can be had, it reads page by page.
   *
   * @example
   * for await (const event of earnest.events.stream({ from: "now" })) await show(event);
   */
  stream(options: FollowOptions = {}): LiveStream {
    const { signal, timeoutMs, organisation, types: type } = options;
    return new LiveStream(this.transport, options, (cursor, limit) =>
      this.list({ cursor: cursor ?? undefined, type, limit }, { signal, timeoutMs, organisation }),
    );
  }
}
