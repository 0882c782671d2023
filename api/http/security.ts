import { createHash } from "node:crypto";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { matchedRoutes } from "hono/route";
import type { Context } from "../context.ts";
import type { App, Variables } from "../variables.ts";
import { readToken } from "./access.ts";
import { ApiError } from "./api-error.ts";
import { hasBody } from "./request-body.ts";

/** What answers say to browsers and caches. A route's own word, as a page's `Content-Security-Policy`, stands. */
export function secureAnswers({ config }: Context): MiddlewareHandler<{ Variables: Variables }> {
  const always: Record<string, string> = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    // Data, for anybody's program: nothing in it is to run, and no page is to frame it.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    ...(config.publicUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
  };
  return async (c, next) => {
    // Ponder opens all paths to pages of every origin; `openToOrigins` opens those that are for them.
    c.header("Access-Control-Allow-Origin", undefined);
    // Before the answer is made: added to one that stands, each would have Hono make it anew.
    for (const name in always) c.header(name, always[name]);
    await next();
    const { headers, status } = c.res;
    assure(headers, always);
    // What a token was sent for, and what a write says, is its caller's alone.
    const isPrivate = readToken(c) !== undefined || !["GET", "HEAD"].includes(c.req.method);
    if (isPrivate || status >= 400) assure(headers, { "Cache-Control": "no-store" });
  };
}

/** Adds these headers where an answer lacks them: one that a route made by itself, without what was set before. */
function assure(headers: Headers, wanted: Readonly<Record<string, string>>): void {
  for (const name in wanted) {
    if (!headers.has(name)) headers.set(name, wanted[name] as string);
  }
}

/** The `Content-Security-Policy` of a page to read: this one style, no script, nothing from any host. */
export function policyOfText(style: string): string {
  const hash = createHash("sha256").update(style).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

const shownToPages = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": [
    "ETag",
    "Idempotent-Replayed",
    "Link",
    "Location",
    "PAYMENT-REQUIRED",
    "PAYMENT-RESPONSE",
    "Preference-Applied",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "WWW-Authenticate",
    "X-Request-ID",
  ].join(),
} as const;

const preflight = cors({ origin: "*", maxAge: 86_400 });

/**
 * Lets pages of any origin call: what they may do depends on the token they send, and no cookie ever stands in for one.
 */
export const openToOrigins: MiddlewareHandler = async (c, next) => {
  for (const [name, value] of Object.entries(shownToPages)) c.header(name, value);
  // The library's own would begin an answer before the route does, which Hono then copies.
  if (c.req.method === "OPTIONS") return preflight(c, next);
  await next();
  assure(c.res.headers, shownToPages);
};

/** The answer to a request for which there is no route: 405 with `Allow` where the path has others, else 404. */
export function refuseUnknown(app: App): (c: HonoContext) => never {
  let known: { path: RegExp; method: string }[] | undefined;
  return (c) => {
    known ??= app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ path, method }) => ({ path: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`), method }));
    const methods = new Set(known.filter(({ path }) => path.test(c.req.path)).map(({ method }) => method));
    if (methods.size === 0) throw new ApiError("not_found", "There is nothing at this path.");
    if (methods.has("GET")) methods.add("HEAD");
    const allowed = [...methods, "OPTIONS"].sort().join(", ");
    c.header("Allow", allowed);
    throw new ApiError("method_not_allowed", `This path takes ${allowed}, not ${c.req.method}.`);
  };
}

/** Refuses a request that may have a body and has no route, before its body is read: bodies count only where routes are. */
export function refuseUntaken(app: App): MiddlewareHandler {
  const refuse = refuseUnknown(app);
  return async (c, next) => {
    const isTaken = matchedRoutes(c).some(({ method }) => method === c.req.method);
    if (hasBody(c.req.method) && !isTaken) refuse(c);
    await next();
  };
}
