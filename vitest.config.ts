import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/harness/global.ts",
    setupFiles: "test/harness/worker.ts",
    // Files run beside each other, each on its own database and, where it needs one, its own chain.
    // Node itself loads what is tested, as in production: no transformation in between.
    experimental: { viteModuleRunner: false },
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
