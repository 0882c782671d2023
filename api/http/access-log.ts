import { randomUUID } from "node:crypto";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { traced } from "../../config/tracing.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { readClientAddress } from "./client-address.ts";
import { countRequest } from "./request-counts.ts";

/** A name that a caller gave its request, as far as it may stand in our log. */
const wellShaped = /^[\w.-]{1,64}$/;

/**
 * Gives each request an id and writes one line of it into the log: what was asked of which route, by whom, and how it
 * ended. Neither paths nor bodies nor headers are written, and so nothing that is secret.
 *
 * The id is always ours, so that nobody can pass a request off as another; a caller's `X-Request-ID` stands beside it.
 */
export function followRequests({ config, log }: Context): MiddlewareHandler<{ Variables: Variables }> {
  return (c, next) =>
    // A caller's own trace is not taken over: strangers would write into ours.
    traced({ name: c.req.method, kind: "server" }, async (tell) => {
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
      tell?.({
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

/** The pattern of the route that was meant, as in `/api/v1/agents/:slug`; null where there is none. */
function routeOf(c: HonoContext): string | null {
  return matchedRoutes(c).find(({ path }) => !path.includes("*"))?.path ?? null;
}
