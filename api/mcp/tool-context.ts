import type { Context as HonoContext } from "hono";
import type { ToolContext } from "../../clients/typescript/mcp/tool-context.ts";
import { Earnest } from "../../clients/typescript/src/index.ts";
import type { Context } from "../context.ts";
import { readToken } from "../http/access-tokens.ts";
import type { Caller } from "../http/caller.ts";
import { callApp } from "../http/inner-request.ts";
import type { App, Variables } from "../variables.ts";
import { grantedScopes } from "./tool-scopes.ts";

type RequestContext = HonoContext<{ Variables: Variables }>;

/**
 * Makes the context of a request's tools: a TypeScript client that calls this app with the caller's key. Each call of a
 * tool is an ordinary request, with scopes, limits and a line in the log.
 */
export function createToolContext(
  app: App,
  { config }: Context,
  { c, caller, waits }: { c: RequestContext; caller: Caller | null; waits: ToolContext["waits"] },
): ToolContext {
  const until = performance.now() + (config.answerSeconds + waits.longest) * 1000;
  const earnest = new Earnest({
    baseUrl: new URL(config.publicUrl).origin,
    ...(caller ? { apiKey: readToken(c) } : {}),
    // The caller decides when to retry. No call waits here meanwhile.
    maxRetries: 0,
    fetch: callApp(app, c, until),
  });
  return {
    earnest,
    scopes: grantedScopes(caller),
    wallet: null,
    keysUrl: `${config.publicUrl}/keys`,
    async verify(receipt) {
      const { valid, issuer, code, message, says, status } = await earnest.receipts.verifyRemotely({
        receipt,
      });
      return { valid, issuer, code, message, says, status, checked_by: "the service" };
    },
    waits,
  };
}
