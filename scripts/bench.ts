// npm run bench: runs the benches and prints the figures beside the committed ones. `npm run bench -- <part of a name>`
// runs the benches that match; `--write` writes the figures to tools/bench/figures.json.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  compareFigures,
  mergeFigures,
  printTable,
  readFigures,
  readReported,
  reportingTo,
} from "../tools/bench/figures.ts";
import { toolPath } from "../tools/build/tools.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const committedFile = join(root, "tools/bench/figures.json");

const args = process.argv.slice(2);
const write = args.includes("--write");
const folder = mkdtempSync(join(tmpdir(), "earnest-bench-"));
try {
  const file = join(folder, "figures");
  const filters = args.filter((arg) => arg !== "--write");
  const vitest = spawn(toolPath("vitest"), ["run", "--config=tools/bench/vitest.config.ts", ...filters], {
    stdio: "inherit",
    env: { ...process.env, ...reportingTo(file) },
  });
  process.exitCode = (await new Promise<number | null>((resolve) => vitest.once("close", resolve))) ?? 1;
  if (existsSync(file)) summarise(file);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function summarise(file: string): void {
  const [committed, run] = [readFigures(committedFile), readReported(file)];
  printTable("This run beside tools/bench/figures.json; WORSE lost a quarter or more", [
    ["", "of", "committed", "now", ""],
    ...compareFigures(committed, run),
  ]);
  if (!write) return;
  const figures = mergeFigures(committed, run);
  writeFileSync(committedFile, `${JSON.stringify(figures, null, 2)}\n`);
}
