import type { Chain } from "../../config/config.ts";
import type { service } from "../../db/schema.ts";

/** Returns the minimum of a service's acceptance window, in hours. */
export function minAcceptanceHours({
  defaultChain,
}: {
  defaultChain?: Pick<Chain, "min_acceptance_hours"> | undefined;
}): number {
  return defaultChain?.min_acceptance_hours ?? 1;
}

/** Returns the acceptance window of an order, in hours: the service's, but at least the chain's minimum. */
export function acceptanceHoursOf(
  { acceptanceHours }: Pick<typeof service.$inferSelect, "acceptanceHours">,
  chain: Pick<Chain, "min_acceptance_hours"> | undefined,
): number {
  return Math.max(acceptanceHours, minAcceptanceHours({ defaultChain: chain }));
}
