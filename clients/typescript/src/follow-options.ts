import type { RequestOptions } from "./core/call.ts";
import type { EventType } from "./generated/types.ts";

/** How a stream of events is followed. */
export interface FollowOptions extends Pick<RequestOptions, "signal" | "timeoutMs" | "organisation"> {
  /** The `cursor` of an earlier stream, to resume it. Without it, `from` applies. */
  cursor?: string | null;
  /** The start without a cursor: `start` (default), the oldest event of the service's 30 days, or `now`. */
  from?: "start" | "now";
  /** Only these types. */
  types?: EventType[];
  /** A callback with the cursor once all events before it were handled. It is awaited, so it can store the cursor. */
  onCursor?: (cursor: string) => void | Promise<void>;
  /** Milliseconds between two polls without new events. Default: 2 seconds. */
  pollMs?: number;
}
