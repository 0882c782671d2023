// npm run indexer: Ponder, which follows the contracts' events and serves the API. --reindex first drops what was indexed.
// docs/operations/upgrade.md says when to use --reindex.

import { metricsTaken } from "../api/metrics/metrics-port.ts";
import { ConfigError, readConfig } from "../config/config.ts";
import { createLog } from "../config/log.ts";
import { usualMetricsPort } from "../tools/indexer/ponder.ts";
import { keepPonder, retryableExitCode } from "../tools/indexer/ponder-keeper.ts";
import { dropIndex } from "../tools/indexer/reindex.ts";
import { isPortTaken, portRetryMs } from "../tools/stack/process.ts";

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort());

try {
  const config = readConfig();
  if (process.argv.includes("--reindex")) {
    const dropped = await dropIndex(config.databaseDirectUrl);
    console.log(`Dropped ${dropped.join(", ")}; the chains are indexed again.`);
  }
  // Ponder would take the next free port.
  const { port, metrics } = config;
  if (await isPortTaken(port, portRetryMs))
    throw new ConfigError(
      `Port ${port} is taken by another program: stop that program, or set PORT to a free port.`,
    );
  const metricsPort = metrics.port ?? usualMetricsPort;
  if (metricsPort !== 0 && (await isPortTaken(metricsPort, portRetryMs)))
    throw new ConfigError(metricsTaken(metricsPort));
  process.exit(await keepPonder(config, { log: createLog(config, "indexer"), signal: stop.signal }));
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(error instanceof ConfigError ? 1 : retryableExitCode);
}
