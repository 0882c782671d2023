// npm run cluster: on this machine, what an operator would run on many. See docs/cluster.md.

import { startCluster, usual } from "../cluster/cluster.ts";

const began = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}`);
const told = new Promise<void>((resolve) => {
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve());
});

const starting = startCluster({ ...usual, pools: false, say });
const cluster = await Promise.race([starting, told]);
if (cluster) {
  say("ready");
  for (const [name, address] of cluster.addresses) console.log(`  ${name.padEnd(24)} ${address}`);
  await told;
}
await (await starting).stop();
process.exit(0);
