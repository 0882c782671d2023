import type { Chain } from "../../config/config.ts";

/**
 * Returns the seconds for which a payment must still be valid, so that it is mined in time. The minimum is six, as in x402,
 * or two blocks of a slow chain, which has two or three polls a block. A late payment would waste the service's gas.
 */
export function secondsToMine({ polling_interval }: Pick<Chain, "polling_interval">): bigint {
  return BigInt(Math.max(6, Math.ceil((6 * polling_interval) / 1000)));
}
