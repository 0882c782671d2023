import { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { ApiError } from "./api-error.ts";
import { readPreferredWait } from "./prefer.ts";

/** The seconds of a payment's wait that are part of the time in which a request is answered. */
const usualWait = 10;

/**
 * Answers 503 when what a request needs does not answer in time: a node or a database may hang for longer than any client
 * waits. After this answer, the work of the request commits no transaction. A commit that was sent already, or a statement
 * outside of a transaction, may still take effect, and the answer says so. The time that a request asks to wait is not
 * counted, nor the time in which its sender is slow.
 *
 * @param more seconds that a request may take beyond the usual time
 */
export function answerInTime(
  { config }: Pick<Context, "config">,
  more = 0,
): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    const waits =
      readPreferredWait(c, config.buying.waitSeconds) + Math.max(0, config.paymentWaitSeconds - usualWait);
    const late = Promise.withResolvers<never>();
    const timer = setInterval(
      () => {
        if (isSenderSlow(c)) return;
        c.set("isLate", true);
        late.reject(refuseLate(c));
      },
      (config.answerSeconds + waits + more) * 1000,
    );
    try {
      await Promise.race([next(), late.promise]);
    } finally {
      clearInterval(timer);
    }
  };
}

/** Whether a body is being read that has not come. */
function isSenderSlow(c: HonoContext): boolean {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  return incoming instanceof IncomingMessage && incoming.readableDidRead && !incoming.complete;
}

function refuseLate(c: HonoContext<{ Variables: Variables }>): ApiError {
  if (c.get("writes")) {
    return new ApiError(
      "outcome_unknown",
      "This takes too long, and it, or a part of it, may still be made. Send the same request with its Idempotency-Key again. Without one, first read what it would have made: for an order the newest of `GET /orders`.",
    );
  }
  return new ApiError(
    "dependency_unavailable",
    "The database or the chain takes too long to answer. Try again.",
  );
}
