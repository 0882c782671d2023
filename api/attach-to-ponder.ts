import { subscribe } from "node:diagnostics_channel";
import { Server } from "node:http";
import type { Config } from "../config/config.ts";
import { startTracing } from "../config/tracing.ts";
import { createApp } from "./app.ts";
import { createContext } from "./context.ts";
import { answerUnparsed, defaultTimeouts } from "./http/parser-errors.ts";
import { serveAllMetrics } from "./metrics/index.ts";
import { shutdownOf } from "./shutdown.ts";
import type { App } from "./variables.ts";

/** The diagnostics channel that Node publishes to when a server starts to listen. Ponder does not expose its server. */
const listening = "tracing:net.server.listen:asyncStart";

/** Builds the API for Ponder's server. Ponder itself serves `/health`, `/ready`, `/status` and `/metrics`, and ends the process. */
export async function attachApi(config: Config): Promise<App> {
  await startTracing(config, "api");
  subscribe(listening, (message) => {
    const { server } = message as { server: unknown };
    if (server instanceof Server) guard(server);
  });
  const context = createContext(config);
  const app = createApp(context);
  const { host, port = 0 } = config.metrics;
  await serveAllMetrics({ host, port }, context);
  process.once("SIGINT", () => shutdownOf(context).abort());
  return app;
}

/** Sets the timeouts of `npm run api` on a server that exists already, as far as Node allows. */
function guard(server: Server): void {
  server.headersTimeout = defaultTimeouts.headers;
  server.requestTimeout = defaultTimeouts.request;
  answerUnparsed(server);
}
