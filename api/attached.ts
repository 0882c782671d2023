import type { Config } from "../config.ts";
import { startTracing } from "../tracing.ts";
import { createApp } from "./app.ts";
import { type App, createContext } from "./context.ts";
import { endingOf } from "./ending.ts";
import { serveNumbers } from "./metrics/index.ts";

/**
 * The API for Ponder's server, which has the time limits, the pages `/health`, `/ready`, `/status` and `/metrics`, and the
 * end of the process.
 */
export async function attachApi(config: Config): Promise<App> {
  await startTracing(config, "api");
  const context = createContext(config);
  const app = createApp(context);
  const { host, port = 0 } = config.metrics;
  await serveNumbers({ host, port }, context);
  process.once("SIGINT", () => endingOf(context).abort());
  return app;
}
