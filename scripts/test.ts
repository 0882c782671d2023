// npm test: runs the contracts' tests beside those that need no stack of their own, and prints the counts as the last line.
// `npm test -- <part of a path>` runs all matching tests without the contracts', with the options of Vitest: `--changed` runs the
// tests of changed files. `npm run test:all` runs every test, then those of the API description and of the clients;
// `npm run test:all -- --project='!rehearsals'` leaves out those that kill programs.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toolPath } from "../tools/build/tools.ts";
import { type Count, testContracts } from "./contracts.ts";
import type { TestReport } from "./test-report.ts";

/** The last line of every program that runs tests, as in "12 passed, 0 failed, 1 skipped". */
const countLine = /(?:^|\n)(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/;

/**
 * Runs Vitest and counts.
 *
 * @param args besides `run`: filters and options
 * @param env variables of the tests, besides those of this process
 */
export async function runVitest(args: string[], env: Record<string, string> = {}): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), "earnest-report-"));
  const file = join(folder, "report.json");
  try {
    const vitest = spawn(
      toolPath("vitest"),
      ["run", "--reporter=default", "--reporter=./scripts/test-report.ts", ...args],
      { stdio: "inherit", env: { ...process.env, ...env, EARNEST_TEST_REPORT: file } },
    );
    const code = await new Promise<number | null>((resolve) => vitest.once("close", resolve));
    const { passed, failed, skipped, failures, repeated } = JSON.parse(
      readFileSync(file, "utf8"),
    ) as TestReport;
    const remarks = failures.map((line) => `failed: ${line}`);
    remarks.push(...repeated.map((line) => `passed when it ran again: ${line}`));
    if (code !== 0 && failures.length === 0) remarks.push(`failed: Vitest ended with code ${code}`);
    // A file that does not load, or an error outside all tests, fails without failing a test.
    return { passed, failed: Math.max(failed, code === 0 ? 0 : 1), skipped, remarks };
  } catch (error) {
    const remarks = [`failed: Vitest left no report: ${(error as Error).message}`];
    return { passed: 0, failed: 1, skipped: 0, remarks };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs an npm script whose last line has the counts. */
export async function runScript(name: string): Promise<Count> {
  const child = spawn("npm", ["run", name], { stdio: ["inherit", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (text: Buffer) => {
    process.stdout.write(text);
    output = `${output}${text}`.slice(-1000);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const [, passed, failed, skipped] = countLine.exec(output) ?? [];
  return {
    passed: Number(passed ?? 0),
    failed: Math.max(Number(failed ?? 1), code === 0 ? 0 : 1),
    skipped: Number(skipped ?? 0),
  };
}

/** Prints the sum as the last line, and sets the exit code. */
export function printTotal(counts: Count[]): void {
  const sum = (of: "passed" | "failed" | "skipped") => counts.reduce((total, count) => total + count[of], 0);
  const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
  for (const remark of counts.flatMap((count) => count.remarks ?? [])) console.log(remark);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  const isAll = args[0] === "--all";
  const counts = await Promise.all(
    isAll || args.length === 0
      ? [
          testContracts(),
          runVitest(isAll ? args.slice(1) : ["flows", "pure", "service"].map((name) => `--project=${name}`)),
        ]
      : [runVitest(args)],
  );
  if (isAll) counts.push(...(await Promise.all(["test:description", "test:clients"].map(runScript))));
  printTotal(counts);
}
