import type { Earnest, FeedEvent } from "earnest-client";
import { basePath } from "../settings.ts";

/** The ids of handled events that a tab keeps. A tab that takes the stream over may receive some events again. */
const mostKept = 500;

/** A message between tabs: the holder of the stream sends events and cursors, and a new tab asks for the cursor. */
type Message =
  | { kind: "event"; event: FeedEvent }
  /** all events before the cursor were sent */
  | { kind: "cursor"; cursor: string }
  | { kind: "question" };

/**
 * Follows the events of an account until the signal aborts. The tabs of a browser share one stream, because a browser opens
 * few connections to a host. A lock chooses the tab that holds the stream. If that tab closes, the next one resumes the
 * stream at the last cursor.
 *
 * @param owner names the session and the account. Tabs of one owner share a stream
 * @param handle gets each event once
 * @throws ApiError if the service refuses the stream
 */
export async function followEvents(
  client: Earnest,
  owner: string,
  handle: (event: FeedEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const handled = new Set<string>();
  let cursor: string | null = null;

  function handleOnce(event: FeedEvent): void {
    if (signal.aborted || handled.has(event.id)) return;
    handled.add(event.id);
    const [oldest] = handled;
    if (handled.size > mostKept && oldest !== undefined) handled.delete(oldest);
    handle(event);
  }
  async function holdStream(send: (message: Message) => void): Promise<void> {
    const onCursor = (next: string) => {
      cursor = next;
      send({ kind: "cursor", cursor: next });
    };
    for await (const event of client.events.stream({ from: "now", cursor, onCursor, signal })) {
      send({ kind: "event", event });
      handleOnce(event);
    }
  }

  // Browsers have locks on secure pages alone.
  if (!("locks" in navigator) || !("BroadcastChannel" in window)) return await holdStream(() => {});
  const name = `earnest.events ${basePath} ${owner}`;
  const channel = new BroadcastChannel(name);
  const send = (message: Message) => channel.postMessage(message);
  let isHolder = false;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "event") handleOnce(data.event);
    else if (data.kind === "cursor") cursor = data.cursor;
    else if (isHolder && cursor !== null) send({ kind: "cursor", cursor });
  };
  send({ kind: "question" });
  try {
    await navigator.locks.request(name, { signal }, async () => {
      isHolder = true;
      await holdStream(send);
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    channel.close();
  }
}
