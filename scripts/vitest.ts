// Runs Vitest and counts. A file that fails is run once more, alone: on a busy machine a wait can run out. What passes then
// is named as unsteady, so that nobody overlooks it; what fails twice has failed.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Count } from "./contracts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** More failing files than these are no accident of the machine. */
const mostAgain = 8;

const vitestReport = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().nullish(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});
type Run = { report: z.infer<typeof vitestReport>; code: number | null };

/**
 * Runs Vitest with its output as it comes, and ends with the names of all that failed.
 *
 * @param args besides `run`: filters and options
 * @param env what the tests are told, besides the variables of this process
 */
export async function runVitest(args: string[], env: Record<string, string> = {}): Promise<Count> {
  try {
    const first = await runOnce(args, env);
    const failing = first.report.testResults.filter(({ status }) => status === "failed");
    const results = first.report.testResults.filter((file) => !failing.includes(file));
    if (failing.length > 0 && failing.length <= mostAgain) {
      const options = args.filter((arg) => arg.startsWith("-"));
      const files = failing.map(({ name }) => relative(root, name));
      console.log(`Once more, alone: ${files.join(", ")}`);
      const second = await runOnce([...options, "--no-file-parallelism", ...files], env);
      results.push(...second.report.testResults);
      for (const { name, status } of second.report.testResults)
        if (status !== "failed") console.log(`Unsteady, passed the second time: ${relative(root, name)}`);
    } else results.push(...failing);
    for (const line of failuresOf(first)) console.log(`Failed at first: ${line}`);

    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const { name, status, message, assertionResults } of results) {
      const of = (wanted: string) => assertionResults.filter((test) => test.status === wanted).length;
      count.passed += of("passed");
      // A file that does not load fails without failing a test.
      count.failed += Math.max(of("failed"), status === "failed" ? 1 : 0);
      count.skipped += assertionResults.length - of("passed") - of("failed");
      if (status !== "failed") continue;
      console.log(`FAILED  ${relative(root, name)}${of("failed") === 0 ? `: ${message ?? ""}` : ""}`);
      for (const test of assertionResults.filter((one) => one.status === "failed"))
        console.log(`FAILED    ${test.fullName}`);
    }
    // An error outside all tests.
    if (failing.length === 0 && (first.code !== 0 || !first.report.success)) {
      console.log("FAILED  Vitest ended with an error that is no test's; it stands above.");
      count.failed++;
    }
    return count;
  } catch (error) {
    console.error(`Vitest left no report: ${(error as Error).message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const failuresOf = ({ report }: Run) =>
  report.testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed");
      const file = relative(root, name);
      return failed.length > 0
        ? failed.map(({ fullName }) => `${file}: ${fullName}`)
        : [`${file}: ${message}`];
    });

async function runOnce(args: string[], env: Record<string, string>): Promise<Run> {
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
        ...args,
      ],
      { cwd: root, stdio: "inherit", env: { ...process.env, ...env } },
    );
    const code = await new Promise<number | null>((resolve) => vitest.once("close", resolve));
    return { code, report: vitestReport.parse(JSON.parse(readFileSync(file, "utf8"))) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
