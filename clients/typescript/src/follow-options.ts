import type { RequestOptions } from "./core/call.ts";
import type { EventType } from "./generated/types.ts";

/** How a stream of events is followed. */
export interface FollowOptions extends Pick<RequestOptions, "signal" | "timeoutMs" | "organisation"> {
  /** Where to go on: the `cursor` of a stream before. Without it from `from` on. */
  cursor?: string | null;
  /** Without a cursor: `start`, the oldest event that the service has (30 days), unless told; or `now`. */
  from?: "start" | "now";
  /** Only these types. */
  types?: EventType[];
  /** Is given the cursor as soon as everything before it was handled, and awaited: the place to keep it. */
  onCursor?: (cursor: string) => void | Promise<void>;
  /** How long to wait where nothing is new, in milliseconds; 2 seconds unless told. */
  pollMs?: number;
}
