import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { writeChangedTexts } from "./fuzz-log-texts.ts";

type Test = { package: string; name: string };
type Run = { passed: number; failures: Test[]; broken: boolean };

const root = import.meta.dirname;
/** More failures than this are not caused by a busy machine, so they do not run again. */
const mostAgain = 8;

/**
 * Tests the Go client's modules. A failed test is shown with its output, and runs again.
 */
export async function testGo(given: Record<string, string>): Promise<{ passed: number; failed: number }> {
  const made = mkdtempSync(join(tmpdir(), "earnest-log-texts-"));
  const texts = join(made, "changed.json");
  writeChangedTexts(texts, Number.parseInt(given.EARNEST_SEED ?? "", 16));
  try {
    return await testModules({ ...given, CHANGED_LOG_TEXTS: texts });
  } finally {
    rmSync(made, { recursive: true });
  }
}

async function testModules(env: Record<string, string>): Promise<{ passed: number; failed: number }> {
  const sum = { passed: 0, failed: 0 };
  for (const folder of [".", "wallet"]) {
    const cwd = join(root, folder);
    // This process also serves the stage of the scenarios, so it must not block.
    const vet = spawn("go", ["vet", "-tags=service", "./..."], { cwd, stdio: "inherit" });
    if ((await new Promise((resolve) => vet.once("close", resolve))) === 0) sum.passed++;
    else sum.failed++;
    const first = await runGo(cwd, env, "./...");
    sum.passed += first.passed;
    // A failed part also fails its test. The test runs again by its own name.
    const whole = first.failures.filter(({ name }) => !name.includes("/"));
    if (first.broken || first.failures.length > mostAgain) {
      sum.failed += Math.max(first.failures.length, 1);
      continue;
    }
    for (const test of whole) {
      console.log(`Once more, alone: ${test.package} ${test.name}`);
      const second = await runGo(cwd, env, "-run", `^${test.name}$`, test.package);
      const parts = first.failures.filter(
        ({ package: of, name }) => of === test.package && `${name}/`.startsWith(`${test.name}/`),
      ).length;
      if (second.failures.length > 0 || second.broken) sum.failed += parts;
      else {
        sum.passed += parts;
        console.log(`Unsteady, passed the second time: ${test.package} ${test.name}`);
      }
    }
  }
  return sum;
}

async function runGo(cwd: string, env: Record<string, string>, ...what: string[]): Promise<Run> {
  // `-count=1` turns off Go's cache of results.
  const args = ["test", "-json", "-count=1", "-p=2", "-timeout=20m", "-tags=service", ...what];
  const go = spawn("go", args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = new Promise<number | null>((resolve) => go.once("close", resolve));
  const outputs = new Map<string, string>();
  const run: Run = { passed: 0, failures: [], broken: false };
  const failedPackages: string[] = [];
  for await (const line of createInterface(go.stdout)) {
    if (!line.startsWith("{")) continue;
    const { Action, Package = "", Test, Output } = JSON.parse(line) as Record<string, string>;
    const name = `${Package} ${Test ?? ""}`;
    if (Action === "output" || Action === "build-output")
      outputs.set(name, (outputs.get(name) ?? "") + Output);
    if (Action === "pass" && Test) run.passed++;
    if (Action !== "fail" && !(Action === "skip" && Test)) continue;
    console.error(outputs.get(name) ?? name);
    if (Test) run.failures.push({ package: Package, name: Test });
    else failedPackages.push(Package);
  }
  // A package that does not build fails without a failed test.
  const code = await closed;
  run.broken =
    (code !== 0 && run.failures.length === 0) ||
    failedPackages.some((name) => !run.failures.some((test) => test.package === name));
  return run;
}
