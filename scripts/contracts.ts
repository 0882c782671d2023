// The contracts' tests, for `npm test` and `npm run test:contracts`. `npm run test:contracts-deep` (--deep) makes 500,000
// random calls from a new seed, and more runs of each fuzz test.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { isRunnable, toolPath } from "../tools/build/tools.ts";

/** The result of the tests. `remarks` are lines about failures, printed last: a CI that cuts a long output keeps its end. */
export type Count = { passed: number; failed: number; skipped: number; remarks?: string[] };

const root = fileURLToPath(new URL("..", import.meta.url));
/** The file that contracts/test/base/Coverage.sol writes, with one line per run of random calls: case, count, case, count ... */
const casesFile = `contracts/out/campaign/${process.pid}.tsv`;

const forgeReport = z.record(
  z.string(),
  z.object({
    test_results: z.record(
      z.string(),
      z.object({
        status: z.enum(["Success", "Failure", "Skipped"]),
        reason: z.string().nullish(),
        kind: z.object({ Invariant: z.object({ runs: z.int(), calls: z.int() }).optional() }).optional(),
      }),
    ),
  }),
);

/**
 * Runs the contracts' tests. At the end it prints a line for each contract and each failure, and the cases that the random
 * calls reached. It prints all at once, because other tests print too.
 */
export async function testContracts({ deep = false } = {}): Promise<Count> {
  const count = { passed: 0, failed: 0, skipped: 0, remarks: [] as string[] };
  if (!isRunnable("forge")) {
    console.log(
      "  npm has no forge for this system: install Foundry with the installer of https://getfoundry.sh.\n",
    );
    return { ...count, failed: 1, remarks: ["failed: the contracts' tests did not run"] };
  }
  mkdirSync(join(root, "contracts/out/campaign"), { recursive: true });
  const args = ["test", "--isolate", "--json"];
  if (deep) args.push("--fuzz-seed", `0x${randomBytes(32).toString("hex")}`);
  const begin = performance.now();
  const run = await runForge(args, deep ? "deep" : "default");
  console.log(`Contracts (${deep ? "FOUNDRY_PROFILE=deep " : ""}forge ${args.join(" ")})`);
  // The compiler writes its output before the report.
  const report = forgeReport.safeParse(parseLastJson(run.stdout));
  if (!report.success) {
    console.log(`  forge ended with code ${run.status} and no report:\n${run.stdout}${run.stderr}\n`);
    return { ...count, failed: 1, remarks: ["failed: the contracts' tests did not run"] };
  }
  let calls = 0;
  for (const [contract, { test_results }] of Object.entries(report.data)) {
    const results = Object.entries(test_results);
    const withStatus = (status: string) => results.filter(([, result]) => result.status === status);
    const failures = withStatus("Failure");
    count.passed += withStatus("Success").length;
    count.failed += failures.length;
    count.skipped += withStatus("Skipped").length;
    for (const [, { kind }] of results) calls += kind?.Invariant?.calls ?? 0;
    console.log(`  ${failures.length > 0 ? "✗" : "✓"} ${contract} (${results.length} tests)`);
    for (const [name, { reason }] of failures) {
      console.log(`    ✗ ${name}: ${reason ?? "failed"}`);
      count.remarks.push(`failed: ${contract}: ${name}: ${reason ?? "no reason"}`);
    }
  }
  if (run.status !== 0 && count.failed === 0) {
    console.log(`  forge ended with code ${run.status}:\n${run.stderr}`);
    count.failed = 1;
    count.remarks.push(`failed: forge ended with code ${run.status}`);
  }
  if (count.failed === 0) {
    count.failed = printCases(calls);
    if (count.failed > 0) count.remarks.push("failed: the random calls did not reach all cases");
  }
  console.log(`  ${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
  return count;
}

async function runForge(args: string[], profile: "default" | "deep") {
  const child = spawn(toolPath("forge"), args, {
    cwd: root,
    env: { ...process.env, CASES_FILE: casesFile, FOUNDRY_PROFILE: profile },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, status };
}

/** Prints how often the random calls reached each case. Returns the number of cases that they never reached. */
function printCases(calls: number): number {
  const sums = new Map<string, number>();
  const file = join(root, casesFile);
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  rmSync(file, { force: true });
  for (const line of lines) {
    const fields = line.split("\t");
    for (let at = 0; at < fields.length; at += 2) {
      const name = fields[at] ?? "";
      sums.set(name, (sums.get(name) ?? 0) + Number(fields[at + 1]));
    }
  }
  console.log(`  Cases that ${calls} random calls reached, each with the expected outcome:`);
  for (const [name, sum] of sums) console.log(`  ${sum > 0 ? " " : "✗"} ${String(sum).padStart(8)}  ${name}`);
  const missed = [...sums.values()].filter((sum) => sum === 0).length;
  if (sums.size === 0) console.log(`  ✗ none: ${casesFile} was not written`);
  else if (missed > 0) console.log(`  ✗ ${missed} cases were never reached`);
  return sums.size === 0 ? 1 : missed;
}

function parseLastJson(output: string): unknown {
  try {
    return JSON.parse(output.slice(output.indexOf("{")));
  } catch {
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed } = await testContracts({ deep: process.argv.includes("--deep") });
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
