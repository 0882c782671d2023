import type { Config } from "../../config/config.ts";
import type { service } from "../../db/schema.ts";

/** Returns the minimum of a service's acceptance window, in hours. */
export function minAcceptanceHours({ defaultChain }: Pick<Config, "defaultChain">): number {
  return defaultChain?.min_acceptance_hours ?? 1;
}

/** Returns the acceptance window of an order, in hours: the service's, but at least the chain's minimum. */
export function acceptanceHoursOf(
  { acceptanceHours }: Pick<typeof service.$inferSelect, "acceptanceHours">,
  config: Pick<Config, "defaultChain">,
): number {
  return Math.max(acceptanceHours, minAcceptanceHours(config));
}
