import { hash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { VersionCheck } from "../../trade/agents/own-agent.ts";
import { ApiError } from "./api-error.ts";

/**
 * The strong entity tag of an answer (RFC 9110, section 8.8.3). If the resource has versions, the first part of its tag
 * counts the owner's changes. `If-Match` compares this part alone, so a completed order does not refuse a write.
 * `If-None-Match` compares the whole tag.
 *
 * @param body the JSON as it is sent
 */
export function entityTagOf(body: string | Uint8Array, version?: number): string {
  const digest = hash("sha256", body, "base64url").slice(0, 22);
  return version === undefined ? `"${digest}"` : `"${version}.${digest}"`;
}

/** The most characters of a list of tags in a header. */
export const longestTags = 1000;

/** The header of a request that changes a resource with versions. */
export const ifMatchHeader = z.object({
  "if-match": z.string().max(longestTags).optional().openapi({
    description: "the `ETag` of the version that you read: 412 if the resource was changed since",
  }),
});

/** The header of a request that reads a resource with versions. */
export const ifNoneMatchHeader = z.object({
  "if-none-match": z
    .string()
    .max(longestTags)
    .optional()
    .openapi({ description: "the `ETag` of an earlier answer: 304 if the answer is the same" }),
});

/** The response of a route whose resource has not changed since the tag that was sent. */
export const notModified = { 304: { description: "Unchanged since the answer with this `If-None-Match`" } };

/**
 * Creates the check that `If-Match` names a version. A missing header matches everything, a weak tag nothing. The check throws
 * ApiError `precondition_failed`.
 */
export function createVersionCheck(ifMatch: string | undefined): VersionCheck {
  return (version) => {
    if (ifMatch === undefined || ifMatch.trim() === "*") return;
    if (tagsOf(ifMatch).some((tag) => tag.startsWith(`"${version}.`))) return;
    throw new ApiError(
      "precondition_failed",
      "The resource was changed since you read it. Read it again, and send its new ETag as If-Match.",
    );
  };
}

/** Whether the caller has the answer with this tag already, so that 304 is enough. */
export function isKnownTag(c: HonoContext, tag: string): boolean {
  const known = c.req.header("if-none-match");
  if (known === undefined) return false;
  // `If-None-Match` compares weakly: proxies mark tags as weak when they compress.
  return known.trim() === "*" || tagsOf(known).some((sent) => sent.replace(/^W\//, "") === tag);
}

/** Sets the header `ETag` of the answer. */
export function setTag(c: HonoContext, version: number, shown: unknown): void {
  c.header("ETag", entityTagOf(JSON.stringify(shown), version));
}

function tagsOf(header: string): string[] {
  return header.split(",").map((tag) => tag.trim());
}
