import type { Config } from "../../config/config.ts";
import type { service } from "../../db/schema.ts";

/** The fewest hours to accept a delivery in that a service may offer here. */
export function minAcceptanceHours({ defaultChain }: Pick<Config, "defaultChain">): number {
  return defaultChain?.min_acceptance_hours ?? 1;
}

/** The hours that an order of a service has to accept a delivery in. The minimum of the chain applies to a smaller number. */
export function acceptanceHoursOf(
  { acceptanceHours }: Pick<typeof service.$inferSelect, "acceptanceHours">,
  config: Pick<Config, "defaultChain">,
): number {
  return Math.max(acceptanceHours, minAcceptanceHours(config));
}
