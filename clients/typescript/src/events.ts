import { type ApiError, type ConnectionError, EarnestError } from "./core/errors.ts";
import { isTemporary, pause, waitAfter } from "./core/retry.ts";
import type { FollowOptions } from "./follow-options.ts";
import { EventsResource } from "./generated/resources/events.ts";
import type { FeedEvent, FeedPage } from "./generated/types.ts";
import { LiveStream } from "./live-stream.ts";

/**
 * An endless iteration over the event feed by polling. Store `cursor` to resume after a crash. The stream survives outages,
 * throws permanent errors, and ends when its signal aborts.
 */
export class EventStream implements AsyncIterable<FeedEvent> {
  /**
   * All events before the cursor were handled. It advances by a page once the next event is requested. A stream that resumes
   * from it misses no event but may repeat some, so handle each event's `id` once.
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
      const page = await this.#readPage();
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

  /** Reads the next page; null after the signal has aborted, or a temporary error. */
  async #readPage(): Promise<FeedPage | ApiError | ConnectionError | null> {
    try {
      return await this.#list(this.cursor);
    } catch (error) {
      if (this.#options.signal?.aborted) return null;
      if (!isTemporary(error)) throw error;
      return error;
    }
  }
}

/** The account's events. */
export class Events extends EventsResource {
  /**
   * Follows the feed by polling.
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
   * Follows the feed live: an event arrives well within a second. Without a stream, it polls.
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
