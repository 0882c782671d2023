import type { Transaction } from "./client.ts";
import { wake } from "./wakes.ts";

/**
 * The channel that tells what of the market was changed: triggers tell it at each commit (migration `market_wake`), but for
 * the counts of orders.
 */
export const marketChannel = "earnest_market";

/** Tells, after the commit, that an agent has more or fewer completed orders than before. */
export async function tellOfOrders(tx: Transaction, agentId: string): Promise<void> {
  await wake(tx, marketChannel, `agent ${agentId}`);
}

/**
 * What was changed: an agent or a service of it; or only what is found beside an agent, at its endpoint or on chain. Null
 * for what tells of no change.
 */
export function readMarketChange(told: string): { agentId: string; isBeside: boolean } | null {
  const [kind = "", agentId = ""] = told.split(" ");
  return kind === "agent" || kind === "beside" ? { agentId, isBeside: kind === "beside" } : null;
}
