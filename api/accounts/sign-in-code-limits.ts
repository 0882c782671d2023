import type { Context as HonoContext } from "hono";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { originOf } from "../http/client-address.ts";
import { createRateLimitStore, shareLimit } from "../http/rate-limit-store.ts";
import type { Variables } from "../variables.ts";

/** The most new codes, and the most uses of codes, in 10 minutes: of one address (of IPv6, one /64) and in all. */
const codeLimits = { window: 600, address: 60, inAll: 20_000 } as const;

/**
 * Counts new codes and uses of codes. These limits apply even if the operator turned rate limits off.
 *
 * @throws ApiError `rate_limited`
 */
export function createCodeCounter(context: Context) {
  const limits = createRateLimitStore(context);

  return async function count(c: HonoContext<{ Variables: Variables }>, what: "new" | "used"): Promise<void> {
    const { address, network } = originOf(c);
    const { window, inAll } = codeLimits;
    const bucket = `sign_in_code ${what}`;
    const shared = shareLimit(
      { bucket, perWindow: inAll, window },
      { kind: "all", part: 1, network, own: codeLimits.address },
    );
    const own = { bucket: `${bucket} ${address}`, perWindow: codeLimits.address, window };
    const taken = await limits.take(address === null ? shared : [own, ...shared]);
    const refused = taken.find(({ allowed }) => !allowed);
    if (!refused) return;
    const seconds = Math.max(1, Math.ceil(refused.retryAfter));
    const message = `Too many codes were ${what === "new" ? "made" : "entered"}. Try again in ${seconds} s.`;
    throw new ApiError("rate_limited", message, undefined, seconds);
  };
}
