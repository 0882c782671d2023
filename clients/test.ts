// npm run test:clients: runs the tests of every client with its own toolchain; the last line has the counts.
// `npm run test:clients -- typescript` runs those of one language; `--seed` repeats a run's faults at random.

import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { testGo } from "./go/test.ts";
import { testPython } from "./python/test.ts";
import { startStage } from "./scenarios/stage.ts";
import { startService } from "./service.ts";
import { testTypeScript } from "./typescript/test.ts";

type Count = { passed: number; failed: number; remarks?: string[] };
type Language = {
  name: string;
  /** The required programs: the arguments that print the version, and the source. */
  needs: { program: string; args: string[]; from: string }[];
  /** @param env the variables of the tests: the URLs of a real service and of the stage of the scenarios */
  test: (env: Record<string, string>) => Promise<Count>;
};

const languages: Language[] = [
  { name: "typescript", needs: [], test: testTypeScript },
  {
    name: "python",
    needs: [
      {
        program: "python3",
        args: ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"],
        from: "version 3.10 or later, of https://www.python.org/downloads/",
      },
    ],
    test: testPython,
  },
  {
    name: "go",
    needs: [{ program: "go", args: ["version"], from: "https://go.dev/dl/" }],
    test: testGo,
  },
];

/** Lists the missing programs of a language. */
function findMissing({ name, needs }: Language): string[] {
  return needs
    .filter(({ program, args }) => spawnSync(program, args).status !== 0)
    .map(({ program, from }) => `The ${name} client is not tested without ${program}: ${from}`);
}

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string" } },
});
const unknown = names.filter((name) => !languages.some((language) => language.name === name));
if (unknown.length > 0) console.error(`There is no client for ${unknown.join(", ")}.`);

/** One service for all languages, with the stage of the scenarios. It starts with the first test. */
let service: Promise<{ env: Record<string, string>; stop: () => Promise<void> }> | undefined;

async function startAll() {
  const running = await startService();
  const stage = await startStage(running, values.seed);
  console.log(`The faults at random have the seed ${stage.seed}.`);
  return {
    env: {
      EARNEST_URL: running.url,
      EARNEST_RPC_URL: running.rpcUrl,
      EARNEST_STAGE_URL: stage.url,
      EARNEST_SEED: stage.seed,
    },
    async stop() {
      await stage.stop();
      await running.stop();
    },
  };
}

async function testOne(language: Language): Promise<Count> {
  const missing = findMissing(language);
  for (const sentence of missing) console.error(sentence);
  if (missing.length > 0) return { passed: 0, failed: 1 };
  service ??= startAll();
  const count = await language.test((await service).env);
  console.log(`${language.name}: ${count.passed} passed, ${count.failed} failed`);
  return count;
}

const selected = languages.filter(({ name }) => names.length === 0 || names.includes(name));
// The languages run at the same time, because most of the time is waiting for blocks.
const counts = await Promise.all(selected.map(testOne));
const sum = {
  passed: counts.reduce((total, { passed }) => total + passed, 0),
  failed: counts.reduce((total, { failed }) => total + failed, unknown.length),
};
await (await service)?.stop();
for (const remark of counts.flatMap((count) => count.remarks ?? [])) console.log(remark);
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;
