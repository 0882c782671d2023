import { readFileSync } from "node:fs";
import type { Cluster } from "./cluster.ts";

/** The resources of each kind of process: processor seconds since its start, and bytes of private memory. */
export type Usage = Record<string, { seconds: number; bytes: number }>;

/** Clock ticks in a second, as Linux tells processor time to all programs. */
const ticks = 100;

/**
 * Reads the resources of each kind of process from Linux's /proc. Ended processes do not count.
 *
 * @param receivers the processes that receive the webhooks
 */
export function readUsage({ parts, network, chain }: Cluster, receivers: readonly number[]): Usage {
  const pids: Record<string, number[]> = {
    chain: [chain.pid],
    "programs that trade": [process.pid],
    receivers: [...receivers],
  };
  for (const machine of parts.keys()) {
    const kind = machine.replace(/-\d$/, "");
    pids[kind] = [...(pids[kind] ?? []), ...network.pids(machine).filter((pid) => !receivers.includes(pid))];
  }
  const sum = (of: number[]) =>
    of
      .map(readProcess)
      .reduce((one, other) => ({ seconds: one.seconds + other.seconds, bytes: one.bytes + other.bytes }), {
        seconds: 0,
        bytes: 0,
      });
  return Object.fromEntries(Object.entries(pids).map(([kind, of]) => [kind, sum(of)]));
}

/** The part of all processors that each kind used between two readings, busiest first, as in "api 41 %". */
export function describeUsage(before: Usage, after: Usage, seconds: number, cores: number): string {
  return Object.entries(after)
    .map(([kind, { seconds: now }]) => ({
      kind,
      part: (now - (before[kind]?.seconds ?? 0)) / (seconds * cores),
    }))
    .filter(({ part }) => part >= 0.01)
    .sort((one, other) => other.part - one.part)
    .map(({ kind, part }) => `${kind} ${Math.round(part * 100)} %`)
    .join(", ");
}

function readProcess(pid: number): { seconds: number; bytes: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The fields after the name in brackets, beginning with the state.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const own = /^Pss_Anon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
    return {
      seconds: (Number(fields[11]) + Number(fields[12])) / ticks,
      bytes: Number(own?.[1] ?? 0) * 1024,
    };
  } catch {
    return { seconds: 0, bytes: 0 };
  }
}
