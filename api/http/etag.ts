import { hash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { ApiError } from "./api-error.ts";

/**
 * The entity tag of an answer (RFC 9110, section 8.8.3), strong. Where what is shown has versions, its first part counts
 * the owner's changes: a write under `If-Match` is refused for those alone, not for an order that was completed in
 * between. The whole tag answers `If-None-Match`.
 *
 * @param body the JSON as it is sent
 */
export function entityTagOf(body: string | Uint8Array, version?: number): string {
  const digest = hash("sha256", body, "base64url").slice(0, 22);
  return version === undefined ? `"${digest}"` : `"${version}.${digest}"`;
}

/** The longest list of tags that a header may have, in characters. */
export const longestTags = 1000;

/** For the request of a route that changes what has a version. */
export const ifMatchHeader = z.object({
  "if-match": z
    .string()
    .max(longestTags)
    .optional()
    .openapi({ description: "the `ETag` that was read: refused with 412 if the thing was changed since" }),
});

/** For the request of a route that reads what has a version. */
export const ifNoneMatchHeader = z.object({
  "if-none-match": z
    .string()
    .max(longestTags)
    .optional()
    .openapi({ description: "the `ETag` of an earlier answer: 304 if it would be the same" }),
});

/** Among a route's responses: nothing changed since the tag that was sent. */
export const notModified = { 304: { description: "As it was under the `If-None-Match` that was sent" } };

/**
 * Says whether the header names this version. Without a header everything matches; a weak tag never does.
 *
 * @throws ApiError `precondition_failed`
 */
export function requireMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  if (tagsOf(ifMatch).some((tag) => tag.startsWith(`"${version}.`))) return;
  throw new ApiError(
    "precondition_failed",
    "This was changed since you read it: read it again, and send the new ETag as If-Match.",
  );
}

/** Whether the caller has what this tag is of already, and is to be answered 304. */
export function isKnownTag(c: HonoContext, tag: string): boolean {
  const known = c.req.header("if-none-match");
  if (known === undefined) return false;
  // This comparison is the weak one: proxies mark tags as weak when they compress.
  return known.trim() === "*" || tagsOf(known).some((sent) => sent.replace(/^W\//, "") === tag);
}

/** Sets the answer's `ETag`. */
export function setTag(c: HonoContext, version: number, shown: unknown): void {
  c.header("ETag", entityTagOf(JSON.stringify(shown), version));
}

function tagsOf(header: string): string[] {
  return header.split(",").map((tag) => tag.trim());
}
