// npm run simulate: runs random trades on a service while faults happen. docs/CONTRIBUTING.md describes it.

import { parseArgs } from "node:util";
import { courseOfFaults, usualRun } from "../tools/simulation/live/faults.ts";
import { simulateLive } from "../tools/simulation/live/simulation.ts";
import { unpackRelease } from "../tools/stack/release.ts";

const usage = `npm run simulate -- --seeds N      runs the simulation for seeds 1 to N, about a minute each
npm run simulate -- --seed K       runs the simulation for one seed
npm run simulate -- --old REF ...  starts some programs from another release at times

--from K begins at seed K instead of 1.`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h" },
    seed: { type: "string" },
    seeds: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    old: { type: "string" },
  },
});
const from = Number(values.seed ?? values.from);
const count = values.seed ? 1 : Number(values.seeds);
if (values.help || !Number.isSafeInteger(from) || !Number.isSafeInteger(count)) console.log(usage);
else await simulate();

async function simulate(): Promise<void> {
  const old = values.old ? unpackRelease(values.old) : undefined;
  process.once("exit", () => old?.remove());
  const failed: number[] = [];
  const began = performance.now();
  for (let seed = from; seed < from + count; seed += 1) {
    console.log(`seed ${seed}`);
    const course = courseOfFaults(seed, { ...usualRun, old });
    const wrong = await simulateLive(seed, { ...usualRun, course, say: (line) => console.log(line) }).then(
      ({ wrong, counts }) => {
        console.log(`         ${JSON.stringify(counts)}`);
        return wrong;
      },
      (error: Error) => [error.stack ?? error.message],
    );
    for (const line of wrong) console.log(`  WRONG  ${line}`);
    if (wrong.length === 0) continue;
    failed.push(seed);
    console.log(`  again  npm run simulate -- ${old ? `--old ${values.old} ` : ""}--seed ${seed}`);
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (failed.length === 0) console.log(`all ${count} seeds passed (${seconds} s)`);
  else {
    console.log(`${failed.length} of ${count} seeds FAILED: ${failed.join(", ")} (${seconds} s)`);
    process.exitCode = 1;
  }
}
