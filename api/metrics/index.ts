import { collectDefaultMetrics } from "prom-client";
import type { Context } from "../context.ts";
import { requestCounts } from "../http/request-counts.ts";
import { writeMetrics } from "./exposition.ts";
import { metricsPage, serveMetrics } from "./metrics-port.ts";

export { serveMetrics, writeMetrics };

/** Serves the metrics of this process and of the service on the operator's port, unless the port is 0. */
export async function serveAllMetrics(
  { host, port }: { host: string; port: number },
  context: Context,
): Promise<void> {
  if (port === 0) return;
  // The library's default, a sample each 10 ms, costs more than everything else in an idle process.
  collectDefaultMetrics({ register: requestCounts, eventLoopMonitoringPrecision: 100 });
  await serveMetrics(
    { host, port },
    {
      "/metrics": metricsPage(() => requestCounts.metrics()),
      "/metrics/earnest": metricsPage(() => writeMetrics(context)),
    },
  );
}
