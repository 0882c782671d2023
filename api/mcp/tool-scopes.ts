// The scopes of a request to MCP. `clients/typescript/mcp/tool-scopes.ts` checks them against the scopes of each tool, for this
// endpoint and for `earnest mcp`. The API then checks them again in each request that a tool makes.

import type { Caller, Scope } from "../http/caller.ts";

/** The scopes that the tools of a request may use; null without a key. */
export function grantedScopes(caller: Caller | null): readonly Scope[] | null {
  return caller ? (caller.scopes ?? []) : null;
}

/**
 * Whether a message needs an API key, so that it is answered 401 without one.
 *
 * @param needsKey whether the tool of this name needs a key; undefined for an unknown tool
 */
export function needsApiKey(message: unknown, needsKey: (tool: string) => boolean | undefined): boolean {
  const { params } = (message ?? {}) as { params?: { name?: unknown; uri?: unknown } };
  const method = readMethod(message);
  if (method === "tools/call") return needsKey(String(params?.name)) === true;
  return method === "resources/read" && /^earnest:\/\/orders\//.test(String(params?.uri));
}

/** The method of a JSON-RPC message. */
export const readMethod = (message: unknown) => (message as { method?: unknown } | null)?.method;
