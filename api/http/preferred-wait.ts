import type { Context as HonoContext } from "hono";

/**
 * Reads the seconds that a request prefers to wait (RFC 7240, section 4.3); 0 if it states none.
 *
 * @param most the longest wait, and the value of a bare `wait`
 */
export function readPreferredWait(c: HonoContext, most: number): number {
  for (const preference of (c.req.header("prefer") ?? "").split(",")) {
    const [name = "", value] = (preference.split(";")[0] ?? "").split("=").map((part) => part.trim());
    if (name.toLowerCase() !== "wait") continue;
    if (value === undefined) return most;
    const seconds = /^"?(\d{1,9})"?$/.exec(value)?.[1];
    // The RFC says to ignore a preference that cannot be parsed.
    if (seconds !== undefined) return Math.min(Number(seconds), most);
  }
  return 0;
}
