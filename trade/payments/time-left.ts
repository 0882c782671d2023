import type { Chain } from "../../config/config.ts";

/**
 * Seconds that a payment must still be good for, to be mined by then: six, as x402 has it, and two blocks of a slow chain,
 * whose polls are two or three to a block. What comes later costs the service its gas for nothing.
 */
export function secondsToMine({ polling_interval }: Pick<Chain, "polling_interval">): bigint {
  return BigInt(Math.max(6, Math.ceil((6 * polling_interval) / 1000)));
}
