import type { RequestOptions } from "./core/call.ts";
import { ConnectionError, EarnestError } from "./core/errors.ts";
import { parseExactly } from "./core/exact-json.ts";
import { isTemporary, pause, waitAfter } from "./core/retry.ts";
import type { Transport } from "./core/transport.ts";
import type { FollowOptions } from "./follow-options.ts";
import type { FeedEvent, FeedPage } from "./generated/types.ts";

/** Milliseconds without a byte after which a stream is closed. The service sends a keep-alive every 15 seconds. */
const silenceMs = 45_000;

/** The default milliseconds before a closed stream is opened again. */
const defaultRetryMs = 2_000;
/** The bounds of the service's `retry` field. */
const [shortestRetryMs, longestRetryMs] = [100, 600_000];

/** The most characters of a message, so that it cannot fill the memory. */
const longestMessage = 4 * 1024 * 1024;

/**
 * An endless live iteration over the event feed. It resumes after every disconnection, polls while no stream is available,
 * throws permanent errors, and ends when its signal aborts.
 */
export class LiveStream implements AsyncIterable<FeedEvent> {
  /**
   * All events before the cursor were handled. It advances once the next event is requested. A stream that resumes from it
   * misses no event but may repeat one, so handle each event's `id` once.
   */
  cursor: string | null;
  readonly #transport: Transport;
  readonly #options: FollowOptions;
  readonly #list: (cursor: string | null, limit: number) => PromiseLike<FeedPage>;

  constructor(
    transport: Transport,
    options: FollowOptions,
    list: (cursor: string | null, limit: number) => PromiseLike<FeedPage>,
  ) {
    this.cursor = options.cursor ?? (options.from === "now" ? "now" : null);
    this.#transport = transport;
    this.#options = options;
    this.#list = list;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedEvent, void, void> {
    const { signal, pollMs = defaultRetryMs } = this.#options;
    let retryMs = defaultRetryMs;
    for (let failures = 0; !signal?.aborted; ) {
      const cut = new AbortController();
      let wait = 0;
      try {
        for await (const message of this.#read(cut)) {
          const event = message.data === undefined ? null : readEvent(message.data);
          failures = 0;
          retryMs = message.retry ?? retryMs;
          if (event) yield event;
          if (message.id !== undefined) await this.#move(message.id);
        }
        wait = retryMs;
      } catch (error) {
        if (signal?.aborted) return;
        if (!(error instanceof EarnestError) || !isTemporary(error)) throw error;
        failures += 1;
        wait = failures === 1 ? Math.random() * retryMs : waitAfter(error, failures, pollMs);
      } finally {
        cut.abort();
      }
      // After a single disconnection, the next stream has the missed events.
      if (failures > 1) yield* this.#poll();
      await pause(wait, signal).catch(() => {});
    }
  }

  async #move(cursor: string): Promise<void> {
    if (cursor === this.cursor) return;
    this.cursor = cursor;
    await this.#options.onCursor?.(cursor);
  }

  /** Reads the available pages while there is no stream. A temporary error ends it. */
  async *#poll(): AsyncGenerator<FeedEvent, void, void> {
    for (let hasMore = true; hasMore; ) {
      const page = await Promise.resolve(this.#list(this.cursor, 100)).catch((error: unknown) => {
        if (this.#options.signal?.aborted || isTemporary(error)) return null;
        throw error;
      });
      if (page === null) return;
      yield* page.items;
      await this.#move(page.next_cursor);
      hasMore = page.has_more;
    }
  }

  /** Opens a stream and reads its messages until it ends. */
  async *#read(cut: AbortController): AsyncGenerator<Message, void, void> {
    const { signal, types, organisation } = this.#options;
    const query = { cursor: this.cursor ?? undefined, type: types };
    let watch = setTimeout(() => cut.abort(), silenceMs);
    const options: RequestOptions & { signal: AbortSignal } = {
      organisation,
      signal: signal ? AbortSignal.any([signal, cut.signal]) : cut.signal,
    };
    try {
      const response = await this.#transport.open(
        {
          operation: "streamEvents",
          verb: "GET",
          path: "/streams/events",
          root: true,
          accept: "text/event-stream",
          query,
        },
        options,
      );
      if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
        throw new Error("The response is not an event stream.");
      const alive = () => {
        clearTimeout(watch);
        watch = setTimeout(() => cut.abort(), silenceMs);
      };
      yield* readMessages(response.body, alive);
    } catch (error) {
      if (error instanceof EarnestError || signal?.aborted) throw error;
      throw interruptedError(error);
    } finally {
      clearTimeout(watch);
    }
  }
}

/** @throws ConnectionError if it is not JSON: a poll may read the whole event */
function readEvent(data: string): FeedEvent {
  try {
    return parseExactly(data) as FeedEvent;
  } catch (error) {
    throw interruptedError(error);
  }
}

function interruptedError(cause: unknown): ConnectionError {
  const facts = { idempotencyKey: null, attempts: 1, cause };
  return new ConnectionError("GET /streams/events: the stream was interrupted.", facts);
}

/** The known fields of a message. */
type Message = { id?: string; data?: string; retry?: number };

/** Parses the messages of a stream (WHATWG HTML, section 9.2.6), including those with only a cursor. */
async function* readMessages(
  body: ReadableStream<Uint8Array> | null,
  alive: () => void,
): AsyncGenerator<Message, void, void> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let text = "";
  let message: Message = {};
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    const lines = (text + value).split(/\r\n|\n|\r(?!$)/);
    text = lines.pop() ?? "";
    if (text.length + (message.data?.length ?? 0) > longestMessage)
      throw new Error(`A message has over ${longestMessage} characters.`);
    for (const line of lines) {
      if (line === "") {
        yield message;
        message = {};
      } else take(message, line);
    }
  }
}

function take(message: Message, line: string): void {
  const at = line.indexOf(":");
  const name = at < 0 ? line : line.slice(0, at);
  const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
  if (name === "id") message.id = value;
  else if (name === "retry" && /^\d+$/.test(value))
    message.retry = Math.min(Math.max(Number(value), shortestRetryMs), longestRetryMs);
  else if (name === "data") message.data = message.data === undefined ? value : `${message.data}\n${value}`;
}
