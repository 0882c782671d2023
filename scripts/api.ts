// npm run api: the API, in as many processes as API_PROCESSES says. docs/operations.md has when to do what.

import cluster from "node:cluster";
import { requestCounts } from "../api/http/request-counts.ts";
import { serveMetrics, textPage, writeMetrics } from "../api/metrics/index.ts";
import type { Asked, Said } from "../api/processes.ts";
import { type ApiServer, startServer } from "../api/server.ts";
import { checkWebFiles } from "../build/output.ts";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { startTracing, stopTracing } from "../tracing.ts";

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort());

/** Serves in this process until the signal. */
async function serve(config: Config): Promise<void> {
  await startTracing(config, "api");
  const server = await startServer(config);
  const { log } = server.context;
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));
  process.on("uncaughtException", (error) => {
    // What stands now nobody knows: another process begins anew.
    log.fatal({ err: error }, "uncaught exception");
    process.exit(1);
  });
  if (cluster.isWorker) answerTo(server);
  else await serveNumbers(config, server);
  // Whoever started us with a channel learns that we serve.
  process.send?.(cluster.isWorker ? ({ ready: true } satisfies Said) : "ready");
  if (!stop.signal.aborted) {
    await new Promise((resolve) => stop.signal.addEventListener("abort", resolve, { once: true }));
  }
  await server.stop();
  await stopTracing();
  process.exit(0);
}

async function serveNumbers({ metrics: { host, port = 0 } }: Config, { context }: ApiServer): Promise<void> {
  if (port === 0) return;
  await serveMetrics(
    { host, port },
    {
      "/metrics": textPage(() => requestCounts.metrics()),
      "/metrics/earnest": textPage(() => writeMetrics(context)),
    },
  );
}

/** Tells the process that keeps this one what it asks for. */
function answerTo({ context }: ApiServer): void {
  const say = (said: Said) => process.send?.(said);
  process.on("message", async ({ asked, for: what }: Asked) => {
    if (what === "counts") return say({ asked, counts: await requestCounts.getMetricsAsJSON() });
    const metrics = await writeMetrics(context).catch(() => null);
    if (metrics !== null) say({ asked, metrics });
  });
}

try {
  const config = readConfig();
  if (config.apiProcesses === 1 || cluster.isWorker) {
    checkWebFiles();
    await serve(config);
  } else {
    const { keepProcesses } = await import("../api/processes.ts");
    const { ended } = await keepProcesses(config, stop.signal);
    process.send?.("ready");
    process.exit(await ended);
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exit(1);
}
