import type { Context as HonoContext } from "hono";
import type { App, Variables } from "../variables.ts";

/** Headers that carry the origin of a request. */
const originHeaders = ["x-forwarded-for"];

/**
 * Sends a request to this app over the connection of the outer request. The promise fails at the time `until`.
 */
export function callApp(app: App, c: HonoContext<{ Variables: Variables }>, until: number): typeof fetch {
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    for (const name of originHeaders) {
      const value = c.req.header(name);
      if (value !== undefined) headers.set(name, value);
    }
    // The log shows this id beside the id of the inner request.
    headers.set("x-request-id", c.get("requestId"));
    const late = Promise.withResolvers<never>();
    const reason = new Error("the service did not answer in time");
    const timer = setTimeout(() => late.reject(reason), until - performance.now());
    try {
      return await Promise.race([
        app.fetch(new Request(url as string, { ...init, headers }), c.env),
        late.promise,
      ]);
    } finally {
      clearTimeout(timer);
    }
  };
}
