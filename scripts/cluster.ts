// npm run cluster: runs a deployment of several machines on this one. docs/cluster.md describes it.

import { parseArgs } from "node:util";
import { type Cluster, type Kind, kinds, startCluster, usual } from "../tools/cluster/cluster.ts";
import { runFailover } from "../tools/cluster/failover-run.ts";
import { loadSettings } from "../tools/cluster/load.ts";
import { measure, type Rates } from "../tools/cluster/measure.ts";
import { soak } from "../tools/cluster/soak.ts";

const usage = `npm run cluster                            starts all parts and prints their addresses
npm run cluster -- --rehearse              runs trades, kills each part by SIGKILL in turn, and checks that nothing is lost
npm run cluster -- --rehearse --kill KIND  kills one kind of part: ${kinds.join(", ")}
npm run cluster -- --measure               measures orders, events and deliveries per second with 1, 2 and 3 processes
npm run cluster -- --soak [MINUTES]        runs orders at half the ceiling, 20 minutes by default, and checks that memory and latency stay flat
npm run cluster -- --soak --rate N         does the same with N orders per second`;

const began = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h" },
    rehearse: { type: "boolean" },
    kill: { type: "string" },
    measure: { type: "boolean" },
    soak: { type: "boolean" },
    rate: { type: "string" },
  },
});
const killed = kinds.find((kind) => kind === values.kill);
const minutes = Number(positionals[0] ?? 20);
const rate = values.rate === undefined ? undefined : Number(values.rate);
const isInvalid =
  (values.kill !== undefined && !(killed && values.rehearse)) || !(minutes > 0) || !((rate ?? 1) > 0);
if (values.help) {
  console.log(usage);
  process.exit(0);
}
if (isInvalid) {
  console.error(usage);
  process.exit(1);
}

if (values.measure) {
  const rates: Rates[] = [];
  for (const processes of [1, 2, 3]) rates.push(await measure(processes, say));
  console.log("processes of each kind   orders/s   events/s   deliveries/s");
  for (const { processes, ...figures } of rates) {
    const row = Object.values(figures).map((rate) => rate.toFixed(0).padStart(10));
    console.log(`${String(processes).padStart(22)} ${row.join(" ")}`);
  }
  process.exit(0);
}

const stopSignal = new Promise<null>((resolve) => {
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve(null));
});
const needsLoad = values.rehearse || values.soak;
const starting = startCluster({ ...usual, ...(needsLoad ? { env: loadSettings } : {}), say });
const cluster = await Promise.race([starting, stopSignal]);
let isGood = true;
if (cluster) {
  say(`ready, by ${cluster.proxy}`);
  for (const [name, address] of cluster.addresses) console.log(`  ${name.padEnd(24)} ${address}`);
  const done = values.soak
    ? runSoak(cluster)
    : values.rehearse
      ? runKills(cluster, killed ? [killed] : kinds)
      : stopSignal;
  isGood = (await Promise.race([done, stopSignal])) !== false;
}
await (await starting).stop(!isGood);
process.exit(isGood ? 0 : 1);

/** Kills parts during trades. Returns whether nothing was lost, doubled or invented. */
async function runKills(on: Cluster, which: readonly Kind[]): Promise<boolean> {
  const { wrong, gaps, ...counts } = await runFailover(on, which, say);
  say(JSON.stringify(counts));
  for (const line of wrong) console.log(`  WRONG  ${line}`);
  if (wrong.length > 0) console.log(`  the programs' logs are kept in ${on.folder}`);
  else say(`nothing was lost, doubled or invented, in ${gaps.length - 1} kills`);
  return wrong.length === 0;
}

/** Runs the soak. Returns whether memory and latency were flat, and nothing was lost, doubled or invented. */
async function runSoak(on: Cluster): Promise<boolean> {
  const wrong = await soak(on, { minutes, rate, say });
  for (const line of wrong) console.log(`  WRONG  ${line}`);
  if (wrong.length > 0) console.log(`  the programs' logs are kept in ${on.folder}`);
  else say("memory and latency were flat, and nothing was lost, doubled or invented");
  return wrong.length === 0;
}
