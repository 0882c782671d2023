import type { Context as HonoContext } from "hono";
import { entityTagOf, isKnownTag } from "./etag.ts";

/**
 * Serves a document that does not change while the process lives. The first request writes the document. Its bytes are
 * cached and shared by all answers.
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
