import { collectDefaultMetrics } from "prom-client";
import type { Context } from "../context.ts";
import { requestCounts } from "../http/request-counts.ts";
import { writeMetrics } from "./exposition.ts";
import { serveMetrics, textPage } from "./port.ts";

export { serveMetrics, writeMetrics };

/** Serves the numbers of this process and of the service on the operator's port; nowhere where the port is 0. */
export async function serveNumbers(
  { host, port }: { host: string; port: number },
  context: Context,
): Promise<void> {
  if (port === 0) return;
  // The library looks at the event loop each 10 ms unless told: that costs more than all else at rest.
  collectDefaultMetrics({ register: requestCounts, eventLoopMonitoringPrecision: 100 });
  await serveMetrics(
    { host, port },
    {
      "/metrics": textPage(() => requestCounts.metrics()),
      "/metrics/earnest": textPage(() => writeMetrics(context)),
    },
  );
}
