// Runs npm scripts one after the other, all of them, and ends with one line that sums what they counted: `npm run test:all`.
// Those with a comma between them run side by side.

import { spawn } from "node:child_process";

/** A script's own last line, as in "12 passed, 0 failed, 1 skipped". */
const countLine = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

async function runScript(name: string): Promise<[passed: number, failed: number, skipped: number]> {
  const child = spawn("npm", ["run", name], { stdio: ["inherit", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (text: Buffer) => {
    process.stdout.write(text);
    output = `${output}${text}`.slice(-10_000);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const [, passed, failed, skipped] = countLine.exec(output.trimEnd().split("\n").at(-1) ?? "") ?? [];
  if (passed === undefined) return [0, 1, 0];
  // One that counts no failure and fails all the same has failed.
  return [Number(passed), Math.max(Number(failed), code === 0 ? 0 : 1), Number(skipped ?? 0)];
}

const sums = [0, 0, 0];
for (const names of process.argv.slice(2)) {
  for (const counts of await Promise.all(names.split(",").map(runScript))) {
    counts.forEach((count, at) => {
      sums[at] = (sums[at] ?? 0) + count;
    });
  }
}
const [passed = 0, failed = 0, skipped = 0] = sums;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
