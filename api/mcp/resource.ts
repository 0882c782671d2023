import type { Context as HonoContext } from "hono";
import { etag } from "hono/etag";
import type { Context } from "../context.ts";
import { scopes } from "../http/caller.ts";
import type { App, Variables } from "../variables.ts";

/** Where MCP is served, below the service's address. */
export const mcpPath = "/mcp";

const metadataPath = "/.well-known/oauth-protected-resource";

/**
 * What MCP's endpoint is to OAuth (RFC 9728). It names no authorization server, since there is none: an owner makes keys in
 * the console, with scopes of the owner's choice, and puts one into the program that connects.
 */
export function addResourceMetadata(app: App, { config }: Context): void {
  const metadata = {
    resource: `${config.publicUrl}${mcpPath}`,
    resource_name: "Earnest",
    bearer_methods_supported: ["header"],
    scopes_supported: Object.keys(scopes),
    resource_documentation: `${config.publicUrl}/keys`,
  };
  // The path of the resource follows the well-known name (section 3.1); many look only for the name.
  for (const path of [metadataPath, `${metadataPath}${mcpPath}`]) {
    app.get(path, etag(), (c) => c.json(metadata, 200, { "Cache-Control": "public, max-age=300" }));
  }
}

/** What a client without a good key is told: who asks, and what this endpoint is (RFC 6750, section 3; RFC 9728, 5.1). */
export function challenge(
  c: HonoContext<{ Variables: Variables }>,
  { config }: Context,
  error?: "invalid_token",
): void {
  const metadata = `${config.publicUrl}${metadataPath}${mcpPath}`;
  const parts = [
    'realm="earnest"',
    `resource_metadata="${metadata}"`,
    ...(error ? [`error="${error}"`] : []),
  ];
  c.header("WWW-Authenticate", `Bearer ${parts.join(", ")}`);
}
