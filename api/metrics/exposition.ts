import { Counter, Gauge, Registry } from "prom-client";
import type { Context } from "../context.ts";
import { readChainMetrics } from "./chain-metrics.ts";
import { readExecutionMetrics } from "./execution-metrics.ts";
import { readLogMetrics } from "./log-metrics.ts";
import type { Metric } from "./metric.ts";
import { readRelayMetrics } from "./relay-metrics.ts";
import { readWebhookMetrics } from "./webhook-metrics.ts";

/** What is measured, each part by its own file. */
const sources: ((context: Context) => Promise<Metric[]>)[] = [
  readRelayMetrics,
  readChainMetrics,
  readWebhookMetrics,
  readExecutionMetrics,
  readLogMetrics,
];

/** The operator's numbers, out of the database, so that every process gives the same. For the metrics port alone. */
export async function writeMetrics(context: Context): Promise<string> {
  const metrics = await Promise.all(sources.map((read) => read(context)));
  const registry = new Registry();
  for (const { name, help, type, samples } of metrics.flat()) {
    // The library writes a 0 for a metric that has neither labels nor samples.
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
