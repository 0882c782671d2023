import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { Context as HonoContext } from "hono";
import type { RpcRefusal } from "../../clients/typescript/mcp/rpc-messages.ts";
import type { ToolContext } from "../../clients/typescript/mcp/tool-context.ts";
import { isParty } from "../../trade/fair-shares/funded-party.ts";
import type { Context } from "../context.ts";
import { readCaller } from "../http/access.ts";
import { readToken } from "../http/access-tokens.ts";
import { ApiError } from "../http/api-error.ts";
import type { Caller } from "../http/caller.ts";
import { originOf } from "../http/client-address.ts";
import type { App, Variables } from "../variables.ts";
import { accountMcpPath, addResourceMetadata, mcpPaths, setChallenge } from "./resource-metadata.ts";
import type { createToolContext } from "./tool-context.ts";
import { needsApiKey, readMethod } from "./tool-scopes.ts";
import { createToolWaits, defaultWaitLimits } from "./tool-waits.ts";

type RequestContext = HonoContext<{ Variables: Variables }>;

/**
 * Serves MCP over streamable HTTP, in the revision 2026-07-28 and those of 2025. Each request has one answer, and no state
 * remains between requests. API keys are bearer tokens. Without a key, the public tools work and all others answer 401.
 */
export function addMcp(app: App, context: Context, bounds = defaultWaitLimits): void {
  addResourceMetadata(app, context);
  const waits = createToolWaits(bounds, (accountId) => isParty(context.db, accountId));
  const toolContexts = new WeakMap<Request, ToolContext>();
  let loaded: Promise<Served> | undefined;

  const serveMessage = async (c: RequestContext) => {
    requireOwnOrigin(c, context);
    const caller = await findCaller(c, context);
    loaded ??= load(context, toolContexts).catch((error) => {
      loaded = undefined;
      throw error;
    });
    const { handler, needsKey, openToolContext, readMcpBody, findRefusal, isOfParams, writeRefusal } =
      await loaded;
    const refuse = (refusal: RpcRefusal) => c.json(writeRefusal(refusal), isOfParams(refusal) ? 200 : 400);
    const read = await readMcpBody(c);
    if ("refusal" in read) return refuse(read.refusal);
    const { message } = read;
    if (!caller && (c.req.path === accountMcpPath || needsApiKey(message, needsKey))) {
      setChallenge(c, context);
      throw new ApiError(
        "unauthenticated",
        `This call needs a token: connect by OAuth, or create an API key at ${context.config.publicUrl}/keys. Send it as \`Authorization: Bearer ...\`.`,
      );
    }
    const wrong = findRefusal(message);
    if (wrong) return refuse(wrong);
    const origin = originOf(c);
    // Without a key, an address has as many slots as an account.
    const accountId = caller?.accountId ?? `address ${origin.address ?? "unknown"}`;
    const waiting = { longest: bounds.longest, acquire: waits({ accountId, ...origin }) };
    const toolContext = openToolContext(app, context, { c, caller, waits: waiting });
    const serve = async (request: Request) => {
      toolContexts.set(request, toolContext);
      return await handler.fetch(request, { parsedBody: message });
    };
    const isListening = readMethod(message) === "subscriptions/listen";
    const response = await (isListening ? listen(c.req.raw, toolContext, serve) : serve(c.req.raw));
    const answer = new Response(response.body, response);
    // The proxy must pass a stream on as it comes.
    answer.headers.set("X-Accel-Buffering", "no");
    return answer;
  };
  for (const path of mcpPaths) app.post(path, serveMessage);
}

type Messages = typeof import("../../clients/typescript/mcp/rpc-messages.ts");
type Served = Pick<Messages, "findRefusal" | "isOfParams" | "writeRefusal"> & {
  readMcpBody: typeof import("./message-body.ts").readMcpBody;
  handler: McpHttpHandler;
  needsKey: (tool: string) => boolean | undefined;
  openToolContext: typeof createToolContext;
};

/** Loads the MCP modules at the first request, because most of the time of a start is loading. */
async function load({ log }: Context, toolContexts: WeakMap<Request, ToolContext>): Promise<Served> {
  const [
    { createMcpHandler },
    { createServer, needsKey },
    { createToolContext: openToolContext },
    { readMcpBody },
    { findRefusal, isOfParams, writeRefusal },
  ] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("../../clients/typescript/mcp/server.ts"),
    import("./tool-context.ts"),
    import("./message-body.ts"),
    import("../../clients/typescript/mcp/rpc-messages.ts"),
  ]);
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const toolContext = requestInfo && toolContexts.get(requestInfo);
      if (!toolContext) throw new Error("This MCP request has no context: it did not pass the route.");
      return createServer(toolContext);
    },
    {
      onerror: (error) => log.debug({ err: error }, "MCP request refused"),
    },
  );
  return { readMcpBody, findRefusal, isOfParams, writeRefusal, handler, needsKey, openToolContext };
}

/**
 * Finds the caller by the API key; null if no token was sent.
 *
 * @throws ApiError `unauthenticated` for an invalid token, and for a session: a program gets a key with no more scopes than
 *   it needs
 */
async function findCaller(c: RequestContext, context: Context): Promise<Caller | null> {
  if (readToken(c) === undefined && c.req.header("authorization") === undefined) return null;
  const caller = await readCaller(context, c);
  if (caller?.scopes) return caller;
  setChallenge(c, context, "invalid_token");
  throw new ApiError(
    "unauthenticated",
    caller
      ? `MCP accepts no session token: create a key at ${context.config.publicUrl}/keys with the scopes that the program needs.`
      : "This token is unknown, expired or revoked. Connect again, or send another key.",
  );
}

/**
 * Serves a stream of changes, in a slot for waiting calls and for at most their time. The listed tools never change.
 *
 * @throws ApiError `too_many_streams`
 */
async function listen(
  request: Request,
  { waits }: ToolContext,
  serve: (request: Request) => Promise<Response>,
): Promise<Response> {
  let leave: () => void;
  try {
    leave = await waits.acquire();
  } catch (error) {
    throw new ApiError("too_many_streams", (error as Error).message, undefined, waits.longest);
  }
  const ended = AbortSignal.any([request.signal, AbortSignal.timeout(waits.longest * 1000)]);
  ended.addEventListener("abort", leave, { once: true });
  const { method, headers, url } = request;
  const response = await serve(new Request(url, { method, headers, signal: ended }));
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) leave();
  return response;
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Refuses pages of other origins. A page whose name resolves to this machine could call from its reader's browser (DNS
 * rebinding). Programs send no `Origin`. A service on this machine accepts all loopback names.
 *
 * @throws ApiError `forbidden_origin`
 */
function requireOwnOrigin(c: RequestContext, { config }: Context): void {
  const origin = c.req.header("origin");
  if (origin === undefined) return;
  const own = new URL(config.publicUrl).hostname;
  const hosts = loopback.includes(own) ? loopback : [own];
  if (hosts.includes(URL.parse(origin)?.hostname ?? "")) return;
  throw new ApiError(
    "forbidden_origin",
    "Pages of other origins may not use MCP. Call from a program: programs send no header Origin.",
  );
}
