import { Histogram, Registry } from "prom-client";

/** The metrics registry of this process. */
export const requestCounts = new Registry();

const durations = new Histogram({
  name: "earnest_http_request_duration_seconds",
  help: "Duration of requests in seconds, by route and class of status.",
  labelNames: ["method", "path", "status"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [requestCounts],
});

/**
 * Counts one answer. The labels have as many values as there are routes.
 *
 * @param route the route's pattern; null for an unknown path
 */
export function countRequest(
  method: string,
  route: string | null,
  status: number,
  milliseconds: number,
): void {
  const kind = `${Math.floor(status / 100)}XX`;
  const labels = route === null ? { status: kind } : { method, path: route, status: kind };
  durations.observe(labels, milliseconds / 1000);
}
