import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take longest, longest first: one that begins last would run alone at the end. Those of one project follow each
 * other, as a process that files share ends when the next one is another project's.
 */
const longest = [
  ...[
    "scripts/start",
    "console/buying",
    "simulation/live",
    "flows/model",
    "console/selling",
    "scripts/deploy",
  ],
  ...["console/operating", "flows/x402-page", "scripts/deploy-networks", "console/disputing", "flows/pooler"],
  ...["flows/restore", "flows/x402-wallets", "flows/x402-permit2", "flows/reputation", "scripts/build"],
  ...[
    "relay/crash",
    "jobs/kill",
    "jobs/receipts/keys",
    "jobs/orders/reconcile",
    "payments/kill",
    "jobs/outage",
  ],
  ...["payments/deposits", "jobs/tlog/kill", "jobs/relay/relay", "orders/due", "chain/reorganisation"],
  ...[
    "jobs/executions/execute",
    "monitor/monitor",
    "jobs/tlog/anchor",
    "jobs/webhooks/workers",
    "orders/expire",
  ],
  ...["jobs/relay/batch", "probes/schedule", "jobs/tlog/sequencer", "chain/reindex", "payments/following"],
  ...["chain/indexer-takeover", "chain/reorganisation-depth", "chain/index-audit", "chain/indexer-dying"],
  ...["receipts/fuzz", "receipts/cli", "settlement/options-on-chain", "checker/checker"],
  ...["marketplace/shelves", "agents/endpoint-health", "mcp/conformance", "orders/acts-table"],
  // Of the TypeScript client, in a run of their own.
  ...["typescript/test/command-line", "typescript/test/buying", "typescript/test/package"],
  "typescript/test/serving",
];

/** What `npm test -- --changed` says is nearest, nearest first. */
const nearest = process.env.NEAREST_TESTS?.split(",").map((file) => file.replace(/\.test\.ts$/, ""));

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const first = nearest ?? longest;
    const rank = ({ moduleId }: TestSpecification) => {
      const at = first.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
      return at === -1 ? first.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** Files run beside each other, each on its own database and, where it needs one, its own chain. */
const shared: TestProjectInlineConfiguration["test"] = {
  setupFiles: "test/harness/worker.ts",
  // Node itself loads what is tested, as in production: no transformation in between.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  pool: "forks",
  // The programs that tests start keep their compiled code there.
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/earnest", import.meta.url)) },
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

const ofTheApi = "test/api/**/*.test.ts";
/** Rooms whose tests leave nothing behind in their process. */
const clean = ["checker", "facts", "outbound", "receipts", "settlement", "tlog", "trade", "webhooks"];
/** What loads the jobs, or the database's rooms alone. */
const ofWorkers = ["db", "jobs", "monitor", "reputation"];
/** Whose tests are `testOnStack`. */
const onOneStack = ["commerce", "every-route", "feedback", "json", "metrics", "readme"].map(
  (name) => `test/flows/${name}.test.ts`,
);
/** The x402 package asks for a token's code once in a process, and this file is about a node that does not answer that. */
const alone = "test/api/payments/outage.test.ts";
/** Whose subjects are programs: what a process loads for one is there for the next. */
const ofPrograms = `test/!(api|${[...clean, ...ofWorkers].join("|")})/**/*.test.ts`;

export default defineConfig({
  test: {
    ...shared,
    globalSetup: "test/harness/suite.ts",
    // Four more than the two cores that this is made for: half of what a file takes is waiting for blocks and clocks.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    teardownTimeout: 30_000,
    projects: [
      // Each loads the whole API, which takes longer than most of them: those that share a process load it once.
      { test: { ...shared, name: "api", include: [ofTheApi], exclude: [alone], isolate: false } },
      { test: { ...shared, name: "rules", include: [`test/{${clean}}/**/*.test.ts`], isolate: false } },
      { test: { ...shared, name: "flows", include: onOneStack, isolate: false } },
      { test: { ...shared, name: "jobs", include: [`test/{${ofWorkers}}/**/*.test.ts`], isolate: false } },
      {
        test: { ...shared, name: "programs", include: [ofPrograms], exclude: onOneStack, isolate: false },
      },
      { test: { ...shared, name: "alone", include: [alone] } },
    ],
  },
});
