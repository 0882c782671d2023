import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/**
 * Runs the tests of the TypeScript client and of the generator.
 *
 * @param env what the tests are told of the service and of the stage of the scenarios
 */
export async function testTypeScript(
  env: Record<string, string>,
): Promise<{ passed: number; failed: number }> {
  const folder = mkdtempSync(join(tmpdir(), "earnest-clients-"));
  const file = join(folder, "vitest.json");
  try {
    const args = [
      join(root, "node_modules", "vitest", "vitest.mjs"),
      "run",
      "--config=clients/typescript/vitest.config.ts",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${file}`,
    ];
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...env },
    });
    const code = await new Promise((resolve) => {
      child.once("error", () => resolve(null));
      child.once("close", resolve);
    });
    const report = JSON.parse(readFileSync(file, "utf8"));
    // A file that does not load fails the run without failing a test; one that is skipped has not passed.
    const failed = report.numFailedTests + report.numPendingTests + report.numTodoTests;
    return { passed: report.numPassedTests, failed: Math.max(failed, code === 0 ? 0 : 1) };
  } catch (error) {
    console.error(`vitest left no report: ${(error as Error).message}`);
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
