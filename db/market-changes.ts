/** The channel on which PostgreSQL tells what of the market was changed, at each commit (migration `market_wake`). */
export const marketChannel = "earnest_market";

/**
 * What was changed: an agent or a service of it; or only what is found beside an agent, at its endpoint or on chain. Null
 * for what no trigger tells.
 */
export function readMarketChange(told: string): { agentId: string; isBeside: boolean } | null {
  const [kind = "", agentId = ""] = told.split(" ");
  return kind === "agent" || kind === "beside" ? { agentId, isBeside: kind === "beside" } : null;
}
