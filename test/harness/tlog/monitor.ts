import { type Finding, Findings } from "../../../verifiers/monitor/findings.ts";
import { Monitor, type MonitorOptions } from "../../../verifiers/monitor/monitor.ts";

/** What one look of a monitor finds, which remembers in its file what earlier ones saw. */
export async function lookOnce(
  options: Omit<MonitorOptions, "graceMs" | "patienceMs"> & Partial<MonitorOptions>,
) {
  const found: Finding[] = [];
  const findings = new Findings((finding) => found.push(finding));
  const monitor = new Monitor({ graceMs: 60_000, patienceMs: 2000, ...options }, findings);
  try {
    await monitor.look();
  } finally {
    monitor.close();
  }
  return { found, codes: [...new Set(found.map(({ code }) => code))].sort(), progress: monitor.progress };
}
