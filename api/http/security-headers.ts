import { createHash } from "node:crypto";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { matchedRoutes } from "hono/route";
import type { Context } from "../context.ts";
import type { App, Variables } from "../variables.ts";
import { carriesToken } from "./access-tokens.ts";
import { ApiError } from "./api-error.ts";
import { hasBody, isUpload } from "./request-body.ts";

/** Sets the security headers of answers. A header that the route sets itself, such as a page's `Content-Security-Policy`, stays. */
export function secureAnswers({ config }: Context): MiddlewareHandler<{ Variables: Variables }> {
  const always: Record<string, string> = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    // API answers are data for any program. They may not run code, and no page may frame them.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    ...(config.publicUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
  };
  return async (c, next) => {
    // Ponder allows pages of every origin on all paths. `openToOrigins` allows them only on the paths meant for them.
    c.header("Access-Control-Allow-Origin", undefined);
    // The headers are set before the answer exists: afterwards, Hono would copy the answer for each header.
    for (const name in always) c.header(name, always[name]);
    await next();
    const { headers, status } = c.res;
    setMissing(headers, always);
    // Answers to a token and answers to writes are private to the caller.
    const isPrivate = carriesToken(c) || !["GET", "HEAD"].includes(c.req.method);
    if (isPrivate || status >= 400) setMissing(headers, { "Cache-Control": "no-store" });
  };
}

/** Adds missing headers to an answer, such as one that a route made without the headers set before it. */
function setMissing(headers: Headers, missing: Readonly<Record<string, string>>): void {
  for (const name in missing) {
    if (!headers.has(name)) headers.set(name, missing[name] as string);
  }
}

/** The `Content-Security-Policy` of a text page: this style only, no script, and nothing from any host. */
export function policyOfText(style: string): string {
  const hash = createHash("sha256").update(style).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

const corsHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": [
    "ETag",
    "Idempotent-Replayed",
    "Link",
    "Location",
    "PAYMENT-REQUIRED",
    "PAYMENT-RESPONSE",
    "Payment-Receipt",
    "Preference-Applied",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Tus-Resumable",
    "Upload-Expires",
    "Upload-Length",
    "Upload-Offset",
    "WWW-Authenticate",
    "X-Request-ID",
  ].join(),
} as const;

const preflight = cors({ origin: "*", maxAge: 86_400 });

/**
 * Allows pages of any origin to call, without credentials: their rights depend on the token that they send. No answer has
 * `Access-Control-Allow-Credentials`, so no other origin may send or use the cookie of a session.
 */
export const openToOrigins: MiddlewareHandler = async (c, next) => {
  for (const [name, value] of Object.entries(corsHeaders)) c.header(name, value);
  // An OPTIONS request without this header is no preflight: tus asks for the server's abilities, which the route answers.
  const isTusOptions = isUpload(c.req.path) && c.req.header("access-control-request-method") === undefined;
  // `cors` answers preflights only: before a route it would start an answer, which Hono then copies.
  if (c.req.method === "OPTIONS" && !isTusOptions) return preflight(c, next);
  await next();
  setMissing(c.res.headers, corsHeaders);
};

/** Refuses a request that no route handles: 405 with `Allow` if the path has other methods, otherwise 404. */
export function refuseUnknownPath(app: App): (c: HonoContext) => never {
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
    throw new ApiError("method_not_allowed", `This path accepts ${allowed}, not ${c.req.method}.`);
  };
}

/** Refuses a request without a route before its body is read, because only bodies of routes are counted. */
export function refuseUnrouted(app: App): MiddlewareHandler {
  const refuse = refuseUnknownPath(app);
  return async (c, next) => {
    const isRouted = matchedRoutes(c).some(({ method }) => method === c.req.method);
    if (hasBody(c.req.method) && !isRouted) refuse(c);
    await next();
  };
}
