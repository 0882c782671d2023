// npm run cluster: runs a deployment of several machines on this one. docs/cluster.md describes it.

import { type Cluster, startCluster, usualPrograms } from "../tools/cluster/cluster.ts";
import { rehearseFailover } from "../tools/cluster/failover.ts";
import { loadSettings } from "../tools/cluster/load.ts";
import { measure, type Rates } from "../tools/cluster/measure.ts";
import { isInside, runInside } from "../tools/cluster/network.ts";
import { type ClusterOptions, readClusterOptions, usage } from "../tools/cluster/options.ts";
import { fetchParts, findParts } from "../tools/cluster/parts.ts";
import { rehearse, summarise } from "../tools/cluster/rehearsal.ts";
import { soak } from "../tools/cluster/soak.ts";
import { unpackRelease } from "../tools/stack/release.ts";

const began = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}`);

const { action, faults, seed, minutes, rate, from } = readOptions();
if (action === "help") {
  console.log(usage);
  process.exit(0);
}

process.exit(isInside() ? await runOnMachines() : await prepare());

function readOptions(): ClusterOptions {
  try {
    return readClusterOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(1);
  }
}

/** Fetches what is missing, because the namespaces have no network, and runs this program inside them. */
async function prepare(): Promise<number> {
  fetchParts(say);
  const found = findParts();
  if ("missing" in found) {
    for (const line of found.missing) console.error(line);
    return 1;
  }
  const upgrades = action === "rehearse" && faults.includes("upgrade and switchover");
  const old = upgrades ? unpackRelease(from) : undefined;
  try {
    return await runInside({ EARNEST_CLUSTER_FIRST: old?.root.href });
  } finally {
    old?.remove();
  }
}

async function runOnMachines(): Promise<number> {
  if (action === "measure") return runMeasure();
  if (action === "failover") return reportFailover();
  const stopSignal = new Promise<null>((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve(null));
  });
  const needsLoad = action === "rehearse" || action === "soak";
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
    const done =
      action === "soak" ? runSoak(cluster) : action === "rehearse" ? runRehearsal(cluster) : stopSignal;
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
async function runRehearsal(on: Cluster): Promise<boolean> {
  const { wrong, gaps, ...counts } = await rehearse(on, { kinds: faults, seed, say });
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
