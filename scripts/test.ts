// npm test: the contracts' tests, then all others; ends with one line that counts them. `npm test -- <part of a path>`
// runs the others that match, without the contracts'.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type Count, testContracts } from "./contracts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

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
