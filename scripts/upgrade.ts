// npm run upgrade: an upgrade from another release while people trade. See docs/operations.md, "Upgrades".

import { parseArgs } from "node:util";
import { previousRelease } from "../db/releases.ts";
import { simulateLive } from "../simulation/live/simulation.ts";
import { courseOfUpgrade, usualUpgrade } from "../simulation/live/upgrade.ts";
import { unpackRelease } from "../stack/release.ts";

const usage = `npm run upgrade                 upgrades from the last release of db/releases.json to this version
npm run upgrade -- --from REF   upgrades from a commit, a tag or a branch
npm run upgrade -- --seed K     with other people and orders`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h" },
    from: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});

if (values.help) console.log(usage);
else await upgrade(values.from ?? previousRelease(), Number(values.seed));

async function upgrade(from: string, seed: number): Promise<void> {
  console.log(`from ${from}`);
  const first = unpackRelease(from);
  try {
    const {
      wrong: judged,
      open,
      counts,
    } = await simulateLive(seed, {
      ...usualUpgrade,
      first,
      course: courseOfUpgrade(usualUpgrade),
      say: (line) => console.log(line),
    });
    const wrong = [...judged, ...open.map((order) => `has not ended: ${order}`)];
    console.log(`         ${JSON.stringify(counts)}`);
    for (const line of wrong) console.log(`  WRONG  ${line}`);
    console.log(
      wrong.length === 0 ? "nothing was lost, doubled or refused" : `${wrong.length} things are WRONG`,
    );
    if (wrong.length > 0) process.exitCode = 1;
  } finally {
    first.remove();
  }
}
