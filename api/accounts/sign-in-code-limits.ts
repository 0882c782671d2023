import type { Context as HonoContext } from "hono";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { originOf } from "../http/client-address.ts";
import { createClientCounter } from "../http/client-counter.ts";
import type { Variables } from "../variables.ts";

/** The most new codes, and the most uses of codes, in 10 minutes: of one address (of IPv6, one /64) and in all. */
const codeLimits = { window: 600, own: 60, inAll: 20_000 } as const;

/** Makes the counter of new codes and of uses of codes, which throws ApiError `rate_limited`. */
export function createCodeCounter(context: Context) {
  const countOwn = createClientCounter(context, codeLimits);

  return async function count(c: HonoContext<{ Variables: Variables }>, what: "new" | "used"): Promise<void> {
    const { address, network } = originOf(c);
    const seconds = await countOwn(`sign_in_code ${what}`, { name: address, network });
    if (seconds === null) return;
    const message = `Too many codes were ${what === "new" ? "made" : "entered"}. Try again in ${seconds} s.`;
    throw new ApiError("rate_limited", message, undefined, seconds);
  };
}
