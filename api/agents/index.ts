import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addDomains } from "./agent-domain.ts";
import { addAgentStatus } from "./agent-status.ts";
import { addAgentRoutes } from "./agents.ts";
import { addCapabilities } from "./capabilities.ts";
import { addIdentities } from "./erc8004.ts";

/** Adds the routes of agents: status, capabilities, on-chain identities and domains. */
export function addAgents(api: App, context: Context): void {
  addAgentRoutes(api, context);
  addAgentStatus(api, context);
  addCapabilities(api);
  addIdentities(api, context);
  addDomains(api, context);
}
