import { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { ApiError } from "./api-error.ts";
import { readPreferredWait } from "./preferred-wait.ts";

/** The seconds of a payment's wait that `answerSeconds` includes. */
const includedWaitSeconds = 10;

/**
 * Answers 503 when a node or a database does not answer in time.
 *
 * After this answer, the work of the request commits no transaction. A commit that was sent already, or a statement
 * outside of a transaction, may still take effect, and the answer says so. The time does not include the wait that a
 * request asks for, nor the time in which its sender is slow.
 *
 * @param more seconds beyond the usual time
 */
export function answerInTime(
  { config }: Pick<Context, "config">,
  more = 0,
): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    const waitSeconds =
      readPreferredWait(c, config.buying.waitSeconds) +
      Math.max(0, config.paymentWaitSeconds - includedWaitSeconds);
    const late = Promise.withResolvers<never>();
    const timer = setInterval(
      () => {
        if (isSenderSlow(c)) return;
        c.set("isLate", true);
        late.reject(refuseLate(c));
      },
      (config.answerSeconds + waitSeconds + more) * 1000,
    );
    try {
      await Promise.race([next(), late.promise]);
    } finally {
      clearInterval(timer);
    }
  };
}

/** Whether the body of the request is being read and is not complete. */
function isSenderSlow(c: HonoContext): boolean {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  return incoming instanceof IncomingMessage && incoming.readableDidRead && !incoming.complete;
}

function refuseLate(c: HonoContext<{ Variables: Variables }>): ApiError {
  if (c.get("writes")) {
    return new ApiError(
      "outcome_unknown",
      "The request took too long. Its change, or a part of it, may still be made. Repeat the request with its Idempotency-Key. Without a key, first read the resource that it would change: for an order, the newest of `GET /orders`.",
    );
  }
  return new ApiError(
    "dependency_unavailable",
    "The database or the chain did not answer in time. Try again.",
  );
}
