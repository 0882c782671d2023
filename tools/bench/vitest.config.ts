import { defineConfig } from "vitest/config";

// `npm run bench`: benches on the stack of the tests. One file runs at a time, because concurrent benches disturb each other.
export default defineConfig({
  test: {
    include: ["tools/bench/*.bench.ts"],
    globalSetup: "test/harness/fixtures/server.ts",
    experimental: { viteModuleRunner: false },
    pool: "forks",
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    reporters: ["default"],
  },
});
