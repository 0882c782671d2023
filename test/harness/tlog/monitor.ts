import { type Finding, Findings } from "../../../verifiers/monitor/findings.ts";
import { Monitor, type MonitorOptions } from "../../../verifiers/monitor/monitor.ts";

/** Returns the findings of one run of a monitor, whose file has the state of earlier runs. */
export async function lookOnce(
  options: Omit<MonitorOptions, "graceMs" | "aheadMs"> & Partial<MonitorOptions>,
) {
  const found: Finding[] = [];
  const findings = new Findings((finding) => found.push(finding));
  const monitor = new Monitor({ graceMs: 60_000, aheadMs: 2000, ...options }, findings);
  try {
    await monitor.check();
  } finally {
    monitor.close();
  }
  return { found, codes: [...new Set(found.map(({ code }) => code))].sort(), progress: monitor.progress };
}
