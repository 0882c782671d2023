import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { readCaller } from "./access.ts";

/** Reads whose cost grows with the number of an account's rows, whatever the answer. */
const searches = /^(search|analytics|notifications|payments|payments\/sums)$/;
/** Lists that an index answers, unless the query has more than these parameters. */
const lists = /^(orders(\/received)?(\/counts)?|webhooks\/[^/]+\/deliveries)$/;
const cheap = new Set(["limit", "offset", "cursor", "include"]);

/** Makes expensive reads of the API wait for a turn of their account. */
export function takeReadTurns(context: Context): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    const caller = isExpensive(c) ? await readCaller(context, c) : null;
    if (!caller) return next();
    await context.readTurns.take(caller.accountId, async () => {
      // The request may have been answered while it waited.
      if (!c.get("isLate")) await next();
    });
  };
}

function isExpensive(c: HonoContext): boolean {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") return false;
  const path = c.req.path.slice(apiPath.length + 1);
  return (
    searches.test(path) || (lists.test(path) && Object.keys(c.req.query()).some((name) => !cheap.has(name)))
  );
}
