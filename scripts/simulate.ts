// npm run simulate: lives random trades on a service to which everything happens. See docs/simulation.md.

import { parseArgs } from "node:util";
import { courseOfFaults, usual } from "../simulation/live/faults.ts";
import { simulateLive } from "../simulation/live/simulation.ts";
import { prepareVirtual, simulateVirtually } from "../simulation/virtual/simulation.ts";
import { type Release, unpackRelease } from "../stack/release.ts";

const usage = `npm run simulate -- --seeds N             lives the seeds 1 to N in virtual time, in this process
npm run simulate -- --seed K              lives one of them
npm run simulate -- --live --seeds N      lives them on real processes, about a minute each
npm run simulate -- --live --seed K       lives one of them
npm run simulate -- --live --old REF ...  has programs start in another release now and then, beside this one

--from K begins at another seed than 1.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", short: "h" },
      live: { type: "boolean" },
      seed: { type: "string" },
      seeds: { type: "string" },
      from: { type: "string" },
      old: { type: "string" },
    },
  });
  const from = Number(values.seed ?? values.from ?? 1);
  const count = values.seed ? 1 : Number(values.seeds ?? 1);
  if (values.old && !values.live) throw new Error("--old needs --live: another release runs as processes.");
  if (values.help || !Number.isSafeInteger(from) || !Number.isSafeInteger(count)) return console.log(usage);
  const live = values.live === true;
  const old = values.old ? unpackRelease(values.old) : undefined;
  process.once("exit", () => old?.remove());
  const run = live ? (seed: number) => runLive(seed, old) : await prepareRun();
  const failed: number[] = [];
  const began = performance.now();
  for (let seed = from; seed < from + count; seed += 1) {
    const wrong = await run(seed).catch((error: Error) => [error.stack ?? error.message]);
    for (const line of wrong) console.log(`  WRONG  ${line}`);
    if (wrong.length === 0) continue;
    failed.push(seed);
    console.log(
      `  again  npm run simulate -- ${live ? "--live " : ""}${old ? `--old ${values.old} ` : ""}--seed ${seed}`,
    );
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (failed.length === 0) console.log(`all of ${count} seeds are good (${seconds} s)`);
  else {
    console.log(`${failed.length} of ${count} seeds FAILED: ${failed.join(", ")} (${seconds} s)`);
    process.exitCode = 1;
  }
}

async function runLive(seed: number, old: Release | undefined): Promise<string[]> {
  console.log(`seed ${seed}`);
  const { wrong, ...counts } = await simulateLive(seed, {
    ...usual,
    course: courseOfFaults(seed, { ...usual, old }),
    say: (line) => console.log(line),
  });
  console.log(`         ${JSON.stringify(counts)}`);
  return wrong;
}

/** Prepares what all seeds share. */
async function prepareRun(): Promise<(seed: number) => Promise<string[]>> {
  const prepared = await prepareVirtual();
  return async (seed) => (await simulateVirtually(seed, prepared)).wrong;
}

await main();
