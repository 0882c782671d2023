// npm test: the contracts' tests, then all others; ends with one line that counts them. `npm test -- <part of a path>`
// runs the others that match, without the contracts'.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { isRunnable, toolPath } from "./tools.ts";

type Count = { passed: number; failed: number; skipped: number };

const root = fileURLToPath(new URL("..", import.meta.url));

const forgeReport = z.record(
  z.string(),
  z.object({
    test_results: z.record(
      z.string(),
      z.object({ status: z.enum(["Success", "Failure", "Skipped"]), reason: z.string().nullish() }),
    ),
  }),
);

/** Runs the contracts' tests and prints one line a contract, and one for each failure. */
function testContracts(): Count {
  console.log("Contracts (forge test)");
  const count = { passed: 0, failed: 0, skipped: 0 };
  if (!isRunnable("forge")) {
    console.log(
      "  npm has no forge for this system: install Foundry with the installer of https://getfoundry.sh.\n",
    );
    return { ...count, failed: 1 };
  }
  const run = spawnSync(toolPath("forge"), ["test", "--isolate", "--json"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  // What the compiler says comes before the report.
  const report = forgeReport.safeParse(parseLastJson(run.stdout));
  if (!report.success) {
    console.log(`  forge ended with code ${run.status} and no report:\n${run.stdout}${run.stderr}\n`);
    return { ...count, failed: 1 };
  }
  for (const [contract, { test_results }] of Object.entries(report.data)) {
    const results = Object.entries(test_results);
    const of = (status: string) => results.filter(([, result]) => result.status === status);
    const failures = of("Failure");
    count.passed += of("Success").length;
    count.failed += failures.length;
    count.skipped += of("Skipped").length;
    console.log(`  ${failures.length > 0 ? "✗" : "✓"} ${contract} (${results.length} tests)`);
    for (const [name, { reason }] of failures) console.log(`    ✗ ${name}: ${reason ?? "failed"}`);
  }
  if (run.status !== 0 && count.failed === 0) {
    console.log(`  forge ended with code ${run.status}:\n${run.stderr}`);
    count.failed = 1;
  }
  console.log("");
  return count;
}

function parseLastJson(output: string): unknown {
  try {
    return JSON.parse(output.slice(output.indexOf("{")));
  } catch {
    return null;
  }
}

const vitestReport = z.object({
  success: z.boolean(),
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
});

/** Runs all other tests, with their output as it comes. */
async function testTheRest(filters: string[]): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), "earnest-report-"));
  const file = join(folder, "vitest.json");
  try {
    const vitest = spawn(
      process.execPath,
      [
        join(root, "node_modules/vitest/vitest.mjs"),
        "run",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${file}`,
        ...filters,
      ],
      { cwd: root, stdio: "inherit" },
    );
    const code = await new Promise<number | null>((resolve) => vitest.once("close", resolve));
    const report = vitestReport.parse(JSON.parse(readFileSync(file, "utf8")));
    const failed = report.numFailedTests;
    // A file that does not load, or an error outside all tests, fails the run without failing a test.
    const broken = failed === 0 && (code !== 0 || !report.success) ? 1 : 0;
    return {
      passed: report.numPassedTests,
      failed: failed + broken,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch (error) {
    console.error(`vitest left no report: ${(error as Error).message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const filters = process.argv.slice(2);
const counts = [...(filters.length === 0 ? [testContracts()] : []), await testTheRest(filters)];
const sum = (of: keyof Count) => counts.reduce((total, count) => total + count[of], 0);
const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
if (passed + failed === 0) console.error("No test ran.");
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
