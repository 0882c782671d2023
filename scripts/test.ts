// npm test: the contracts' tests, then all others; ends with one line that counts them. `npm test -- <part of a path>`
// runs the others that match, without the contracts'. `npm test -- --changed` runs those near to what is not committed,
// and `--changed <commit>` those near to what changed since; `--list` names them instead.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { findChanged } from "./changed.ts";
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
async function testTheRest(filters: string[], env: Record<string, string> = {}): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), "earnest-report-"));
  const file = join(folder, "vitest.json");
  try {
    const vitest = spawn(
      process.execPath,
      [
        "--import",
        new URL("fast-start.mjs", import.meta.url).href,
        join(root, "node_modules/vitest/vitest.mjs"),
        "run",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${file}`,
        ...filters,
      ],
      { cwd: root, stdio: "inherit", env: { ...process.env, ...env } },
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

/** Runs the tests near to a change, or names them. */
async function testChanged(ref: string | undefined, list: boolean, options: string[]): Promise<Count[]> {
  const { tests, contracts } = findChanged(root, ref);
  const those = [...(contracts ? ["those of the contracts"] : []), ...tests];
  const since = ref ? `what changed since ${ref}` : "what is not committed";
  console.log(`${tests.length} test files are near to ${since}${list ? ":" : ", the nearest first."}`);
  if (list) console.log(those.map((name) => `  ${name}`).join("\n"));
  if (list || those.length === 0) process.exit();
  return [
    ...(contracts ? [testContracts()] : []),
    ...(tests.length > 0 ? [await testTheRest([...tests, ...options], { NEAREST_TESTS: tests.join() })] : []),
  ];
}

const args = process.argv.slice(2);
const [at, list] = [args.indexOf("--changed"), args.includes("--list")];
const ref = at === -1 || args[at + 1]?.startsWith("-") ? undefined : args[at + 1];
const others = args.filter((one, index) => one !== "--list" && index !== at && (at === -1 || one !== ref));
const counts =
  at === -1
    ? [...(args.length === 0 ? [testContracts()] : []), await testTheRest(args)]
    : await testChanged(ref, list, others);
const sum = (of: keyof Count) => counts.reduce((total, count) => total + count[of], 0);
const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
if (passed + failed === 0) console.error("No test ran.");
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
