// Checks the scopes of a tool against those of the caller's key.

import type { Scope } from "../src/index.ts";
import { RefusedCall, type ToolContext } from "./tool-context.ts";

/** Tells whether the caller's key has the scopes. */
export function mayUse(
  scopes: readonly Scope[] | null,
  { scopes: held }: Pick<ToolContext, "scopes">,
): boolean {
  if (scopes === null) return true;
  return held !== null && scopes.every((scope) => held.includes(scope));
}

/** @throws RefusedCall with the needed scopes and the page that creates keys */
export function requireScopes(what: string, scopes: readonly Scope[] | null, context: ToolContext): void {
  if (mayUse(scopes, context)) return;
  const needed = scopes?.length ? ` with the scopes ${scopes.join(" and ")}` : "";
  const reason =
    context.scopes === null
      ? "No key was sent."
      : `This key has only: ${context.scopes.join(", ") || "no scope"}.`;
  throw new RefusedCall(
    context.scopes === null ? "unauthenticated" : "insufficient_scope",
    `${what} needs an API key${needed}. ${reason} The account's owner creates a key at ${context.keysUrl} and adds it to this connection's settings. Do not retry before that.`,
  );
}
