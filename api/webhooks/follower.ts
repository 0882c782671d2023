import type { Caller } from "../http/caller.ts";

/** Why a stream ended. */
export type StreamEnd = "left" | "slow" | "idle" | "old" | "refused" | "restart";

/** Whose stream it is, and what it wants. */
export type Following = {
  caller: Caller;
  /** null for all */
  types: ReadonlySet<string> | null;
  /** the place of the last event that it was given, or that it does not want */
  after: number;
};

export type Follower = Following & {
  body: ReadableStream<Uint8Array>;
  /** there may be events after its place */
  isBehind: boolean;
  /** its reader has taken all that it was given */
  isHungry: boolean;
  /** when it was opened, last given anything and last given an event, in milliseconds of this process */
  openedAt: number;
  givenAt: number;
  eventAt: number;
  /** the place that its reader knows of */
  toldPlace: number | null;
  give(text: string): void;
  /** ends the stream; one whose reader does not take what it was given is cut off */
  end(why: StreamEnd): void;
};

/**
 * Opens a stream of bytes that holds what it was given last and nothing more: the next is given when its reader has
 * taken this.
 *
 * @param parts.onHungry is called when the reader has taken everything
 * @param parts.onEnd is called once, however the stream ends
 * @param parts.cut closes the connection, whatever waits in it
 */
export function openFollower(
  following: Following,
  parts: { onHungry(): void; onEnd(why: StreamEnd): void; cut(): void },
): Follower {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const finish = (why: StreamEnd) => {
    if (!controller) return;
    const open = controller;
    controller = null;
    parts.onEnd(why);
    if (why === "left") return;
    // An orderly end would wait behind what this reader does not take.
    if (!follower.isHungry) parts.cut();
    open.close();
  };
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    pull: () => {
      follower.isHungry = true;
      parts.onHungry();
    },
    cancel: () => finish("left"),
  });
  const opened = performance.now();
  const follower: Follower = {
    ...following,
    body,
    isBehind: true,
    isHungry: false,
    openedAt: opened,
    givenAt: opened,
    eventAt: opened,
    toldPlace: null,
    give: (text) => {
      follower.isHungry = false;
      follower.givenAt = performance.now();
      controller?.enqueue(encoder.encode(text));
    },
    end: finish,
  };
  return follower;
}
