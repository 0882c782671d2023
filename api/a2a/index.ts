import type { Context as HonoContext } from "hono";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { readJsonBody } from "../http/request-body.ts";
import type { App, Variables } from "../variables.ts";
import { a2aPath, a2aVersion, x402Extension } from "./agent-card.ts";
import { addAgentCards } from "./card-answers.ts";
import { createInnerApi } from "./inner-api.ts";
import { createRequestHandler, type Sdk } from "./request-handler.ts";
import { createTaskActs } from "./task-acts.ts";

type RequestContext = HonoContext<{ Variables: Variables }>;

/** JSON-RPC's code for a body that is not JSON. */
const parseError = -32_700;

/**
 * Serves A2A 1.0 over JSON-RPC: the marketplace buys services of all agents, and the address of an agent its own. A task is
 * an order. Nothing is stored for a message before its payment.
 */
export function addA2a(app: App, context: Context): void {
  addAgentCards(app, context);
  let loaded: ReturnType<typeof load> | undefined;

  const serve = async (c: RequestContext, agent: string | null) => {
    let body: unknown;
    try {
      body = (await readJsonBody(c))?.value;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "invalid_request") throw error;
      return c.json({ jsonrpc: "2.0", id: null, error: { code: parseError, message: error.message } });
    }
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
    const { sdk, server, supported } = await loaded;
    const requestedVersion = c.req.header("a2a-version");
    const call = new server.ServerCallContext(requestedVersion === undefined ? {} : { requestedVersion });
    const api = createInnerApi(app, context, c);
    const { handler, readFailure } = createRequestHandler(sdk, createTaskActs(context, api, agent), {
      agent,
      hasAccount: api.hasAccount,
    });
    if (requestsPayment(c)) c.header("A2A-Extensions", x402Extension);
    try {
      server.validateVersion(call.requestedVersion, supported, "JSONRPC");
    } catch (error) {
      return c.json({ jsonrpc: "2.0", id: idOf(body), error: sdk.toJsonRpcError(error) });
    }
    const transport = new server.JsonRpcTransportHandler(handler);
    const answer = await transport.handle(body as Record<string, unknown>, call);
    const failure = readFailure();
    if (failure !== undefined) throw failure;
    return c.json(answer as object);
  };
  app.post(a2aPath, (c) => serve(c, null));
  app.post(`${a2aPath}/:slug`, (c) => {
    const slug = c.req.param("slug");
    if (!slugPattern.test(slug)) throw new ApiError("not_found", "There is no agent at this address.");
    return serve(c, slug);
  });
}

/** Loads the SDK at the first message, because most of the time of a start is loading. */
async function load() {
  const [types, errors, server] = await Promise.all([
    import("@a2a-js/sdk"),
    import("@a2a-js/sdk/errors"),
    import("@a2a-js/sdk/server"),
  ]);
  const sdk: Sdk = { ...types, ...errors };
  const supportedInterfaces = [{ protocolBinding: "JSONRPC", protocolVersion: a2aVersion }];
  return { sdk, server, supported: types.AgentCard.fromJSON({ supportedInterfaces }) };
}

/** Whether the client activates the x402 extension. Its specification has A2A's former name of the header. */
function requestsPayment(c: RequestContext): boolean {
  const names = [c.req.header("a2a-extensions"), c.req.header("x-a2a-extensions")].join();
  return names.split(",").some((name) => name.trim() === x402Extension);
}

function idOf(body: unknown): string | number | null {
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id === "string" || typeof id === "number" ? id : null;
}
