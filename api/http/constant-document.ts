import type { Context as HonoContext } from "hono";
import { entityTagOf, isKnownTag } from "./etag.ts";

/**
 * Answers with a document that stays the same as long as the process lives. The document is written at the first request
 * and kept as bytes: answers that nobody reads share these bytes.
 */
export function constantDocument(contentType: string, write: () => string): (c: HonoContext) => Response {
  let kept: { body: Uint8Array<ArrayBuffer>; tag: string } | undefined;
  return (c) => {
    if (!kept) {
      const body = new TextEncoder().encode(write());
      kept = { body, tag: entityTagOf(body) };
    }
    c.header("ETag", kept.tag);
    c.header("Cache-Control", "public, max-age=300");
    if (isKnownTag(c, kept.tag)) return c.body(null, 304);
    return c.body(kept.body, 200, { "Content-Type": contentType });
  };
}
