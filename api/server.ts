import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import { type Config, ConfigError } from "../config/config.ts";
import { isMigrated } from "../db/migrate.ts";
import { createApp } from "./app.ts";
import { type Context, createContext } from "./context.ts";
import { createHealthPages } from "./health-pages.ts";
import { createRequestId } from "./http/access-log.ts";
import { errorStatus, unexpectedErrorMessage } from "./http/api-error.ts";
import { answerUnparsed, defaultTimeouts } from "./http/parser-errors.ts";
import { shutdownOf } from "./shutdown.ts";

/** Milliseconds for open answers at a shutdown, and between two attempts to reach the database at the start. */
const drainMilliseconds = 5000;
const pause = 500;

export type ApiServer = {
  context: Context;
  /**
   * Shuts the server down. `/ready` fails, and for DRAIN_SECONDS each answer closes its connection. Then the server accepts
   * no more requests, gives open answers a few seconds, and closes its resources.
   */
  stop(): Promise<void>;
};

/**
 * Serves the API on all interfaces at `PORT`, without Ponder.
 *
 * @throws ConfigError when the port is taken, there is no chain to serve, or the database is of another version
 */
export async function startServer(config: Config, timeouts = defaultTimeouts): Promise<ApiServer> {
  if (config.chains.length === 0) {
    throw new ConfigError(
      `${config.deploymentsDir} has no deployment manifest, so there is no chain to serve: run \`npm run deploy\`, or \`npm start\` for everything on one machine.`,
    );
  }
  const context = createContext(config);
  const { db, log, checker } = context;
  const app = createApp(context);
  const ending = shutdownOf(context);
  const pages = createHealthPages(context, ending.signal);
  const answer = getRequestListener(
    (request, env) => {
      const { incoming } = env as HttpBindings;
      const page = pages.get(incoming.url ?? "");
      const isRead = incoming.method === "GET" || incoming.method === "HEAD";
      return page && isRead ? page() : app.fetch(request, env);
    },
    { errorHandler: (error) => refuseUnreadable(context, error) },
  );
  const settings = {
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.headers / 3,
    // The app refuses a missing Host in the error envelope, like an invalid Host.
    requireHostHeader: false,
  };
  const server = createServer(settings, answer);
  answerUnparsed(server);
  server.prependListener("request", (_, response) => {
    if (ending.signal.aborted) response.setHeader("Connection", "close");
  });
  await requireMigrated(context);
  await listen(server, config.port);
  log.info({ port: config.port }, "API ready");
  return {
    context,
    async stop() {
      ending.abort();
      if (config.drainSeconds > 0) log.info({ seconds: config.drainSeconds }, "API drains");
      await sleep(config.drainSeconds * 1000);
      const closed = new Promise((resolve) => server.close(resolve));
      // A connection whose answer ends now becomes idle and would stay open.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const late = setTimeout(() => server.closeAllConnections(), drainMilliseconds);
      await closed;
      clearInterval(idle);
      clearTimeout(late);
      await checker.close();
      await context.printer.close();
      await db.$client.end();
      await context.readDb?.$client.end();
    },
  };
}

/** Waits until the database is reachable, and checks its version. */
async function requireMigrated({ db, log }: Context): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      if (await isMigrated(db)) return;
    } catch (error) {
      if (tries % 20 === 0) log.error({ err: error }, "database unreachable, retrying");
      await sleep(pause);
      continue;
    }
    throw new ConfigError("The database schema does not match this program: run `npm run migrate` first.");
  }
}

/** Answers a request of which Node cannot make a `Request`. The app answers all other errors. */
function refuseUnreadable({ log }: Context, error: unknown): Response {
  const requestId = createRequestId();
  const isTheirs = error instanceof RequestError;
  if (!isTheirs) log.error({ err: error, request_id: requestId }, "unexpected error");
  const code = isTheirs ? "invalid_request" : "internal_error";
  const message = isTheirs
    ? "The request target and the header Host form no valid URL."
    : unexpectedErrorMessage;
  return Response.json(
    { error: { code, message, request_id: requestId } },
    {
      status: errorStatus[code],
      headers: { "Cache-Control": "no-store", "X-Request-ID": requestId, Connection: "close" },
    },
  );
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new ConfigError(
          error.code === "EADDRINUSE"
            ? `Port ${port} is taken by another program: stop that program, or set PORT to a free port.`
            : `Port ${port} cannot be used: ${error.message}`,
        ),
      ),
    );
    server.listen(port, resolve);
  });
}
