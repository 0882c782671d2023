import type { Context as HonoContext } from "hono";
import { etag } from "hono/etag";
import type { Context } from "../context.ts";
import { scopes } from "../http/caller.ts";
import type { App, Variables } from "../variables.ts";

/** The path of MCP, below the public URL. */
export const mcpPath = "/mcp";

const metadataPath = "/.well-known/oauth-protected-resource";

/**
 * Serves the OAuth metadata of the MCP endpoint (RFC 9728). There is no authorization server: an owner creates a key in the
 * console, chooses its scopes, and gives it to the program.
 */
export function addResourceMetadata(app: App, { config }: Context): void {
  const metadata = {
    resource: `${config.publicUrl}${mcpPath}`,
    resource_name: "Earnest",
    bearer_methods_supported: ["header"],
    scopes_supported: Object.keys(scopes),
    resource_documentation: `${config.publicUrl}/keys`,
  };
  // The well-known name comes before the resource's path (section 3.1). Many clients request the well-known name alone.
  for (const path of [metadataPath, `${metadataPath}${mcpPath}`]) {
    app.get(path, etag(), (c) => c.json(metadata, 200, { "Cache-Control": "public, max-age=300" }));
  }
}

/** Sets the challenge for a client without a valid key (RFC 6750, section 3; RFC 9728, section 5.1). */
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
