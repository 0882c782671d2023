// npm run simulate: lives random trades on a service to which everything happens. See docs/simulation.md.

import { parseArgs } from "node:util";
import { simulateLive, usual } from "../simulation/live/simulation.ts";

const usage = `npm run simulate -- --live --seeds N    lives the seeds 1 to N on real processes
npm run simulate -- --live --seed K     lives one seed`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", short: "h" },
      live: { type: "boolean" },
      seed: { type: "string" },
      seeds: { type: "string" },
      from: { type: "string" },
    },
  });
  const from = Number(values.seed ?? values.from ?? 1);
  const count = values.seed ? 1 : Number(values.seeds ?? 1);
  if (values.help || !Number.isSafeInteger(from) || !Number.isSafeInteger(count)) return console.log(usage);
  let failed = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    console.log(`seed ${seed}`);
    const result = await simulateLive(seed, { ...usual, say: (line) => console.log(line) });
    const { wrong, ...counts } = result;
    console.log(`         ${JSON.stringify(counts)}`);
    for (const line of wrong) console.log(`  WRONG  ${line}`);
    if (wrong.length === 0) continue;
    failed += 1;
    console.log(`  again  npm run simulate -- --live --seed ${seed}`);
  }
  console.log(failed === 0 ? `all ${count} seeds are good` : `${failed} of ${count} seeds FAILED`);
  if (failed > 0) process.exitCode = 1;
}

await main();
