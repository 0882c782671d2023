import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The Go client's modules; a test that fails is shown with what it printed. */
export async function testGo(env: Record<string, string>): Promise<{ passed: number; failed: number }> {
  const sum = { passed: 0, failed: 0 };
  const root = import.meta.dirname;
  for (const folder of [".", "wallet"]) {
    const vet = spawnSync("go", ["vet", "-tags=service", "./..."], {
      cwd: join(root, folder),
      stdio: "inherit",
    });
    if (vet.status === 0) sum.passed++;
    else sum.failed++;
    // -count=1: a result of an earlier run is none.
    const go = spawn("go", ["test", "-json", "-count=1", "-p=2", "-timeout=20m", "-tags=service", "./..."], {
      cwd: join(root, folder),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const outputs = new Map<string, string>();
    for await (const line of createInterface(go.stdout)) {
      if (!line.startsWith("{")) continue;
      const { Action, Package, Test, Output } = JSON.parse(line) as Record<string, string>;
      const name = `${Package} ${Test ?? ""}`;
      if (Action === "output" || Action === "build-output") {
        outputs.set(name, (outputs.get(name) ?? "") + Output);
      }
      if (Action === "pass" && Test) sum.passed++;
      // A package that does not build fails without a test.
      if (Action === "fail" || (Action === "skip" && Test)) {
        sum.failed++;
        console.error(outputs.get(name) ?? name);
      }
    }
    const code = go.exitCode ?? (await new Promise((resolve) => go.once("close", resolve)));
    if (code !== 0 && sum.failed === 0) sum.failed = 1;
  }
  return sum;
}
