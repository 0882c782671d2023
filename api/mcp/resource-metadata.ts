import type { Context as HonoContext } from "hono";
import { etag } from "hono/etag";
import type { Context } from "../context.ts";
import type { Scope } from "../http/caller.ts";
import type { App, Variables } from "../variables.ts";

/** The path of MCP, below the public URL. Without a key, everybody reads there. */
export const mcpPath = "/mcp";

/** The same tools, where each request needs a token: an assistant that is added there asks for consent at once. */
export const accountMcpPath = "/mcp/account";

export const mcpPaths = [mcpPath, accountMcpPath] as const;

const metadataPath = "/.well-known/oauth-protected-resource";

/** The scopes that the tools of MCP use. A program that connects by OAuth can get these. */
export const mcpScopes = [
  "marketplace:read",
  "orders:read",
  "orders:write",
  "subscriptions:read",
] as const satisfies Scope[];

/** Serves the OAuth metadata of the MCP endpoint (RFC 9728). The service is its own authorization server. */
export function addResourceMetadata(app: App, { config }: Context): void {
  const metadataOf = (path: string) => ({
    resource: `${config.publicUrl}${path}`,
    resource_name: "Earnest",
    bearer_methods_supported: ["header"],
    authorization_servers: [config.publicUrl],
    scopes_supported: mcpScopes,
    resource_documentation: `${config.publicUrl}/keys`,
  });
  const serve = (path: string, resource: string) =>
    app.get(path, etag(), (c) =>
      c.json(metadataOf(resource), 200, { "Cache-Control": "public, max-age=300" }),
    );
  // Many clients request the well-known name alone.
  serve(metadataPath, mcpPath);
  // The well-known name comes before the resource's path (section 3.1).
  for (const path of mcpPaths) serve(`${metadataPath}${path}`, path);
}

/** Sets the challenge for a client without a valid key (RFC 6750, section 3; RFC 9728, section 5.1). */
export function setChallenge(
  c: HonoContext<{ Variables: Variables }>,
  { config }: Context,
  error?: "invalid_token",
): void {
  const metadata = `${config.publicUrl}${metadataPath}${c.req.path}`;
  const parts = [
    'realm="earnest"',
    `resource_metadata="${metadata}"`,
    `scope="${mcpScopes.join(" ")}"`,
    ...(error ? [`error="${error}"`] : []),
  ];
  c.header("WWW-Authenticate", `Bearer ${parts.join(", ")}`);
}
