import { createRoute, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { App } from "../variables.ts";
import { ApiError } from "./api-error.ts";

/** So many faults are named of one query: a short one may have thousands. */
const mostNamed = 10;

type Route = Parameters<typeof createRoute>[0];

/**
 * Has every operation that is added from now on refuse parameters of the query that it does not know, as unknown
 * members of bodies are refused: a filter with a slip of the pen would else be a list of everything.
 */
export function refuseUnknownParameters(app: App): void {
  const add = app.openapi.bind(app) as (route: Route, ...rest: unknown[]) => App;
  app.openapi = ((route: Route, ...rest: unknown[]) => {
    const query = route.request?.query;
    const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
    const before = [route.middleware ?? []].flat() as MiddlewareHandler[];
    return add(createRoute({ ...route, middleware: [...before, refuseOthers(known)] }), ...rest);
  }) as App["openapi"];
}

function refuseOthers(known: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    const unknown = Object.keys(c.req.query()).filter((name) => !known.includes(name));
    if (unknown.length > 0) {
      const message = known.length > 0 ? `is none of ${known.join(", ")}` : "is unknown: there are none here";
      const named = unknown.length > mostNamed ? unknown.slice(0, mostNamed - 1) : unknown;
      const others = `${unknown.length - named.length} other parameters are unknown too`;
      throw new ApiError(
        "invalid_request",
        "The request's query has a parameter that this operation does not know.",
        [
          ...named.map((name) => ({ path: `/${name}`, keyword: "unrecognized_keys", message })),
          ...(named.length < unknown.length
            ? [{ path: "", keyword: "unrecognized_keys", message: others }]
            : []),
        ],
      );
    }
    await next();
  };
}
