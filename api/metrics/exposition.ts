import { Counter, Gauge, Registry } from "prom-client";
import type { Context } from "../context.ts";
import { readChainMetrics } from "./chain-metrics.ts";
import { readExecutionMetrics } from "./execution-metrics.ts";
import { readLogMetrics } from "./log-metrics.ts";
import type { Metric } from "./metric.ts";
import { readRelayMetrics } from "./relay-metrics.ts";
import { readWebhookMetrics } from "./webhook-metrics.ts";

/** The metrics of the service, one file for each part. */
const sources: ((context: Context) => Promise<Metric[]>)[] = [
  readRelayMetrics,
  readChainMetrics,
  readWebhookMetrics,
  readExecutionMetrics,
  readLogMetrics,
];

/** Writes the service's metrics from the database, so that every process reports the same. For the metrics port only. */
export async function writeMetrics(context: Context): Promise<string> {
  const metrics = await Promise.all(sources.map((read) => read(context)));
  const registry = new Registry();
  for (const { name, help, type, samples } of metrics.flat()) {
    // The library writes a 0 for a metric without labels and samples.
    const labelNames = samples.length > 0 ? Object.keys(samples[0]?.labels ?? {}) : ["unmeasured"];
    const options = { name, help, labelNames, registers: [registry] };
    if (type === "counter") {
      const counter = new Counter(options);
      for (const { labels, value } of samples) counter.inc(labels, value);
    } else {
      const gauge = new Gauge(options);
      for (const { labels, value } of samples) gauge.set(labels, value);
    }
  }
  return registry.metrics();
}
