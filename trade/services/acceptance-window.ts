import type { Chain } from "../../config/config.ts";
import type { service as serviceTable } from "../../db/schema.ts";
import { vouchersOnly } from "../../protocol/settlement/terms.ts";

/** Returns the minimum of a service's acceptance window, in hours. */
export function minAcceptanceHours({
  defaultChain,
}: {
  defaultChain?: Pick<Chain, "min_acceptance_hours"> | undefined;
}): number {
  return defaultChain?.min_acceptance_hours ?? 1;
}

/** Returns the acceptance window of an order, in seconds. A session has none, because vouchers alone pay it. */
export function acceptanceWindowOf(
  service: Pick<typeof serviceTable.$inferSelect, "acceptanceHours" | "pricingModel">,
  chain: Pick<Chain, "min_acceptance_hours">,
): number {
  return service.pricingModel === "per_call" ? vouchersOnly : acceptanceHoursOf(service, chain) * 3600;
}

/** Returns the acceptance window of an order, in hours: the service's, but at least the chain's minimum. */
export function acceptanceHoursOf(
  { acceptanceHours }: Pick<typeof serviceTable.$inferSelect, "acceptanceHours">,
  chain: Pick<Chain, "min_acceptance_hours"> | undefined,
): number {
  return Math.max(acceptanceHours, minAcceptanceHours({ defaultChain: chain }));
}
