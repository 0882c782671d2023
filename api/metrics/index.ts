import type { Context } from "../context.ts";
import { requestCounts } from "../http/request-counts.ts";
import { writeMetrics } from "./metrics.ts";
import { serveMetrics, textPage } from "./port.ts";

export { serveMetrics, writeMetrics };

/** Serves the numbers of this process and of the service on the operator's port; nowhere where the port is 0. */
export async function serveNumbers(
  { host, port }: { host: string; port: number },
  context: Context,
): Promise<void> {
  if (port === 0) return;
  await serveMetrics(
    { host, port },
    {
      "/metrics": textPage(() => requestCounts.metrics()),
      "/metrics/earnest": textPage(() => writeMetrics(context)),
    },
  );
}
