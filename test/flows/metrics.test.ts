import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runDemo } from "../../tools/demo/order.ts";
import { findFreePort } from "../../tools/stack/process.ts";
import { startApi } from "../../tools/stack/services.ts";
import { until } from "../harness/jobs/ledger.ts";
import { root } from "../harness/programs.ts";
import { parsePromQl } from "../harness/promql.ts";
import { testOnStack } from "../harness/stack.ts";

type Rule = { alert: string; expr: string; labels: object; annotations: { summary: string } };
const { groups }: { groups: { rules: Rule[] }[] } = parse(
  readFileSync(join(root, "ops/prometheus/alerts.yml"), "utf8"),
);
const rules = groups.flatMap((group) => group.rules);
type Panel = { title: string; targets?: { expr: string }[] };
const { panels }: { panels: Panel[] } = JSON.parse(
  readFileSync(join(root, "ops/grafana/dashboard.json"), "utf8"),
);
const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

/** Each metric by name, with its type and the labels of its samples. */
type Exported = Map<string, { type: string; labels: Set<string> }>;

async function scrape(url: string, into: Exported): Promise<void> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  for (const line of (await answer.text()).split("\n")) {
    const [, name, type] = /^# TYPE (\S+) (\w+)$/.exec(line) ?? [];
    if (name && type) {
      const names = type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name];
      for (const one of names) into.set(one, { type, labels: new Set() });
    }
    const [, metric = "", labels = ""] = /^([a-zA-Z_:]\w*)\{(.*)\} \S+$/.exec(line) ?? [];
    for (const [, label] of labels.matchAll(/(\w+)="/g)) into.get(metric)?.labels.add(`${label}`);
  }
}

testOnStack(
  "each metric of the alert rules and of the dashboard is exported by a service that runs",
  async ({ stack }) => {
    const [buyer, provider] = [generatePrivateKey(), generatePrivateKey()].map((key) =>
      privateKeyToAccount(key),
    );
    if (!buyer || !provider) throw new Error("no accounts");
    await stack.chain.fund(buyer);
    const { baseUrl, chain, env, metricsUrl } = stack;
    await runDemo({ baseUrl, rpcUrl: chain.rpcUrl, buyer, provider, print: () => {} });
    const [port, metricsPort] = [await findFreePort(), await findFreePort()];
    const settings = { ...env, PORT: String(port), METRICS_PORT: String(metricsPort) };
    const api = await startApi(settings, join(stack.folder, "metered.log"));
    try {
      await fetch(`http://localhost:${port}/api/v1/categories`);
      const exported: Exported = new Map([["up", { type: "gauge", labels: new Set(["job", "instance"]) }]]);
      await until(async () => {
        await scrape(`${metricsUrl}/metrics`, exported);
        await scrape(`${metricsUrl}/metrics/earnest`, exported);
        await scrape(`http://127.0.0.1:${metricsPort}/metrics`, exported);
        return exported.get("earnest_relayer_balance_low")?.labels.size;
      }, "a worker has looked at everything");
      const missing = [...rules.map((rule) => ({ ...rule, title: rule.alert })), ...shown].flatMap(
        ({ title, expr }) =>
          parsePromQl(expr).flatMap(({ metric, labels }) => {
            const found = exported.get(metric);
            if (!found) return [`${title}: ${metric}`];
            return Object.keys(labels)
              .filter((label) => !found.labels.has(label))
              .map((label) => `${title}: ${metric} has no ${label}`);
          }),
      );
      expect(missing).toEqual([]);
      // Only counters have rates.
      for (const { expr } of [...rules, ...shown]) {
        for (const [, metric = ""] of expr.matchAll(/(?:rate|increase)\((\w+)/g))
          expect([metric, exported.get(metric)?.type]).toEqual([
            metric,
            expect.stringMatching(/^(counter|histogram)$/),
          ]);
      }
      // Every exported metric is used by a rule or a dashboard.
      const read = new Set(
        [...rules, ...shown].flatMap(({ expr }) => parsePromQl(expr)).map(({ metric }) => metric),
      );
      const unread = [...exported.keys()].filter((name) => name.startsWith("earnest_") && !read.has(name));
      expect(unread).toEqual([
        "earnest_relayer_waiting_for_balance",
        "earnest_relayer_waiting_for_gas_price",
        "earnest_relayer_gas_used_total",
        "earnest_webhook_attempt_latency_seconds",
        "earnest_log_queued",
      ]);
    } finally {
      await api.stop();
    }
  },
);

test("the alerts have a summary, a severity, and unique names", () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, labels, annotations } of rules) {
    expect([alert, labels]).toEqual([alert, { severity: expect.stringMatching(/^(page|ticket)$/) }]);
    expect(annotations.summary).toMatch(/\.$/);
  }
});

test.each([
  "",
  "sum by",
  "rate(up)",
  "up[5m]",
  "up[5m] > 1",
  "nothing(up)",
  "up == ",
  "up up",
  "sum(1)",
  "up{job}",
  "histogram_quantile(up, 1)",
  "(up",
])("%s is no expression of a rule", (text) => {
  expect(() => parsePromQl(text)).toThrow();
});
