import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../harness/programs.ts";

test.each([
  "checker/thread.ts",
  "clients/typescript/cli/main.ts",
  "console/src/form/schema.worker.ts",
  "console/src/main.tsx",
  "jobs/worker.ts",
  "scripts/api.ts",
  "scripts/indexer.ts",
  "scripts/monitor.ts",
  "scripts/verify.ts",
  "scripts/witness.ts",
])("%s parses by parseJson before it loads anything else", (file) => {
  const [first] = /^import .*$/m.exec(readFileSync(join(root, file), "utf8")) ?? [];
  expect(first).toMatch(/^import "[./]+\/json\/everywhere\.ts";$/);
});
