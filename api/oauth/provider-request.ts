import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context as HonoContext } from "hono";
import inject, { type DispatchFunc } from "light-my-request";
import type { Context } from "../context.ts";
import { originOf } from "../http/client-address.ts";
import type { Variables } from "../variables.ts";
import { requestNetwork } from "./metadata-document.ts";
import type { Provider } from "./provider.ts";

type RequestContext = HonoContext<{ Variables: Variables }>;
type NodeHandler = (request: IncomingMessage, response: ServerResponse) => unknown;
type Sent = { path?: string; contentType?: string; body?: string };

/** The headers of the provider's answers that the API passes on. It sets those of origins and of security itself. */
const passed = ["cache-control", "content-type", "location", "pragma", "www-authenticate"];

/**
 * Handles a request by a function for Node's requests, which the provider is. The request came through all middleware of
 * the API, so the limits of requests, bodies and answers hold for the provider too.
 */
async function handle(
  { config }: Pick<Context, "config">,
  c: RequestContext,
  handler: NodeHandler,
  sent: Sent,
) {
  const { host, protocol, pathname } = new URL(config.publicUrl);
  const { path = c.req.path, contentType, body } = sent;
  const cookie = c.req.header("cookie");
  const { network } = originOf(c);
  const dispatch: DispatchFunc = (request, response) => {
    // The service may be below a path, which its proxy removes.
    const originalUrl = `${pathname.replace(/\/+$/, "")}${request.url}`;
    // The injection calls this later, so the network is set here.
    requestNetwork.run(network, () => handler(Object.assign(request, { originalUrl }), response));
  };
  return inject(dispatch, {
    method: c.req.method === "POST" ? "POST" : "GET",
    url: path,
    headers: {
      host,
      accept: "application/json",
      "x-forwarded-proto": protocol.replace(":", ""),
      ...(cookie === undefined ? {} : { cookie }),
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
}

/** An answer of the provider, before it is passed on. */
export type ProviderAnswer = { status: number; body: string; response: () => Response };

/** Asks the provider, with the path and body of the request unless others are given. */
export async function askProvider(
  provider: Provider,
  context: Pick<Context, "config">,
  c: RequestContext,
  sent: Sent = {},
): Promise<ProviderAnswer> {
  const answer = await handle(context, c, provider.callback(), sent);
  const response = () => {
    const headers = new Headers();
    for (const name of passed) {
      const value = answer.headers[name];
      if (value !== undefined) headers.set(name, String(value));
    }
    for (const value of [answer.headers["set-cookie"] ?? []].flat()) headers.append("set-cookie", value);
    return new Response(answer.payload, { status: answer.statusCode, headers });
  };
  return { status: answer.statusCode, body: answer.payload, response };
}

/** Runs a function of the provider that reads the cookies of the request, such as `interactionDetails`. */
export async function readRequest<Result>(
  context: Pick<Context, "config">,
  c: RequestContext,
  read: (request: IncomingMessage, response: ServerResponse) => Promise<Result>,
): Promise<Result> {
  const outcome = Promise.withResolvers<Result>();
  await handle(
    context,
    c,
    async (request, response) => {
      await read(request, response).then(outcome.resolve, outcome.reject);
      response.end();
    },
    {},
  );
  return outcome.promise;
}
