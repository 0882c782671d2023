import type { Context as HonoContext } from "hono";

/**
 * How long a request prefers to wait (RFC 7240, section 4.3), in seconds; 0 where it does not say.
 *
 * @param most what is granted, and what a bare `wait` stands for
 */
export function readPreferredWait(c: HonoContext, most: number): number {
  for (const preference of (c.req.header("prefer") ?? "").split(",")) {
    const [name = "", value] = (preference.split(";")[0] ?? "").split("=").map((part) => part.trim());
    if (name.toLowerCase() !== "wait") continue;
    if (value === undefined) return most;
    const seconds = /^"?(\d{1,9})"?$/.exec(value)?.[1];
    // What cannot be understood is passed over, as the RFC has it.
    if (seconds !== undefined) return Math.min(Number(seconds), most);
  }
  return 0;
}
