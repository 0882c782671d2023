import type { Caller } from "../http/caller.ts";

/** The reasons for the end of a stream. */
export type StreamEnd = "left" | "slow" | "idle" | "old" | "refused" | "restart";

/** The caller of a stream, and the events to send. */
export type StreamRequest = {
  caller: Caller;
  /** null for all types */
  types: ReadonlySet<string> | null;
  /** the position of the last event that was sent or filtered out */
  after: number;
};

export type OpenStream = StreamRequest & {
  body: ReadableStream<Uint8Array>;
  /** true if there may be events after the position */
  hasNewEvents: boolean;
  /** true if the reader has taken everything that was sent */
  canTakeMore: boolean;
  /** the times of opening, of the last data and of the last event, in milliseconds of a monotonic clock */
  openedAt: number;
  sentAt: number;
  eventAt: number;
  /** the position that the reader knows */
  sentPosition: number | null;
  send(text: string): void;
  /** ends the stream, and cuts the connection if the reader has not taken everything */
  end(why: StreamEnd): void;
};

/**
 * Opens a stream of bytes with a buffer of one piece: the next piece is sent when the reader has taken this one.
 *
 * @param parts.onReady is called when the reader has taken everything
 * @param parts.onEnd is called once, however the stream ends
 * @param parts.cut closes the connection, even with unsent bytes
 */
export function openStream(
  request: StreamRequest,
  parts: { onReady(): void; onEnd(why: StreamEnd): void; cut(): void },
): OpenStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const finish = (why: StreamEnd) => {
    if (!controller) return;
    const open = controller;
    controller = null;
    parts.onEnd(why);
    if (why === "left") return;
    // A regular end would wait behind the bytes that this reader does not take.
    if (!stream.canTakeMore) parts.cut();
    open.close();
  };
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    pull: () => {
      stream.canTakeMore = true;
      parts.onReady();
    },
    cancel: () => finish("left"),
  });
  const opened = performance.now();
  const stream: OpenStream = {
    ...request,
    body,
    hasNewEvents: true,
    canTakeMore: false,
    openedAt: opened,
    sentAt: opened,
    eventAt: opened,
    sentPosition: null,
    send: (text) => {
      stream.canTakeMore = false;
      stream.sentAt = performance.now();
      controller?.enqueue(encoder.encode(text));
    },
    end: finish,
  };
  return stream;
}
