import type { Context } from "../context.ts";
import { readChainMetrics } from "./chain.ts";
import { readExecutionMetrics } from "./executions.ts";
import { readLogMetrics } from "./log.ts";
import { readRelayMetrics } from "./relay.ts";
import { readWebhookMetrics } from "./webhooks.ts";

/** Numbers of one meaning, as Prometheus takes them. */
export type Metric = {
  /** in snake case and base units; a counter's ends with `_total` */
  name: string;
  help: string;
  type: "gauge" | "counter";
  samples: { labels: Record<string, string | number>; value: number }[];
};

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
  return metrics.flat().map(writeMetric).join("");
}

/** Prometheus's text format, version 0.0.4. */
function writeMetric({ name, help, type, samples }: Metric): string {
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(String(text))}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
