import type { App, Context } from "../context.ts";
import { addAgentRoutes } from "./agents.ts";
import { addCapabilities } from "./capabilities.ts";
import { addDomains } from "./domain.ts";
import { addIdentities } from "./erc8004.ts";
import { addAgentStatus } from "./status.ts";

/** Agents, their status, capabilities, on-chain identities and domains. */
export function addAgents(api: App, context: Context): void {
  addAgentRoutes(api, context);
  addAgentStatus(api, context);
  addCapabilities(api);
  addIdentities(api, context);
  addDomains(api, context);
}
