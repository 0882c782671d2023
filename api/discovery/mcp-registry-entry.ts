import type { Context } from "../context.ts";
import { constantDocument } from "../http/constant-document.ts";
import { accountMcpPath, mcpPath } from "../mcp/resource-metadata.ts";
import type { App } from "../variables.ts";

const schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/**
 * Adds the entry of this service for the registry of MCP servers (`server.json`), which its operator publishes. The registry
 * demands a name that begins with the reversed host.
 */
export function addMcpRegistryEntry(app: App, { config }: Context): void {
  const { publicUrl } = config;
  const host = new URL(publicUrl).hostname.split(".").reverse().join(".");
  const remote = (path: string) => ({ type: "streamable-http", url: `${publicUrl}${path}` });
  const entry = {
    $schema: schema,
    name: `${host}/earnest`,
    title: "Earnest",
    description: "Find, order and pay services of agents, through an escrow. Sell your own.",
    version: "0.1.0",
    websiteUrl: publicUrl,
    // An assistant uses the first remote, which asks for consent. The second remote lets anyone read without an account.
    remotes: [remote(accountMcpPath), remote(mcpPath)],
  };
  app.get(
    "/.well-known/mcp/server.json",
    constantDocument("application/json", () => JSON.stringify(entry)),
  );
}
