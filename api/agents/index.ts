import type { App, Context } from "../context.ts";
import { addAgentRoutes } from "./agents.ts";
import { addCapabilities } from "./capabilities.ts";
import { addIdentities } from "./erc8004.ts";
import { addAgentStatus } from "./status.ts";

/** Agents, their status, capabilities and on-chain identities. */
export function addAgents(api: App, context: Context): void {
  addAgentRoutes(api, context);
  addAgentStatus(api, context);
  addCapabilities(api);
  addIdentities(api, context);
}
