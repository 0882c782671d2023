// npm run cluster: on this machine, what an operator would run on many. See docs/cluster.md.

import { parseArgs } from "node:util";
import { type Cluster, type Kind, kinds, startCluster, usual } from "../tools/cluster/cluster.ts";
import { rehearse } from "../tools/cluster/failover-run.ts";
import { loadSettings } from "../tools/cluster/load.ts";
import { measure, type Rates } from "../tools/cluster/measure.ts";
import { soak } from "../tools/cluster/soak.ts";

const usage = `npm run cluster                            starts all parts and prints their addresses
npm run cluster -- --rehearse              has people trade, kills each part by -9 in turn, and judges what is left
npm run cluster -- --rehearse --kill KIND  kills one: ${kinds.join(", ")}
npm run cluster -- --measure               orders, events and deliveries a second by 1, 2 and 3 processes
npm run cluster -- --soak [MINUTES]        whole orders at half the ceiling for 20 minutes: memory and latency are to be flat
npm run cluster -- --soak --rate N         the same with N orders a second`;

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
const isUnclear = (values.kill && !killed) || !(minutes > 0) || !((rate ?? 1) > 0);
if (values.help || isUnclear) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

if (values.measure) {
  const rates: Rates[] = [];
  for (const processes of [1, 2, 3]) rates.push(await measure(processes, say));
  console.log("processes of each kind   orders/s   events/s   deliveries/s");
  for (const { processes, ...found } of rates) {
    const row = Object.values(found).map((rate) => rate.toFixed(0).padStart(10));
    console.log(`${String(processes).padStart(22)} ${row.join(" ")}`);
  }
  process.exit(0);
}

const told = new Promise<null>((resolve) => {
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve(null));
});
const isRehearsal = values.rehearse === true || killed !== undefined;
const isTraded = isRehearsal || values.soak;
const starting = startCluster({ ...usual, ...(isTraded ? { env: loadSettings } : {}), say });
const cluster = await Promise.race([starting, told]);
let isGood = true;
if (cluster) {
  say(`ready, by ${cluster.proxy}`);
  for (const [name, address] of cluster.addresses) console.log(`  ${name.padEnd(24)} ${address}`);
  const done = values.soak
    ? runSoak(cluster)
    : isRehearsal
      ? runRehearsal(cluster, killed ? [killed] : kinds)
      : told;
  isGood = (await Promise.race([done, told])) !== false;
}
await (await starting).stop(!isGood);
process.exit(isGood ? 0 : 1);

/** Returns whether nothing was lost, doubled or invented. */
async function runRehearsal(on: Cluster, which: readonly Kind[]): Promise<boolean> {
  const { wrong, gaps, ...counts } = await rehearse(on, which, say);
  say(JSON.stringify(counts));
  for (const line of wrong) console.log(`  WRONG  ${line}`);
  if (wrong.length > 0) console.log(`  the programs' logs are kept in ${on.folder}`);
  else say(`nothing was lost, doubled or invented, by ${gaps.length - 1} deaths`);
  return wrong.length === 0;
}

/** Returns whether memory and latency were flat, and nothing was lost, doubled or invented. */
async function runSoak(on: Cluster): Promise<boolean> {
  const wrong = await soak(on, { minutes, rate, say });
  for (const line of wrong) console.log(`  WRONG  ${line}`);
  if (wrong.length > 0) console.log(`  the programs' logs are kept in ${on.folder}`);
  else say("memory and latency were flat, and nothing was lost, doubled or invented");
  return wrong.length === 0;
}
