import { resolve } from "node:path";
import { defineConfig, mergeConfig } from "vitest/config";
import service from "../../vitest.config.ts";

// The projects are those of the service's own suite.
const { projects: _, ...settings } = service.test ?? {};

/** The client is tested against the real service: with its database, its chain and its settings of tests. */
export default mergeConfig(
  { ...service, test: { ...settings, globalSetup: "clients/typescript/test/suite.fixture.ts" } },
  defineConfig({
    root: resolve(import.meta.dirname, "../.."),
    test: {
      // Loading is most of a short file; what a process has loaded is there for its next one.
      isolate: false,
      // Most of a scenario is waiting for blocks.
      maxConcurrency: 20,
      // The other clients are tested at the same time.
      maxWorkers: 4,
      include: ["clients/generator/test/**/*.test.ts", "clients/typescript/test/**/*.test.ts"],
    },
  }),
);
