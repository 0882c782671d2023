import type { Context as HonoContext } from "hono";
import { entityTagOf, isKnownTag } from "./etag.ts";

/**
 * Serves a document that does not change while the process lives. The first request writes the document. Its bytes are
 * cached and shared by all answers.
 */
export function constantDocument(contentType: string, write: () => string): (c: HonoContext) => Response {
  let cached: { body: Uint8Array<ArrayBuffer>; tag: string } | undefined;
  return (c) => {
    if (!cached) {
      const body = new TextEncoder().encode(write());
      cached = { body, tag: entityTagOf(body) };
    }
    c.header("ETag", cached.tag);
    c.header("Cache-Control", "public, max-age=300");
    if (isKnownTag(c, cached.tag)) return c.body(null, 304);
    return c.body(cached.body, 200, { "Content-Type": contentType });
  };
}
