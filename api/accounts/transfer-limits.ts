import type { Context as HonoContext } from "hono";
import { isParty } from "../../trade/fair-shares/funded-party.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { originOf } from "../http/client-address.ts";
import { createClientCounter } from "../http/client-counter.ts";
import type { Variables } from "../variables.ts";

/**
 * The most transfers in an hour of accounts that bought and sold nothing: of one account and in all. A transfer keeps its
 * sender's money, unlike a payment, so money that goes around new accounts would use up the gas for payments of others.
 */
export const freeTransfers = { window: 3600, own: 3, inAll: 100 } as const;

/** Makes the counter of transfers that the service pays for, which throws ApiError `rate_limited`. */
export function createTransferCounter(context: Context) {
  const countOwn = createClientCounter(context, freeTransfers);

  return async function count(c: HonoContext<{ Variables: Variables }>): Promise<void> {
    const { accountId } = callerOf(c);
    if (await isParty(context.db, accountId)) return;
    const seconds = await countOwn("free_transfer", { name: accountId, network: originOf(c).network });
    if (seconds === null) return;
    const message = `The service pays for few transfers of accounts without a funded order. Try again in ${seconds} s, or send the call from another wallet.`;
    throw new ApiError("rate_limited", message, undefined, seconds);
  };
}
