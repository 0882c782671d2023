import { randomUUID } from "node:crypto";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { inSpan } from "../../config/tracing.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { readClientAddress } from "./client-address.ts";
import { countRequest } from "./request-counts.ts";

/** The form of a caller's request id that may be written to our log. */
const wellShaped = /^[\w.-]{1,64}$/;

/**
 * Gives each request an id and logs one line for it: method, route, caller, status and time. Paths, bodies and headers are
 * not logged, because they may hold secrets.
 *
 * The id is always ours, so that nobody can pass a request off as another. A caller's `X-Request-ID` is logged beside it.
 */
export function logRequests({ config, log }: Context): MiddlewareHandler<{ Variables: Variables }> {
  return (c, next) =>
    // A caller's trace id is ignored: otherwise callers could write into our traces.
    inSpan({ name: c.req.method, kind: "server" }, async (updateSpan) => {
      const started = performance.now();
      const requestId = createRequestId();
      c.set("requestId", requestId);
      c.set("clientAddress", readClientAddress(c, config.trustedProxies));
      c.header("X-Request-ID", requestId);
      await next();
      const caller = c.get("caller") ?? c.get("recognised");
      const named = c.req.header("x-request-id");
      const [route, took] = [routeOf(c), performance.now() - started];
      countRequest(c.req.method, route, c.res.status, took);
      updateSpan?.({
        name: `${c.req.method} ${route ?? "unknown"}`,
        attributes: { "http.response.status_code": c.res.status, "earnest.request_id": requestId },
      });
      log.info(
        {
          request_id: requestId,
          method: c.req.method,
          route,
          status: c.res.status,
          ms: Math.round(took),
          client_address: c.get("clientAddress"),
          account_id: caller?.accountId,
          credential_id: caller?.credentialId,
          caller_request_id: named !== undefined && wellShaped.test(named) ? named : undefined,
        },
        "request",
      );
    });
}

export const createRequestId = () => `req_${randomUUID().replaceAll("-", "")}`;

/** The pattern of the route that handled the request, as in `/api/v1/agents/:slug`; null if no route did. */
function routeOf(c: HonoContext): string | null {
  return matchedRoutes(c).find(({ path }) => !path.includes("*"))?.path ?? null;
}
