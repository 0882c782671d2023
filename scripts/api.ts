// npm run api: the API without the indexer, in any number of processes. docs/operations/install.md has the steps.

import { checkWebFiles } from "../api/http/web-files.ts";
import { serveAllMetrics } from "../api/metrics/index.ts";
import { startServer } from "../api/server.ts";
import { ConfigError, readConfig } from "../config/config.ts";
import { startTracing, stopTracing } from "../config/tracing.ts";

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort());

try {
  const config = readConfig();
  checkWebFiles();
  await startTracing(config, "api");
  const server = await startServer(config);
  const { log } = server.context;
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));
  process.on("uncaughtException", (error) => {
    // The state is unknown now, so the process ends and a new one starts.
    log.fatal({ err: error }, "uncaught exception");
    process.exit(1);
  });
  await serveAllMetrics({ host: config.metrics.host, port: config.metrics.port ?? 0 }, server.context);
  // A parent process with a channel gets notice that the API is ready.
  process.send?.("ready");
  if (!stop.signal.aborted)
    await new Promise((resolve) => stop.signal.addEventListener("abort", resolve, { once: true }));
  await server.stop();
  await stopTracing();
  process.exit(0);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exit(1);
}
