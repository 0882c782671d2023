import { createRoute, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { App } from "../variables.ts";
import { ApiError } from "./api-error.ts";

/** The most unknown parameters that an error names. A short query may have thousands. */
const mostNamed = 10;

type Route = Parameters<typeof createRoute>[0];

/**
 * Makes every later operation of `app` refuse unknown query parameters, as bodies refuse unknown members. Otherwise a
 * misspelt filter would list everything.
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
      const message =
        known.length > 0
          ? `is not one of ${known.join(", ")}`
          : "is unknown: this operation has no parameters";
      const named = unknown.length > mostNamed ? unknown.slice(0, mostNamed - 1) : unknown;
      const others = `${unknown.length - named.length} other parameters are unknown too`;
      throw new ApiError("invalid_request", `The query has an unknown parameter: \`${unknown[0]}\`.`, [
        ...named.map((name) => ({ path: `/${name}`, keyword: "unrecognized_keys", message })),
        ...(named.length < unknown.length
          ? [{ path: "", keyword: "unrecognized_keys", message: others }]
          : []),
      ]);
    }
    await next();
  };
}
