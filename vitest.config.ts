import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { compileCache } from "./tools/stack/compile-cache.ts";

/** Files run beside each other, each on its own database and, where it needs one, its own chain. */
const shared: TestProjectInlineConfiguration["test"] = {
  setupFiles: "test/harness/worker.ts",
  // Node itself loads what is tested, as in production: no transformation in between.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  pool: "forks",
  env: { NODE_COMPILE_CACHE: compileCache },
  // Loading the API takes longer than most files: those that share a process load it once.
  isolate: false,
  // Only what never ends reaches these: a machine that is shared takes several times as long as a quiet one.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // Below the lease of a request (90 s): what waits for its end is no success.
  expect: { poll: { timeout: 80_000 } },
  // On a busy machine a wait can run out. The report names each test that passed the second time.
  retry: process.env.CI ? 1 : 0,
};
/** Most of them share a stack. A project of their own, so that the stack stops once they have run. */
const flows = "test/{console,flows}/**/*.test.ts";
/** The files that kill programs and start them again, each time from their first module: `.ci/run` leaves them out. */
const rehearsals = ["test/faults/!(simulation).test.ts", "test/scripts/start*.test.ts"];
/** The calls that start a stack for one file alone. */
const starts = /\b(?:startStack|startPaymentBench|openTokenMarket|simulateLive)\(/;
/**
 * The other files with a stack of their own. With the rehearsals they take more than half of the time of all files, so
 * `npm test` runs both only where a path names them.
 */
const alone = globSync("test/**/*.test.ts", { cwd: import.meta.dirname, exclude: rehearsals })
  .sort()
  .filter((file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    return starts.test(text) && !text.includes("joinStack(");
  });
/** "2/3" takes the second of three parts of these files, as `.ci/run` does. */
const [part = 0, parts = 0] = (process.env.EARNEST_TEST_PART ?? "1/1").split("/").map(Number);
if (!(part >= 1 && part <= parts))
  throw new Error("EARNEST_TEST_PART must be a part of a number, as in 2/3.");
/** Rooms whose tests need no server: scripts/dependency-rules.mjs keeps the fixtures out of them. */
const pure = "test/{protocol,receipts,untrusted,verifiers}/**/*.test.ts";

export default defineConfig({
  test: {
    ...shared,
    globalSetup: "test/harness/suite.ts",
    // For two cores: most of what a file takes is waiting for blocks and clocks, and the longest files use a third of a core.
    maxWorkers: 5,
    teardownTimeout: 30_000,
    // Vitest runs the projects by the alphabet: the longest files first.
    projects: [
      {
        test: {
          ...shared,
          name: "alone",
          include: alone.filter((_, index) => index % parts === part - 1),
          setupFiles: ["test/harness/worker.ts", "test/harness/console/failed-pages.ts"],
        },
      },
      {
        test: {
          ...shared,
          name: "flows",
          include: [flows],
          exclude: alone,
          setupFiles: ["test/harness/worker.ts", "test/harness/console/failed-pages.ts"],
        },
      },
      { test: { ...shared, name: "pure", include: [pure] } },
      { test: { ...shared, name: "rehearsals", include: rehearsals } },
      {
        test: {
          ...shared,
          name: "service",
          include: ["test/**/*.test.ts"],
          exclude: [flows, pure, ...alone, ...rehearsals],
        },
      },
    ],
  },
});
