// npm run cluster: runs a deployment of several machines on this one. docs/cluster.md describes it.

import { parseArgs } from "node:util";
import { type Cluster, startCluster, usualPrograms } from "../tools/cluster/cluster.ts";
import { rehearseFailover } from "../tools/cluster/failover.ts";
import { type FaultKind, faultKinds } from "../tools/cluster/faults.ts";
import { loadSettings } from "../tools/cluster/load.ts";
import { measure, type Rates } from "../tools/cluster/measure.ts";
import { isInside, runInside } from "../tools/cluster/network.ts";
import { fetchParts, findParts } from "../tools/cluster/parts.ts";
import { rehearse, summarise } from "../tools/cluster/rehearsal.ts";
import { soak } from "../tools/cluster/soak.ts";
import { unpackRelease } from "../tools/stack/release.ts";

const usage = `npm run cluster                             starts all parts and prints their addresses
npm run cluster -- --rehearse               runs trades, performs each fault in turn, and checks that nothing is lost
npm run cluster -- --rehearse --fault KIND  performs one kind of fault: ${faultKinds.join("; ")}
npm run cluster -- --failover               kills the leader of PostgreSQL once, without the programs of Earnest
npm run cluster -- --measure                measures orders, events and deliveries per second with 1 and 2 processes
npm run cluster -- --soak [MINUTES]         runs orders at half the ceiling, 20 minutes by default, and checks that memory and latency stay flat
npm run cluster -- --soak --rate N          does the same with N orders per second

--seed K draws order, victims and times from K. --rounds N performs each fault N times. --from REF starts the programs of
another version, which the fault "upgrade and switchover" replaces.`;

const began = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h" },
    rehearse: { type: "boolean" },
    fault: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: "1" },
    rounds: { type: "string", default: "1" },
    from: { type: "string", default: "HEAD" },
    failover: { type: "boolean" },
    measure: { type: "boolean" },
    soak: { type: "boolean" },
    rate: { type: "string" },
  },
});
const chosen = faultKinds.filter((kind) => values.fault.includes(kind));
const [seed, rounds] = [Number(values.seed), Number(values.rounds)];
const minutes = Number(positionals[0] ?? 20);
const rate = values.rate === undefined ? undefined : Number(values.rate);
const isInvalid =
  chosen.length !== values.fault.length ||
  (chosen.length > 0 && !values.rehearse) ||
  ![seed, rounds].every((number) => Number.isSafeInteger(number) && number > 0) ||
  !(minutes > 0) ||
  !((rate ?? 1) > 0);
if (values.help || isInvalid) {
  (values.help ? console.log : console.error)(usage);
  process.exit(values.help ? 0 : 1);
}
const performed = Array.from({ length: rounds }, () => (chosen.length > 0 ? chosen : faultKinds)).flat();

process.exit(isInside() ? await runOnMachines() : await prepare());

/** Fetches what is missing, because the namespaces have no network, and runs this program inside them. */
async function prepare(): Promise<number> {
  fetchParts(say);
  const found = findParts();
  if ("missing" in found) {
    for (const line of found.missing) console.error(line);
    return 1;
  }
  const upgrades = values.rehearse && performed.includes("upgrade and switchover");
  const old = upgrades ? unpackRelease(values.from) : undefined;
  try {
    return await runInside({ EARNEST_CLUSTER_FIRST: old?.root.href });
  } finally {
    old?.remove();
  }
}

async function runOnMachines(): Promise<number> {
  if (values.measure) return runMeasure();
  if (values.failover) return reportFailover();
  const stopSignal = new Promise<null>((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve(null));
  });
  const needsLoad = values.rehearse || values.soak;
  const first = process.env.EARNEST_CLUSTER_FIRST;
  const starting = startCluster({
    ...usualPrograms,
    say,
    first: first ? new URL(first) : undefined,
    ...(needsLoad ? { env: loadSettings } : {}),
  });
  const cluster = await Promise.race([starting, stopSignal]);
  let isGood = true;
  if (cluster) {
    say(`ready, with ${cluster.versions.join(", ")}; logs in ${cluster.folder}`);
    if (!needsLoad) console.log(`  Commands inside: nsenter --target ${process.pid} --net --mount --pid`);
    const done = values.soak
      ? runSoak(cluster)
      : values.rehearse
        ? runRehearsal(cluster, performed)
        : stopSignal;
    isGood = (await Promise.race([done, stopSignal])) !== false;
    cluster.stop(!isGood);
  }
  return isGood ? 0 : 1;
}

async function runMeasure(): Promise<number> {
  const rates: Rates[] = [];
  for (const processes of [1, 2]) rates.push(await measure(processes, say));
  console.log("processes of each kind   orders/s   events/s   deliveries/s");
  for (const { processes, ...figures } of rates) {
    const row = Object.values(figures).map((rate) => rate.toFixed(0).padStart(10));
    console.log(`${String(processes).padStart(22)} ${row.join(" ")}`);
  }
  return 0;
}

/** Performs faults during trades. Returns whether nothing was lost, doubled or invented. */
async function runRehearsal(on: Cluster, which: readonly FaultKind[]): Promise<boolean> {
  const { wrong, gaps, ...counts } = await rehearse(on, { kinds: which, seed, say });
  for (const line of summarise(gaps)) console.log(`  ${line}`);
  say(JSON.stringify(counts));
  return report(on, wrong, `nothing was lost, doubled or invented, in ${gaps.length - 1} faults`);
}

/** Runs the soak. Returns whether memory and latency were flat, and nothing was lost, doubled or invented. */
async function runSoak(on: Cluster): Promise<boolean> {
  const wrong = await soak(on, { minutes, rate, say });
  return report(on, wrong, "memory and latency were flat, and nothing was lost, doubled or invented");
}

function report(on: Cluster, wrong: readonly string[], good: string): boolean {
  for (const line of wrong) console.log(`  WRONG  ${line}`);
  if (wrong.length > 0) console.log(`  the programs' logs are kept in ${on.folder}`);
  else say(good);
  return wrong.length === 0;
}

async function reportFailover(): Promise<number> {
  const wrong = await rehearseFailover(say);
  for (const line of wrong) console.log(`  WRONG  ${line}`);
  return wrong.length === 0 ? 0 : 1;
}
